"""An IBus daemon on a desktop of the rig, with an engine that composes; and what a person does with it.

Asked through libibus's own command `ibus`, never through the product's code.
"""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from pathlib import Path

from tests.display.rig.desktop import Desktop
from tests.display.rig.processes import Child, processes_with_env, wait_until

COMPOSER, PLAIN = "rig-composer", "xkb:us::eng"
_PROGRAM = Path(__file__).with_name("composer_main.py")
_MARK = "OPERATOR_CONSOLE_RIG"

_COMPONENT = """<component>
  <name>org.freedesktop.IBus.{name}</name><description>composes</description><version>1</version>
  <license>Apache-2.0</license><author>rig</author><homepage/><textdomain/>
  <exec>/usr/bin/python3 {program} org.freedesktop.IBus.{name} {name}</exec>
  <engines><engine>
    <name>{name}</name><longname>{name}</longname><description>composes</description><language>zh</language>
    <license>Apache-2.0</license><author>rig</author><icon/><layout>default</layout><rank>1</rank>
  </engine></engines>
</component>
"""


class InputMethod:
    """``env`` is for applications that are to take part (Qt's need ``config`` too); ``address``: the daemon's."""

    def __init__(self, desktop: Desktop) -> None:
        folder = desktop.folder / f"ibus-{uuid.uuid4().hex[:8]}"
        components = folder / "components"
        components.mkdir(parents=True)
        (components / "composer.xml").write_text(_COMPONENT.format(name=COMPOSER, program=_PROGRAM))
        (components / "simple.xml").symlink_to("/usr/share/ibus/component/simple.xml")
        self._desktop = desktop
        self._mark = uuid.uuid4().hex
        private = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "CACHE", "DATA")}
        self._env = {**desktop.server.env, **private, _MARK: self._mark, "IBUS_COMPONENT_PATH": str(components)}
        self._children: list[Child] = []
        try:
            self._start(folder)
        except BaseException:
            self.close()
            raise
        self.env = {
            "IBUS_ADDRESS": self.address,
            "DBUS_SESSION_BUS_ADDRESS": self._env["DBUS_SESSION_BUS_ADDRESS"],
            "GTK_IM_MODULE": "ibus",
            "QT_IM_MODULE": "ibus",
            "XMODIFIERS": "@im=ibus",
        }
        # Qt finds the daemon by its file alone.
        self.config = {"XDG_CONFIG_HOME": private["XDG_CONFIG_HOME"]}

    @property
    def daemon(self) -> Child:
        return self._children[-1]

    def choose(self, engine: str) -> None:
        """As from the panel's menu."""
        self._ibus("engine", engine)  # its exit code tells of the layout, which it may not change here
        wait_until(lambda: self.engine() == engine, f"the engine {engine}")

    def engine(self) -> str:
        """The person's engine now; "" for none."""
        return self._ibus("engine")

    def close(self) -> None:
        """Ends both daemons and what they started, by id."""
        for child in reversed(self._children):
            child.stop()
        for pid in processes_with_env(f"{_MARK}={self._mark}"):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not processes_with_env(f"{_MARK}={self._mark}"), "the input method to end")

    def _start(self, folder: Path) -> None:
        read_fd, write_fd = os.pipe()
        try:
            bus = ["dbus-daemon", "--session", "--nofork", f"--print-address={write_fd}"]
            self._children.append(Child(bus, env=self._env, log=folder / "dbus.log", pass_fds=[write_fd]))
        finally:
            os.close(write_fd)
        with os.fdopen(read_fd) as pipe:
            self._env["DBUS_SESSION_BUS_ADDRESS"] = pipe.readline().strip()
        off = [f"--{part}=disable" for part in ("panel", "config", "emoji-extension")]
        daemon = ["ibus-daemon", "--xim", "--cache=none", *off]
        self._children.append(Child(daemon, env=self._env, log=folder / "ibus.log"))
        self.address = wait_until(lambda: self._ibus("address") if self.daemon.checked() else "", "ibus-daemon")
        self._env["IBUS_ADDRESS"] = self.address
        # A program such as xterm that starts before this one never takes part.
        wait_until(lambda: self._desktop.selection_owner("@server=ibus"), "IBus's XIM server")

    def _ibus(self, *args: str) -> str:
        done = subprocess.run(["ibus", *args], env=self._env, capture_output=True, text=True, timeout=30)
        said = done.stdout.strip()
        return "" if done.returncode or said == "(null)" else said
