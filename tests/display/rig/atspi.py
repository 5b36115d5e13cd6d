"""A session bus with accessibility on a desktop of the rig, and its client: find by name and role, press, type, read.

What a screen reader sees and does; the product is driven by it in tests as a person with one would. The client runs
under Debian's Python (``gi``), so nothing of the product's environment is used.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.display.rig.desktop import Desktop
from tests.display.rig.processes import DEADLINE_S, Child, RigError, processes_with_env, wait_until
from tests.display.rig.server import running_test_env

_PROGRAM = Path(__file__).with_name("atspi_main.py")
_SYSTEM_PYTHON = "/usr/bin/python3"
_BUS_LAUNCHER = "/usr/libexec/at-spi-bus-launcher"
_RIG_MARK = "OPERATOR_CONSOLE_RIG"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accessible:
    """One node as it was when it was found; `place` is its owner and path on the accessibility bus.

    ``extents`` are x, y, width, height in root pixels.
    """

    place: tuple[str, str]
    name: str
    role: str
    description: str
    states: frozenset[str]
    labelled_by: tuple[str, ...]
    extents: tuple[int, int, int, int] | None
    text: str | None
    value: float | None
    actions: tuple[str, ...]

    @property
    def enabled(self) -> bool:
        return {"enabled", "sensitive"} <= self.states

    @property
    def checked(self) -> bool:
        return "checked" in self.states

    @property
    def centre(self) -> tuple[int, int]:
        assert self.extents is not None
        x, y, width, height = self.extents
        return x + width // 2, y + height // 2


class AccessibleSession:
    """A D-Bus session with the accessibility bus, for one desktop. ``env`` is for the applications to be driven."""

    def __init__(self, desktop: Desktop) -> None:
        self._mark = f"{_RIG_MARK}={uuid.uuid4().hex}"
        self.env: dict[str, str] = {
            # Not desktop.env: the session outlives tests, what it starts must not look like one test's own.
            **desktop.server.env,
            _RIG_MARK: self._mark.partition("=")[2],
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "QT_ACCESSIBILITY": "1",
            "QT_QPA_PLATFORM": "xcb",
            "GTK_MODULES": "gail:atk-bridge",
            "NO_AT_BRIDGE": "0",  # not merely absent: this environment is added to the desktop's, which has it
        }
        self._children: list[Child] = []
        self._client: subprocess.Popen[str] | None = None
        try:
            self._start(desktop.folder)
        except BaseException:
            self.close()
            raise

    # -- the tree -------------------------------------------------------------------------------------------

    def apps(self) -> list[int]:
        """The process ids of the applications on the accessibility bus."""
        found: list[int] = self._ask({"do": "apps"})
        return found

    def find_all(
        self, name: str | None = None, role: str | None = None, *, pid: int | None = None, showing: bool = True
    ) -> list[Accessible]:
        """Every node with that accessible name (its own, or its label's) and role."""
        return [_accessible(n) for n in self._ask(_query(name, role, pid, showing))]

    def names(self, pid: int) -> list[str]:
        """The names of all that shows in an application."""
        found: list[str] = self._ask({"do": "names", "pid": pid})
        return found

    def find(
        self, name: str | None = None, role: str | None = None, *, pid: int | None = None, showing: bool = True
    ) -> Accessible | None:
        """The only such node, or None.

        Raises:
            RigError: There are several.
        """
        found = self.find_all(name, role, pid=pid, showing=showing)
        if len(found) > 1:
            raise RigError(f"{len(found)} nodes are {role or 'anything'} {name!r}: {[(n.role, n.name) for n in found]}")
        return found[0] if found else None

    def wait(
        self,
        name: str | None = None,
        role: str | None = None,
        *,
        pid: int | None = None,
        showing: bool = True,
        enabled: bool = False,
        timeout_s: float = DEADLINE_S,
    ) -> Accessible:
        """Waits until there is exactly such a node (and, on request, it can be used)."""

        def seen() -> Accessible | None:
            node = self.find(name, role, pid=pid, showing=showing)
            return node if node is not None and (node.enabled or not enabled) else None

        found = wait_until(seen, f"an accessible {role or 'node'} {name!r}", timeout_s=timeout_s, interval_s=0.15)
        assert found is not None
        return found

    def wait_gone(self, name: str, role: str | None = None, *, pid: int | None = None) -> None:
        wait_until(lambda: not self.find_all(name, role, pid=pid), f"{name!r} to go", interval_s=0.15)

    def again(self, node: Accessible) -> Accessible:
        """The same node as it is now.

        Raises:
            RigError: It is no longer there.
        """
        return _accessible(self._ask({"do": "describe", "place": node.place}))

    # -- hands ----------------------------------------------------------------------------------------------

    def press(self, node: Accessible, action: str | None = None) -> None:
        """Does the node's default action (a button's Press, a check box's Toggle), as a screen reader would."""
        self._do({"do": "press", "place": node.place, "action": action})

    def set_text(self, node: Accessible, text: str) -> None:
        self._do({"do": "set_text", "place": node.place, "text": text})

    def set_value(self, node: Accessible, value: float) -> None:
        self._do({"do": "set_value", "place": node.place, "value": value})

    def selection(self, node: Accessible) -> tuple[int, int]:
        """The selected part of a node's text: its first character, and the one after it."""
        start, end = self._ask({"do": "selection", "place": node.place})
        return start, end

    def has_child(self, node: Accessible, index: int) -> bool:
        """Whether there is a child of that number, asked as a reader asks that has counted them before."""
        owner, path = self._ask({"do": "child", "place": node.place, "index": index})
        return bool(owner) and not path.endswith("/null")

    def _do(self, request: Mapping[str, Any]) -> None:
        if not self._ask(request):
            raise RigError(f"the application refused: {request}")

    # -- life -----------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Ends the client, both buses and whatever these activated, by id."""
        if self._client is not None:
            assert self._client.stdin is not None
            assert self._client.stdout is not None
            self._client.stdin.close()
            self._client.wait(DEADLINE_S)
            self._client.stdout.close()
            self._client = None
        for child in reversed(self._children):
            child.stop()
        for pid in processes_with_env(self._mark):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not processes_with_env(self._mark), "the accessibility session to end")

    def _start(self, folder: Path) -> None:
        read_fd, write_fd = os.pipe()
        try:
            bus = ["dbus-daemon", "--session", "--nofork", f"--print-address={write_fd}"]
            self._children.append(Child(bus, env=self.env, log=folder / "dbus.log", pass_fds=[write_fd]))
        finally:
            os.close(write_fd)
        with os.fdopen(read_fd) as pipe:
            address = pipe.readline().strip()
        if not address:
            raise RigError(f"dbus-daemon did not start:\n{self._children[0].log_text()}")
        self.env["DBUS_SESSION_BUS_ADDRESS"] = address
        launcher = [_BUS_LAUNCHER, "--launch-immediately"]
        # Its socket is named after the display; in one folder it would take the place of another session's.
        runtime = folder / f"runtime-{self._mark[-8:]}"
        runtime.mkdir(mode=0o700)
        apart = {**self.env, "XDG_RUNTIME_DIR": str(runtime)}
        self._children.append(Child(launcher, env=apart, log=folder / "atspi.log"))
        self._client = subprocess.Popen(
            [_SYSTEM_PYTHON, str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.env,
        )
        self.apps()
        # Applications look there first, and would find this bus, or what is left of it, from another session too.
        self._address = self._root("-notype", "AT_SPI_BUS").partition('"')[2].rstrip('"\n')
        self._root("-remove", "AT_SPI_BUS")

    @contextlib.contextmanager
    def announced(self) -> Iterator[None]:
        """The root window says where the accessibility bus is, as in a person's session. Qt 5 needs that."""
        self._root("-f", "AT_SPI_BUS", "8s", "-set", "AT_SPI_BUS", self._address)
        yield
        self._root("-remove", "AT_SPI_BUS")

    def _root(self, *args: str) -> str:
        command = ["xprop", "-root", *args]
        return subprocess.run(command, env=self.env, check=True, capture_output=True, text=True).stdout

    def _ask(self, request: Mapping[str, Any]) -> Any:
        assert self._client is not None
        assert self._client.stdin is not None
        assert self._client.stdout is not None
        self._client.stdin.write(json.dumps(request) + "\n")
        self._client.stdin.flush()
        line = self._client.stdout.readline()
        if not line:
            raise RigError(f"the accessibility client ended with {self._client.wait()}")
        reply = json.loads(line)
        if "error" in reply:
            raise RigError(f"{request}: {reply['error']}")
        return reply["ok"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessibleDesktop:
    """A desktop and its accessibility session; start what is to be driven with ``env``."""

    desktop: Desktop
    tree: AccessibleSession

    @property
    def env(self) -> dict[str, str]:
        """Environment for an application that is to be driven; carries the running test's mark and home."""
        return {**self.tree.env, **running_test_env()}


def _query(name: str | None, role: str | None, pid: int | None, showing: bool) -> dict[str, Any]:
    return {"do": "find", "name": name, "role": role, "pid": pid, "showing": showing}


def _accessible(raw: Mapping[str, Any]) -> Accessible:
    return Accessible(
        place=tuple(raw["place"]),
        name=raw["name"],
        role=raw["role"],
        description=raw["description"],
        states=frozenset(raw["states"]),
        labelled_by=tuple(raw["labelled_by"]),
        extents=tuple(raw["extents"]) if raw["extents"] is not None else None,
        text=raw["text"],
        value=raw["value"],
        actions=tuple(raw["actions"]),
    )
