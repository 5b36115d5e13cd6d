"""X servers (Xvfb, and Xephyr nested in one) and the window manager that runs on each.

Display numbers are chosen by the server (-displayfd), so workers never collide.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

from Xlib import X
from Xlib.display import Display
from Xlib.protocol.event import ClientMessage

from tests.display.rig.processes import DEADLINE_S, Child, RigError, wait_until

_INHERITED = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "PYTHONPATH")

_OPENBOX_RC = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
  <placement><policy>Smart</policy><center>no</center></placement>
  <theme><name>Clearlooks</name><animateIconify>no</animateIconify></theme>
  <desktops><number>1</number></desktops>
  <keyboard/>
  <mouse>
    <dragThreshold>4</dragThreshold><doubleClickTime>300</doubleClickTime>
    <context name="Titlebar">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
    </context>
    <context name="Close"><mousebind button="Left" action="Click"><action name="Close"/></mousebind></context>
    <context name="Iconify"><mousebind button="Left" action="Click"><action name="Iconify"/></mousebind></context>
    <context name="Maximize">
      <mousebind button="Left" action="Click"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Middle" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Right" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
  </mouse>
</openbox_config>
"""


def running_test_env() -> dict[str, str]:
    """What tests/conftest.py gives the running test and its processes must have: home, mark, no keyring."""
    names = ("OPERATOR_CONSOLE_HOME", "OPERATOR_CONSOLE_TEST_MARK", "PYTHON_KEYRING_BACKEND")
    return {name: os.environ[name] for name in names if name in os.environ}


def clean_env(home: Path, **extra: str) -> dict[str, str]:
    """An environment with nothing of this machine's session in it: private HOME and XDG folders, UTF-8."""
    env = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    runtime = home / "runtime"
    runtime.mkdir(parents=True, exist_ok=True)
    runtime.chmod(0o700)
    env |= {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_RUNTIME_DIR": str(runtime),
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "GSETTINGS_BACKEND": "memory",
        "GIO_USE_VFS": "local",
        "NO_AT_BRIDGE": "1",
        "GTK_MODULES": "",
        "LIBGL_ALWAYS_SOFTWARE": "1",
    }
    return env | extra


@dataclass(slots=True, kw_only=True)
class XServer:
    """A running X server. ``env`` is what a client of it needs; os.environ is never changed."""

    name: str
    child: Child
    size: tuple[int, int]
    env: dict[str, str]

    def stop(self) -> None:
        self.child.stop()


def server_of_another(name: str, size: tuple[int, int], folder: Path) -> XServer:
    """A server that the product has started, and ends: for a client that judges what arrives there."""
    env = {**clean_env(folder / "home"), "DISPLAY": name}
    return XServer(name=name, child=MagicMock(spec=Child), size=size, env=env)


def _start_server(args: Sequence[str], name_part: str, env: Mapping[str, str], folder: Path) -> tuple[str, Child]:
    """Starts a server with ``-displayfd`` and returns its display name once it takes connections."""
    if shutil.which(args[0]) is None:
        raise RigError(f"{args[0]} is not installed; run packaging/bootstrap.py test")
    read_fd, write_fd = os.pipe()
    try:
        # A killed test run takes its servers with it, and these their applications.
        child = Child(
            ["setpriv", "--pdeathsig", "TERM", *args, "-displayfd", str(write_fd)],
            env=env,
            log=folder / f"{name_part}.log",
            pass_fds=[write_fd],
        )
        os.close(write_fd)
        write_fd = -1
        text = b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([read_fd], [], [], DEADLINE_S)
            chunk = os.read(read_fd, 64) if ready else b""
            if not chunk:
                child.stop()
                raise RigError(f"{args[0]} did not start:\n{child.log_text()[-2000:]}")
            text += chunk
    finally:
        os.close(read_fd)
        if write_fd >= 0:
            os.close(write_fd)
    return f":{text.decode().strip()}", child


def start_xvfb(
    folder: Path, *, size: tuple[int, int] = (1280, 800), options: Sequence[str] = (), within: Sequence[str] = ()
) -> XServer:
    """Xvfb with one 24-bit screen of ``size`` pixels; ``options`` end its command line, ``within`` begins it."""
    home = folder / "home"
    env = clean_env(home)
    width, height = size
    args = [
        *within,
        "Xvfb",
        "-screen",
        "0",
        f"{width}x{height}x24",
        "-nolisten",
        "tcp",
        "-noreset",
        "-dpi",
        "96",
        *options,
    ]
    name, child = _start_server(args, "xvfb", env, folder)
    return XServer(name=name, child=child, size=size, env=clean_env(home, DISPLAY=name))


def start_xserver(args: Sequence[str], name_part: str, folder: Path, *, size: tuple[int, int]) -> XServer:
    """Another X server, by its command line without a display."""
    home = folder / "home"
    name, child = _start_server(args, name_part, clean_env(home), folder)
    return XServer(name=name, child=child, size=size, env=clean_env(home, DISPLAY=name))


def start_xephyr(outer: XServer, folder: Path) -> XServer:
    """Xephyr filling ``outer``: input sent to the outer display arrives here from a real (not XTEST) device.

    The outer display needs no window manager: focus follows the pointer root, and the window covers the screen.
    """
    home = folder / "home"
    width, height = outer.size
    # Without -no-host-grab Ctrl+Shift would toggle a grab of the outer keyboard.
    args = ["Xephyr", "-screen", f"{width}x{height}", "-no-host-grab", "-nolisten", "tcp", "-noreset", "-dpi", "96"]
    name, child = _start_server(args, "xephyr", clean_env(home, DISPLAY=outer.name), folder)
    return XServer(name=name, child=child, size=outer.size, env=clean_env(home, DISPLAY=name))


def start_openbox(server: XServer, folder: Path) -> Child:
    """Openbox with a private minimal configuration; returns once it manages windows."""
    rc = folder / "openbox-rc.xml"
    rc.write_text(_OPENBOX_RC)
    args = ["openbox", "--sm-disable", "--config-file", str(rc)]
    # At each change of the keyboard it reads the compose table again, which typing borrowed keys makes many of.
    child = Child(args, env={**server.env, "XCOMPOSEFILE": os.devnull}, log=folder / "openbox.log")
    display = Display(server.name)
    try:
        probe = display.screen().root.create_window(-10, -10, 1, 1, 0, X.CopyFromParent)
        wait_until(lambda: child.checked() and _managed(display, probe), "openbox to manage windows")
    except BaseException:
        child.stop()
        raise
    finally:
        display.close()
    return child


def _managed(display: Display, probe: Any) -> bool:
    """Whether a window manager answers for a window that is not mapped (_NET_REQUEST_FRAME_EXTENTS of EWMH).

    Openbox names itself on the root window some time before it reads requests, and those sent in between are lost: a
    window mapped then never appears.
    """
    if probe.get_full_property(display.intern_atom("_NET_FRAME_EXTENTS"), X.AnyPropertyType) is not None:
        return True
    request = ClientMessage(
        window=probe, client_type=display.intern_atom("_NET_REQUEST_FRAME_EXTENTS"), data=(32, [0] * 5)
    )
    display.screen().root.send_event(request, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
    display.flush()
    return False


def xdotool(server: XServer, *args: str) -> str:
    """Runs xdotool against one server and returns what it printed."""
    done = subprocess.run(["xdotool", *args], env=server.env, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RigError(f"xdotool {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout.strip()
