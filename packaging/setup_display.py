"""A virtual display for machines without one: Xvfb and openbox, for as long as one command runs.

Only bootstrap.py uses it; the application has its own virtual desktop target.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from setup_progress import SetupError

SIZE = "1440x900"
DEADLINE_S = 30.0


def has_display() -> bool:
    """Whether a person would see a window here."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def virtual_display() -> Iterator[dict[str, str]]:
    """Starts both, gives the environment for what is to run on them, and ends both.

    Raises:
        SetupError: One is missing or did not start.
    """
    for program in ("Xvfb", "openbox"):
        if shutil.which(program) is None:
            raise SetupError(f"There is no display, and {program} is not installed to make a virtual one. Install it.")
    read_fd, write_fd = os.pipe()
    arguments = ["Xvfb", "-displayfd", str(write_fd), "-screen", "0", f"{SIZE}x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(
        arguments, pass_fds=[write_fd], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(write_fd)
    try:
        env = {**os.environ, "DISPLAY": _display_name(read_fd)}
        env.pop("XAUTHORITY", None)
        manager = subprocess.Popen(
            ["openbox", "--sm-disable"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for_manager(env)
            yield env
        finally:
            _end(manager)
    finally:
        os.close(read_fd)
        _end(server)


def _display_name(read_fd: int) -> str:
    ready, _, _ = select.select([read_fd], [], [], DEADLINE_S)
    number = os.read(read_fd, 64).decode().strip() if ready else ""
    if not number:
        raise SetupError("Xvfb did not start. Run it by hand (Xvfb :9) and read what it says.")
    return f":{number}"


def _wait_for_manager(env: dict[str, str]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        question = ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]
        done = subprocess.run(question, env=env, capture_output=True, text=True)
        if "window id" in done.stdout:
            return
        time.sleep(0.05)
    raise SetupError("openbox did not start on the virtual display. Run it by hand and read what it says.")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
        return
    process.kill()
    process.wait()
