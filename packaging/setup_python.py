"""Finds a supported Python and fills the project's .venv with exactly the locked packages.

Standard library only, and valid Python 3.9: it also runs before a supported Python is installed.
"""

from __future__ import annotations

import compileall
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
    """The path of a supported Python: this one, else the newest on PATH that starts; None if there is none."""
    if fits(sys.version_info[:2]):
        return sys.executable
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        candidate = shutil.which(f"python3.{minor}")
        if candidate is not None and fits(_version(candidate)):
            return candidate
    return None


def venv_packages() -> list[str]:
    """The system packages that are missing before this Python can create a virtual environment."""
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
        """Whether the packages for ``command`` are installed from the current lock; ``test`` includes ``run``."""
        try:
            stamp = json.loads(self._stamp.read_text())
        except (OSError, ValueError):
            return False
        if not Path(self.python).exists() or stamp.get("digest") != self.digest():
            return False
        return stamp.get("command") in {command, "test"}

    def digest(self) -> str:
        """A hash of the lock files, pyproject.toml, the Python version and the folder."""
        found = hashlib.sha256()
        for path in [*sorted((self.root / "packaging" / "lock").glob("*.txt")), self.root / "pyproject.toml"]:
            found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        found.update(f"{sys.version_info[:2]} {self.folder}".encode())
        return found.hexdigest()

    def provide(self, command: str) -> None:
        """Create the environment and install the locked packages, unless that was done already.

        Raises:
            SetupError: A step failed.
        """
        if self.ready(command):
            say("  .venv: up to date")
            self._compile()
            return
        if (self.folder / "pyvenv.cfg").exists() and _version(self.python) != sys.version_info[:2]:
            say("  .venv was created with another Python version: creating it again")
            shutil.rmtree(self.folder)
        env = pip_env()
        if not Path(self.python).exists():
            remedy = "install venv and ensurepip for this Python (Debian: python3-venv), then run this again."
            make = [sys.executable, "-m", "venv", str(self.folder)]
            run_step("creating .venv", make, remedy=remedy, env=env)
            self._made_here.touch()
        self._stamp.unlink(missing_ok=True)
        self._install(LOCK_FILES[command], env)
        if self._made_here.exists():
            self._remove_what_is_not_locked(env)
        self._stamp.write_text(json.dumps({"digest": self.digest(), "command": command}))
        self._compile()

    def _compile(self) -> None:
        """Write the bytecode of the checkout, which pip does for packages only; what is up to date stays.

        A first start without it takes twice the time. A folder that cannot be written is no error.
        """
        compileall.compile_dir(self.root / "operator_console", quiet=2)  # this Python is the one of the environment

    def _install(self, lock: str, env: dict[str, str]) -> None:
        pip = [self.python, "-m", "pip", "install", "--no-deps", "--no-input", "--progress-bar", "off"]
        folder = self.root / "packaging" / "lock"
        remedy = "check the network and pip's configuration, then run this again."
        step = [*pip, "--require-hashes", "-r", str(folder / "build.txt")]
        run_step("installing the build tools", step, remedy=remedy, env=env)
        step = [*pip, "--require-hashes", "--no-build-isolation", "--use-pep517", "-r", str(folder / lock)]
        run_step(f"installing the locked packages ({lock})", step, remedy=remedy, env=env)
        step = [*pip, "--no-index", "--no-build-isolation", "--editable", str(self.root)]
        remedy = "check that no file of this checkout is missing (git status), then run this again."
        run_step("installing operator-console", step, remedy=remedy, env=env)

    def _remove_what_is_not_locked(self, env: dict[str, str]) -> None:
        """Uninstall packages that an older lock had installed. Only for environments that this module created."""
        done = subprocess.run(
            [self.python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, env=env
        )
        installed = {canonical(line.partition("==")[0]) for line in done.stdout.splitlines() if "==" in line}
        extra = sorted(installed - self.locked_names() - {"pip", "operator-console"})
        if extra:
            remedy = "delete .venv, then run this again."
            step = [self.python, "-m", "pip", "uninstall", "-y", *extra]
            run_step(f"removing packages that are no longer locked: {', '.join(extra)}", step, remedy=remedy, env=env)

    def locked_names(self) -> set[str]:
        """The normalised names of all locked packages."""
        texts = [path.read_text() for path in (self.root / "packaging" / "lock").glob("*.txt")]
        return {canonical(name) for text in texts for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}


def canonical(name: str) -> str:
    """The normalised name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def pip_env() -> dict[str, str]:
    """The environment for pip without variables that make it install outside .venv. Index settings are kept."""
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME", "PIP_USER"}}
    return {**env, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1"}
