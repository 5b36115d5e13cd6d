"""The right Python and the project's .venv, with exactly the locked packages in it.

Standard library only, and readable by Python 3.9: it finds the right Python when started by a wrong one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setup_progress import run_step, say

OLDEST = (3, 11)
NEWEST = (3, 13)
LOCK_FILES = {"run": "app.txt", "test": "dev.txt"}


def fits(version: tuple[int, ...]) -> bool:
    return OLDEST <= version[:2] <= NEWEST


def find_python() -> str | None:
    """An executable of a fitting version: this one, else the newest on PATH that really starts."""
    if fits(sys.version_info[:2]):
        return sys.executable
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        candidate = shutil.which(f"python3.{minor}")
        if candidate is not None and fits(_version(candidate)):
            return candidate
    return None


def venv_packages() -> list[str]:
    """The system packages that this Python lacks before it can make a virtual environment."""
    if not fits(sys.version_info[:2]):
        return [f"python3.{minor}-venv" for minor in (OLDEST[1],)]
    lacking = any(importlib.util.find_spec(name) is None for name in ("venv", "ensurepip"))
    return [f"python3.{sys.version_info[1]}-venv|python3-venv"] if lacking else []


def _version(python: str) -> tuple[int, ...]:
    code = "import sys; print(*sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return tuple(int(part) for part in done.stdout.split()) if done.returncode == 0 else ()


class Venv:
    """The project's virtual environment."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self._scripts = self.folder / ("Scripts" if os.name == "nt" else "bin")
        self._stamp = self.folder / "bootstrap-stamp.json"
        self._made_here = self.folder / "made-by-bootstrap"

    def script(self, name: str) -> str:
        return str(self._scripts / (name + ".exe" if os.name == "nt" else name))

    @property
    def python(self) -> str:
        return self.script("python")

    def ready(self, command: str) -> bool:
        """Whether what ``command`` needs was installed from these very locks; what ``test`` needs serves ``run``."""
        try:
            stamp = json.loads(self._stamp.read_text())
        except (OSError, ValueError):
            return False
        if not Path(self.python).exists() or stamp.get("digest") != self.digest():
            return False
        return stamp.get("command") in {command, "test"}

    def digest(self) -> str:
        """Changes with the locks, the project's own metadata, the Python version and the folder."""
        found = hashlib.sha256()
        for path in [*sorted((self.root / "packaging" / "lock").glob("*.txt")), self.root / "pyproject.toml"]:
            found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        found.update(f"{sys.version_info[:2]} {self.folder}".encode())
        return found.hexdigest()

    def provide(self, command: str) -> None:
        """Makes the environment and installs the lock, unless that was done already.

        Raises:
            SetupError: A step failed.
        """
        if self.ready(command):
            say("  .venv: as locked")
            return
        if (self.folder / "pyvenv.cfg").exists() and _version(self.python) != sys.version_info[:2]:
            say("  .venv is of another Python version: making it anew")
            shutil.rmtree(self.folder)
        env = pip_env()
        if not Path(self.python).exists():
            remedy = "give this Python the modules venv and ensurepip (Debian: python3-venv), and run this again."
            make = [sys.executable, "-m", "venv", str(self.folder)]
            run_step("making .venv", make, remedy=remedy, env=env)
            self._made_here.touch()
        self._stamp.unlink(missing_ok=True)
        self._install(LOCK_FILES[command], env)
        if self._made_here.exists():
            self._remove_what_is_not_locked(env)
        self._stamp.write_text(json.dumps({"digest": self.digest(), "command": command}))

    def _install(self, lock: str, env: dict[str, str]) -> None:
        pip = [self.python, "-m", "pip", "install", "--no-deps", "--no-input", "--progress-bar", "off"]
        folder = self.root / "packaging" / "lock"
        remedy = "check the network (or pip's own configuration) and run this again; it goes on where it stopped."
        step = [*pip, "--require-hashes", "-r", str(folder / "build.txt")]
        run_step("installing what builds packages", step, remedy=remedy, env=env)
        step = [*pip, "--require-hashes", "--no-build-isolation", "--use-pep517", "-r", str(folder / lock)]
        run_step(f"installing the locked packages ({lock})", step, remedy=remedy, env=env)
        step = [*pip, "--no-index", "--no-build-isolation", "--editable", str(self.root)]
        remedy = "see that the files of this checkout are whole (git status), and run this again."
        run_step("installing operator-console itself", step, remedy=remedy, env=env)

    def _remove_what_is_not_locked(self, env: dict[str, str]) -> None:
        """Takes out what an older lock had put in; not done in an environment that somebody else made."""
        done = subprocess.run(
            [self.python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, env=env
        )
        installed = {canonical(line.partition("==")[0]) for line in done.stdout.splitlines() if "==" in line}
        extra = sorted(installed - self.locked_names() - {"pip", "operator-console"})
        if extra:
            remedy = "remove .venv and run this again."
            step = [self.python, "-m", "pip", "uninstall", "-y", *extra]
            run_step(f"removing what is no longer locked: {', '.join(extra)}", step, remedy=remedy, env=env)

    def locked_names(self) -> set[str]:
        """The names of everything in the locks."""
        texts = [path.read_text() for path in (self.root / "packaging" / "lock").glob("*.txt")]
        return {canonical(name) for text in texts for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}


def canonical(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def pip_env() -> dict[str, str]:
    """The environment with what would lead pip out of .venv taken away; its index settings stay the person's."""
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME", "PIP_USER"}}
    return {**env, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1"}
