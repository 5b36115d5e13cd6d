"""Writes packaging/lock/: exact versions and hashes for Python 3.11 to 3.13 on Linux, macOS and Windows.

    .venv/bin/python packaging/lock.py              after a change of dependencies
    .venv/bin/python packaging/lock.py --upgrade    to take newer versions

Needs ``uv`` (in .venv or on PATH) and the network. The files name no package index: pip uses the one it is configured
for, and the hashes make sure that it serves the locked files.

build.txt   builds this project and those of its dependencies that come as source only
app.txt     the application's packages
dev.txt     app.txt and the packages for tests and checks
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK_DIR = ROOT / "packaging" / "lock"

_COMMON = (
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-annotate",
    "--no-header",
    "--quiet",
)


def compile_lock(uv: str, name: str, *args: str) -> None:
    """Write one lock file. Versions in an existing file are kept unless ``--upgrade`` is among ``args``."""
    command = [uv, "pip", "compile", "pyproject.toml", *_COMMON, *args, "-o", str(LOCK_DIR / name)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print(f"wrote packaging/lock/{name}", flush=True)


def main() -> int:
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        print("uv is not installed. Install it (pip install uv), then run this again.", file=sys.stderr)
        return 2
    upgrade = [argument for argument in sys.argv[1:] if argument == "--upgrade"]
    LOCK_DIR.mkdir(exist_ok=True)
    compile_lock(uv, "dev.txt", "--group=dev", *upgrade)
    compile_lock(uv, "app.txt", f"--constraints={LOCK_DIR / 'dev.txt'}", *upgrade)
    command = [uv, "pip", "compile", *_COMMON, *upgrade, "--group=pyproject.toml:build"]
    command += ["-o", str(LOCK_DIR / "build.txt")]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print("wrote packaging/lock/build.txt", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
