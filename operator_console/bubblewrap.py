"""What a sandbox of bubblewrap shows of this computer: its system folders and this Python, read-only.

Stands beside domain and imports the standard library only, so any package may import it.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path


def system_folders(from_etc: Sequence[str]) -> list[str]:
    """The arguments of bwrap that show /usr, the folders beside it, and these entries of /etc.

    The rest of /etc may hold keys, which root of this machine could read.
    """
    words = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        place = Path("/", name)
        if place.is_symlink():
            words += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            words += ["--ro-bind", str(place), str(place)]
    for name in from_etc:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return words


def interpreter() -> tuple[str, list[Path]]:
    """This Python, for use in the sandbox, and what must be shown there for it."""
    real = Path(sys.executable).resolve()
    folders = [Path(sysconfig.get_path("stdlib")).resolve(), real]
    if libraries := sysconfig.get_config_var("LIBDIR"):
        folders += Path(libraries).glob("libpython*.so*")
    return str(real), [each for each in folders if not each.is_relative_to("/usr")]
