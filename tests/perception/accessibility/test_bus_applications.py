"""Context menus that an application tells of only when they show; toolkits of processes, by the files they map."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from operator_console.perception.accessibility.atspi.batched_reads import Tree
from operator_console.perception.accessibility.atspi.bus_applications import ContextMenus, could_tell
from operator_console.perception.accessibility.atspi.connection import Answer, Call, Failure
from operator_console.perception.accessibility.atspi.replies import Signal
from operator_console.perception.accessibility.atspi.vocabulary import SHOWING

APP = ":1.7"
LIST, MENU, MENU_ITEM = 31, 41, 35


@dataclass
class Shown:
    """An element of the application."""

    role: int
    parent: str
    showing: bool = True


@dataclass
class Application:
    """A bus with one application on it."""

    elements: dict[str, Shown] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    heard: Callable[[Signal], None] = lambda signal: None
    silent_now: bool = False

    def listen(self, heard: Callable[[Signal], None]) -> None:
        self.heard = heard

    def silent(self, owner: str) -> bool:
        return False

    async def ask(self, calls: Sequence[Call], deadline_s: float) -> list[Answer]:
        self.calls += calls
        return [Failure.NO_REPLY if self.silent_now else self._answer(call) for call in calls]

    def _answer(self, call: Call) -> Answer:
        if call.owner != APP:
            return ()
        element = self.elements.get(call.path)
        if element is None:
            return Failure.ERROR
        if call.method == "GetRole":
            return (element.role,)
        if call.method == "GetState":
            return ([element.showing << SHOWING, 0],)
        return (("(so)", (APP, element.parent)),)

    def tell(self, path: str, state: str = "showing", *, has_it: int = 1, sender: str = APP) -> None:
        self.heard(Signal(sender, path, "StateChanged", (state, has_it, 0)))


async def known(menus: ContextMenus, app: Application) -> list[str]:
    tree = Tree(app)
    tree.deadline_s = time.monotonic() + 1
    return [ref.path for ref in await menus.of(tree, APP)]


async def test_a_menu_that_shows_is_known_while_it_does() -> None:
    app = Application({"/list": Shown(LIST, "/top"), "/menu": Shown(MENU, "/list"), "/list/2": Shown(LIST, "/top")})
    menus = ContextMenus(app)
    assert await known(menus, app) == []
    for path in ("/menu", "/menu", "/list/2"):
        app.tell(path)
    assert await known(menus, app) == ["/menu"]
    app.elements["/menu"].showing = False
    assert await known(menus, app) == []
    app.elements["/menu"].showing = True
    assert await known(menus, app) == ["/menu"]


async def test_what_is_below_an_entry_is_found_there() -> None:
    app = Application({"/entry": Shown(MENU_ITEM, "/bar"), "/menu": Shown(MENU, "/entry")})
    menus = ContextMenus(app)
    await known(menus, app)
    app.tell("/menu")
    assert await known(menus, app) == []


async def test_other_states_and_applications_are_ignored() -> None:
    app = Application({"/list": Shown(LIST, "/top"), "/menu": Shown(MENU, "/list")})
    menus = ContextMenus(app)
    app.tell("/menu")  # not asked for yet
    await known(menus, app)
    app.tell("/menu", "focused")
    app.tell("/menu", has_it=0)
    app.tell("/menu", sender=":1.8")
    app.heard(Signal(APP, "/menu", "StateChanged", ()))
    assert await known(menus, app) == []


async def test_menus_that_are_gone_or_too_many_are_not_asked_again() -> None:
    app = Application({"/list": Shown(LIST, "/top")} | {f"/menu/{n}": Shown(MENU, "/list") for n in range(40)})
    menus = ContextMenus(app)
    await known(menus, app)
    for path in ("/gone", *app.elements):
        app.tell(path)
    assert len(await known(menus, app)) == 16
    app.elements.clear()
    assert await known(menus, app) == []
    app.calls.clear()
    assert await known(menus, app) == []
    assert app.calls == []


async def test_a_bus_that_did_not_reply_is_asked_again_for_the_event() -> None:
    app = Application({"/list": Shown(LIST, "/top"), "/menu": Shown(MENU, "/list")}, silent_now=True)
    menus = ContextMenus(app)
    assert await known(menus, app) == []
    app.silent_now = False
    await known(menus, app)
    app.tell("/menu")
    assert await known(menus, app) == ["/menu"]
    rules = [call.arguments[0] for call in app.calls if call.method == "AddMatch"]
    assert len(rules) == 2
    assert all(f"sender='{APP}'" in rule and "arg0='showing'" in rule for rule in rules)


@pytest.mark.parametrize(
    ("mapped", "tells"),
    [
        ("7f00 r-xp 0 08:01 1 /usr/lib/libgtk-3.so.0.2406", True),
        ("7f00 r-xp 0 08:01 1 /usr/lib/chromium/chromium", True),
        ("7f00 r-xp 0 08:01 1 /usr/lib/libXaw7.so.7.0.0", False),
    ],
)
def test_the_toolkit_is_known_by_its_library(tmp_path: Path, mapped: str, tells: bool) -> None:
    (tmp_path / "42").mkdir()
    (tmp_path / "42" / "maps").write_text(f"5500 r--p 0 08:01 2 /usr/bin/app\n{mapped}\n")
    assert could_tell(42, tmp_path) is tells


def test_of_an_unknown_or_vanished_process_nothing_is_known(tmp_path: Path) -> None:
    assert not could_tell(None, tmp_path)
    assert not could_tell(43, tmp_path)
