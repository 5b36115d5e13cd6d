"""Starts a virtual display (Xvfb with openbox) for one command, on machines without a display.

For the set-up only. The application's virtual desktop target is operator_console/desktop/x11/virtual_desktop.py.
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
    """Whether windows can be shown here."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def virtual_display() -> Iterator[dict[str, str]]:
    """Run Xvfb and openbox; yields the environment for programs that should appear on that display.

    Raises:
        SetupError: Xvfb or openbox is not installed or did not start.
    """
    for program in ("Xvfb", "openbox"):
        if shutil.which(program) is None:
            raise SetupError(f"There is no display, and a virtual one needs {program}. Install {program}.")
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
        raise SetupError("Xvfb did not start. Run it yourself (Xvfb :9) to see its error message.")
    return f":{number}"


def _wait_for_manager(env: dict[str, str]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        question = ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]
        done = subprocess.run(question, env=env, capture_output=True, text=True)
        if "window id" in done.stdout:
            return
        time.sleep(0.05)
    raise SetupError("openbox did not start on the virtual display. Run it yourself to see its error message.")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
        return
    process.kill()
    process.wait()
