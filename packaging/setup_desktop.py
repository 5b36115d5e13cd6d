"""Makes the application and its session files known to this user's desktop, by the specifications of freedesktop.org.

Writes a desktop entry, a file type and an icon below $XDG_DATA_HOME (~/.local/share), and removes exactly these again.
Standard library only, and valid Python 3.9.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from setup_progress import SetupError, say

HERE = Path(__file__).resolve().parent
ICON = HERE.parent / "resources" / "icons" / "console.svg"
ENTRY = Path("applications/operator-console.desktop")
FILE_TYPE = Path("mime/packages/operator-console.xml")
ICON_PLACE = Path("icons/hicolor/scalable/apps/operator-console.svg")


def data_home() -> Path:
    """The folder of this user's application data. A relative $XDG_DATA_HOME is ignored, as its specification says."""
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".local" / "share"


def install(command: str) -> None:
    """Writes the files for the program at the absolute path ``command``.

    Raises:
        SetupError: A file cannot be written.
    """
    home = data_home()
    files = {
        ENTRY: entry(command).encode(),
        FILE_TYPE: (HERE / "desktop" / "operator-console.xml").read_bytes(),
        ICON_PLACE: ICON.read_bytes(),
    }
    for place, content in files.items():
        write(home / place, content)
        say(f"wrote {home / place}")
    update(home)
    say("\nThe console is in the desktop's menu, and session files open with it.")
    say("To remove both: python3 packaging/bootstrap.py uninstall-desktop")


def uninstall() -> None:
    """Removes what ``install`` wrote. Raises SetupError if a file cannot be removed."""
    home = data_home()
    removed = False
    for place in (ENTRY, FILE_TYPE, ICON_PLACE):
        try:
            (home / place).unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise SetupError(f"{home / place} cannot be removed: {error.strerror}.") from error
        say(f"removed {home / place}")
        removed = True
    if removed:
        update(home)
    else:
        say(f"Nothing of the console is in {home}.")


def entry(command: str) -> str:
    """The desktop entry for a program."""
    text = (HERE / "desktop" / "operator-console.desktop").read_text(encoding="utf-8")
    return text.replace("@TRY_EXEC@", as_value(command)).replace("@EXEC@", as_value(as_argument(command)))


def as_argument(path: str) -> str:
    """A path as the first argument of Exec: a literal % is doubled, and what is reserved is quoted."""
    path = path.replace("%", "%%")
    if re.fullmatch(r"[A-Za-z0-9_@%+:,./-]+", path):
        return path
    return '"' + re.sub(r'(["`$\\])', r"\\\1", path) + '"'


def as_value(text: str) -> str:
    """A text as the value of a key of type string."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def write(path: Path, content: bytes) -> None:
    """Writes a file that appears complete or not at all. Raises SetupError."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(content)
            part.chmod(0o644)
            part.replace(path)
        finally:
            if part.exists():
                part.unlink()
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror or error}.") from error


def update(home: Path) -> None:
    """Has the desktop read the files. Without these programs it does so at the next login, or not at all."""
    commands = (
        (
            "update-mime-database",
            home / "mime",
            "shared-mime-info",
            "session files are not recognised by their content",
        ),
        (
            "update-desktop-database",
            home / "applications",
            "desktop-file-utils",
            "some desktops do not offer the console",
        ),
    )
    for program, folder, package, otherwise in commands:
        if not folder.is_dir():
            continue
        found = shutil.which(program)
        if found is None:
            say(f"{program} is missing (package {package}): until it runs, {otherwise}.")
            continue
        done = subprocess.run([found, str(folder)], capture_output=True, text=True)
        if done.returncode != 0:
            say(f"{program} failed: {done.stderr.strip() or done.returncode}")
    icons = home / "icons" / "hicolor"
    if icons.is_dir():
        os.utime(icons)  # by its time desktops see that their cache of icons is out of date
