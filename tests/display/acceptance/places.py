"""Where the task of test_targets.py is done: one window (work_window.py) on each kind of target.

A place is entered as a context, with a folder of its own and the window's program, which Debian's Python runs; the
window, titled *Work*, is there, or comes with the session. What it tells is read from a folder that it is given.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from operator_console.domain.geometry import NativePoint, Size
from tests.display.rig import AccessibleSession, Application, Desktop, desktop_of_its_own, launch, wait_until
from tests.display.vm.viewers import box_of, paint
from tests.display.vnc.machine import Machine

WINDOW = Path(__file__).with_name("work_window.py")
SIZE = (960, 720)
"""Of each screen: fewer pixels than a model's grid has points, so that a model can name every pixel."""
AROUND = (1200, 900)
"""Of the screen on which a viewer shows such a screen."""
_PASTES = "[vnc]\npaste = true\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A target with the window on it.

    Attributes:
        host: the desktop of the person, on which the console runs.
        target: its specification.
        folder: what the window writes.
        size: of the picture that the model gets.
        origin: its corner on the window's screen.
        options: of `run`.
        env: variables of the console.
        settings: its settings file.
        note: a text that can arrive there.
    """

    host: Desktop
    target: str
    folder: Path
    size: Size = Size(*SIZE)
    origin: tuple[int, int] = (0, 0)
    options: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    settings: str = ""
    note: str = "Zażółć gęślą jaźń — 你好, “quoted” 100% €"

    def box(self, part: str) -> tuple[int, int, int, int]:
        """Where a part of the window is on its screen, x, y, width, height, once it has told."""
        found = wait_until(lambda: self._told("places.json").get(part), f"the window to tell where {part} is")
        assert found is not None
        x, y, width, height = found
        return x, y, width, height

    def centre(self, part: str) -> tuple[int, int]:
        """The middle of a part on the window's screen."""
        x, y, width, height = self.box(part)
        return x + width // 2, y + height // 2

    def at(self, part: str) -> NativePoint:
        """The same in the picture that the model gets."""
        x, y = self.centre(part)
        return NativePoint(x - self.origin[0], y - self.origin[1])

    def saved(self) -> dict[str, Any]:
        """What was saved by the menu, once it was."""
        found = wait_until(lambda: self._told("saved.json"), "the window to save")
        assert found is not None
        return found

    def pointer(self) -> list[tuple[str, float, float]]:
        """Presses and releases as the window was told of them, on its screen."""
        file = self.folder / "pointer.txt"
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [(kind, float(x), float(y)) for kind, x, y in lines]

    def _told(self, name: str) -> dict[str, Any]:
        file = self.folder / name
        return dict(json.loads(file.read_text("utf-8"))) if file.exists() else {}


def _opened(desktop: Desktop, window: Path, folder: Path, env: Mapping[str, str]) -> Application:
    command = ["/usr/bin/python3", str(window), str(folder)]
    return launch(desktop, command, title="Work", env=env)


@contextmanager
def _accessible(folder: Path, size: tuple[int, int] = SIZE) -> Iterator[tuple[Desktop, Mapping[str, str]]]:
    """A desktop whose display names its accessibility bus, and variables of programs that tell of their controls."""
    with desktop_of_its_own(folder, size) as desktop:
        session = AccessibleSession(desktop)
        try:
            with session.announced():
                yield desktop, session.env
        finally:
            session.close()


def _made(folder: Path) -> Path:
    """For what the window writes."""
    work = folder / "work"
    work.mkdir()
    return work


@contextmanager
def on_a_monitor(folder: Path, program: Path = WINDOW) -> Iterator[Place]:
    work = _made(folder)
    with _accessible(folder) as (desktop, env):
        _opened(desktop, program, work, env)
        yield Place(host=desktop, target="monitor:1", folder=work, env=env)


@contextmanager
def in_a_window(folder: Path, program: Path = WINDOW) -> Iterator[Place]:
    work = _made(folder)
    with _accessible(folder) as (desktop, env):
        now = _opened(desktop, program, work, env).now()
        yield Place(
            host=desktop, target=f"window:{now.xid:#x}", folder=work, size=Size(now.width, now.height),
            origin=(now.x, now.y), env=env,
        )  # fmt: skip


@contextmanager
def on_an_isolated_desktop(folder: Path, program: Path = WINDOW) -> Iterator[Place]:
    """The window is installed in the home folder that the desktop keeps, and writes what goes out of it."""
    home = folder / "console" / "virtual-homes" / "work"
    entries = home / ".local" / "share" / "applications"
    entries.mkdir(parents=True)
    shutil.copy(program, home)
    command = f"/usr/bin/python3 {home / program.name} {home / 'Shared'}"
    (entries / "work.desktop").write_text(f"[Desktop Entry]\nType=Application\nName=Work\nExec={command}\n")
    width, height = SIZE
    with desktop_of_its_own(folder, SIZE) as desktop:
        yield Place(
            host=desktop, target=f"virtual:{width}x{height}", folder=folder / "session.files",
            options=("--session", str(folder / "session.ocsession")),
            settings='[virtual]\nprograms = ["Work"]\nkeep = "work"\n',
        )  # fmt: skip


@contextmanager
def over_vnc(folder: Path, program: Path = WINDOW) -> Iterator[Place]:
    """What no key of the machine types goes through its clipboard."""
    work = _made(folder)
    with _machine(folder) as machine, desktop_of_its_own(folder, SIZE) as desktop:
        _opened(machine.desktop, program, work, {})
        yield Place(host=desktop, target=f"vnc:127.0.0.1:{machine.port}", folder=work, settings=_PASTES)


@contextmanager
def in_a_viewer(folder: Path, program: Path = WINDOW, *, positions: bool = False) -> Iterator[Place]:
    """In the window of TigerVNC's viewer, which passes characters on, or of one that passes the positions of keys."""
    work = _made(folder)
    options = ("-AcceptSetDesktopSize=0", f"-RawKeyboard={int(positions)}", "-desktop", "suite")
    with _machine(folder, options) as machine, _accessible(folder, AROUND) as (desktop, env):
        paint(machine)
        tigervnc = ["vncviewer", "-RemoteResize=0", f"127.0.0.1::{machine.port}"]
        command = ["remote-viewer", f"vnc://127.0.0.1:{machine.port}"] if positions else tigervnc
        shown = launch(desktop, command, title="(1)" if positions else " - TigerVNC", env=env)
        wait_until(lambda: box_of(desktop, shown).size == Size(*SIZE), "the machine's screen in the viewer")
        _opened(machine.desktop, program, work, {})
        there = Place(host=desktop, target=f"vm:{shown.window.xid:#x}", folder=work, env=env, settings=_PASTES)
        if positions:  # its clipboard takes no Unicode
            machine.desktop.set_layout("de")
            german = '[machines."vm:suite"]\nlayout = "de"\n'
            there = replace(there, settings=german, note="Größe: 20 °C, äöüÄÖÜß§µ²³ @€ yz {[]}")
        yield there


@contextmanager
def _machine(folder: Path, options: Sequence[str] = ()) -> Iterator[Machine]:
    machine = Machine(folder=folder / "machine", size=SIZE, options=options)
    machine.start()
    try:
        yield machine
    finally:
        machine.stop()


PLACES: Mapping[str, Callable[..., AbstractContextManager[Place]]] = {
    "monitor": on_a_monitor,
    "window": in_a_window,
    "virtual": on_an_isolated_desktop,
    "vnc": over_vnc,
    "vm": in_a_viewer,
    "vm in remote-viewer": partial(in_a_viewer, positions=True),
}
