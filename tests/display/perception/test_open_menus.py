"""Entries of an open menu are among the controls of a target, although a window of its own shows them."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from operator_console.computers.desktop_computer import DesktopComputer
from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.elements import Element, Role
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import NativePoint
from operator_console.perception.accessibility.accessible_elements import AccessibleElements
from operator_console.providers.runbook.language import Named
from operator_console.providers.runbook.named_controls import controls_named
from tests.display.perception.controls import SYSTEM_PYTHON
from tests.display.rig import AccessibleDesktop, Application, RigError, launch, wait_until
from tests.display.rig.apps import CHROMIUM_FLAGS

NEEDS = ImageNeeds()
MENUS = Path(__file__).parent / "controls" / "menus.py"
RIGHT_BUTTON = 3
ROWS = (Role.CELL, Role.LIST_ITEM)
MENU_ENTRIES = (Role.MENU, Role.MENU_ITEM)
_ROWS = 11


class Shown:
    """A target, and what its applications tell."""

    def __init__(self, desktop: AccessibleDesktop, computer: DesktopComputer, elements: AccessibleElements) -> None:
        self._desktop = desktop.desktop
        self._computer = computer
        self._elements = elements
        self._asked = 0

    async def until(self, met: Callable[[Sequence[Element]], bool], *, listed: bool = False) -> Sequence[Element]:
        """The controls, or all that can be read, once a condition is met."""
        found: Sequence[Element] = ()
        try:
            async with asyncio.timeout(20):
                while not met(found):
                    try:
                        frame = await self._computer.observe(NEEDS)
                    except ComputerUnavailable:  # a window is black until it is painted
                        continue
                    found = await (self._elements.listed if listed else self._elements.actionable)(frame)
        except TimeoutError:
            raise AssertionError([(each.role, each.name, each.box) for each in found]) from None
        return found

    async def element(self, role: Role, name: str) -> Element:
        """The only one of a role and name, as a step of a runbook names it, once there is one."""
        named = Named(text=name, role=role)
        (found,) = controls_named(await self.until(lambda each: len(controls_named(each, named)) == 1), named)
        return found

    async def click(self, element: Element, button: int = 1) -> None:
        geometry = (await self._computer.observe(NEEDS)).geometry
        place = geometry.to_screen(NativePoint(*element.box.centre))
        self._desktop.xdo("mousemove", str(place.x), str(place.y), "click", str(button))

    async def open_menu(self, element: Element, app: Application) -> None:
        """Right-click until the menu opens: GTK 4 tells that a menu is closed while it still takes the next press."""
        before = opened(app)
        async with asyncio.timeout(20):
            while opened(app) == before:
                await asyncio.to_thread(self._desktop.wait_no_menu)
                await self.click(element, RIGHT_BUTTON)
                with contextlib.suppress(RigError):
                    await asyncio.to_thread(wait_until, lambda: opened(app) > before, "the menu", timeout_s=2)

    async def at(self, element: Element) -> Element:
        """What a click on an element hits, once its application tells it: on a busy machine not always in time."""
        found: Element | None = None
        async with asyncio.timeout(20):
            while found is None:
                frame = await self._computer.observe(NEEDS)
                (found,) = await self._elements.at(frame, [NativePoint(*element.box.centre)])
        return found

    async def focused(self, met: Callable[[Element], bool]) -> Element:
        """What keys reach, once a condition is met."""
        found: Element | None = None
        try:
            async with asyncio.timeout(20):
                while found is None or not met(found):
                    frame = await self._computer.observe(NEEDS)
                    # The focus moves without a change of the picture that answers are kept for.
                    found = await self._elements.focused(replace(frame, frame_id=f"{frame.frame_id} {self._asked}"))
                    self._asked += 1
        except TimeoutError:
            raise AssertionError(found) from None
        return found

    async def title(self, words: str) -> None:
        """Wait for a window."""
        await asyncio.to_thread(self._desktop.wait_window, title=words)

    def key(self, name: str) -> None:
        self._desktop.xdo("key", name)


def opened(app: Application) -> int:
    """How often an application has told that its menu opened."""
    return app.child.log_text().splitlines().count("opened")


async def chosen(app: Application, name: str) -> None:
    """Wait until an application has received that an entry was chosen."""
    await asyncio.to_thread(wait_until, lambda: f"chosen: {name}" in app.child.log_text().splitlines(), name)


def show_menus(desktop: AccessibleDesktop, toolkit: str) -> Application:
    command = [sys.executable if toolkit == "Qt" else SYSTEM_PYTHON, str(MENUS), toolkit]
    with desktop.tree.announced():
        return launch(desktop.desktop, command, title="Menus of", env=desktop.env)


async def target(desktop: AccessibleDesktop, app: Application, kind: str) -> DesktopComputer:
    spec = "monitor:1" if kind == "monitor" else f"window:{app.window.xid:#x}"
    return await open_computer(spec, OwnWindows(), desktop.desktop.name)


@pytest.mark.parametrize("kind", ["monitor", pytest.param("window", marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("command", "menu", "entry", "closed", "opened"),
    [
        pytest.param(
            ["mousepad", "--disable-server"],
            "Search",
            "Go to…",
            "Save As...",
            "Go To",
            id="mousepad",
            marks=pytest.mark.full,
        ),
        pytest.param(["galculator"], "Help", "About", "Quit", "About", id="galculator"),
    ],
)
async def test_entries_of_applications_are_found_by_their_role_while_their_menu_is_open(
    accessible_desktop: AccessibleDesktop,
    elements: AccessibleElements,
    kind: str,
    command: Sequence[str],
    menu: str,
    entry: str,
    closed: str,
    opened: str,
) -> None:
    app = launch(accessible_desktop.desktop, command, wm_class=command[0], env=accessible_desktop.env)
    computer = await target(accessible_desktop, app, kind)
    try:
        shown = Shown(accessible_desktop, computer, elements)
        opener, named = await shown.element(Role.MENU, menu), Named(text=entry, role=Role.MENU_ITEM)
        assert not controls_named(await shown.until(bool), named)
        await shown.click(opener)
        await shown.element(Role.MENU_ITEM, entry)
        assert not controls_named(await shown.until(bool), Named(text=closed))
        shown.key("Escape")
        await shown.until(lambda found: bool(found) and not controls_named(found, named))
        await shown.click(opener)
        await shown.click(await shown.element(Role.MENU_ITEM, entry))
        await shown.title(opened)
    finally:
        await computer.close()


@pytest.mark.parametrize("toolkit", ["GTK3", "GTK4", "Qt"])
async def test_entries_are_told_from_the_rows_that_their_menu_covers(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, toolkit: str
) -> None:
    app = show_menus(accessible_desktop, toolkit)
    computer = await target(accessible_desktop, app, "window")
    try:
        shown = Shown(accessible_desktop, computer, elements)
        await shown.until(lambda found: len(found) > _ROWS)
        places = await shown.element(Role.MENU_ITEM, "Places")
        await shown.click(places)
        await shown.element(Role.MENU_ITEM, "Harbour")
        await shown.click(await shown.element(Role.MENU_ITEM, "Inland"))
        meadow = await shown.element(Role.MENU_ITEM, "Meadow")
        expected = {"Harbour", "Inland", "Meadow", "Places", "Closed"}
        # A busy program tells a part of them in time.
        found = await shown.until(lambda found: expected <= {each.name for each in found})
        entries = [each.name for each in found if each.role in (Role.MENU, Role.MENU_ITEM)]
        assert sorted(entries) == sorted(expected)
        rows = [each for each in found if each.role in ROWS]
        assert len(rows) == len({each.box for each in rows}) <= _ROWS
        everything = await shown.until(lambda found: expected <= {each.name for each in found}, listed=True)
        assert "Hidden entry" not in {each.name for each in everything}
        await shown.click(meadow)
        await chosen(app, "Meadow")
    finally:
        await computer.close()


@pytest.mark.parametrize("toolkit", ["GTK3", "GTK4", "Qt"])
async def test_the_entry_of_a_context_menu_that_keys_would_choose_has_the_focus(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, toolkit: str
) -> None:
    app = show_menus(accessible_desktop, toolkit)
    computer = await target(accessible_desktop, app, "window")
    try:
        shown = Shown(accessible_desktop, computer, elements)
        rows = [each for each in await shown.until(lambda found: len(found) > _ROWS) if each.role in ROWS]
        await shown.open_menu(rows[4], app)
        await shown.element(Role.MENU_ITEM, "Rename")
        names: list[str] = []
        if toolkit == "GTK4":  # it begins on the first entry
            names.append((await shown.focused(lambda each: each.name == "Rename")).name)
        for _ in range(3):
            shown.key("Down")
            names.append((await shown.focused(lambda each: each.role in MENU_ENTRIES and each.name not in names)).name)
            if names[-1] == "Sort":
                break
        shown.key("Up")
        await shown.focused(lambda each: each.name.startswith("Rename"))
        shown.key("Return")
        await chosen(app, "Rename")
    finally:
        await computer.close()


@pytest.mark.parametrize("kind", ["monitor", pytest.param("window", marks=pytest.mark.full)])
@pytest.mark.parametrize("toolkit", ["GTK3", "GTK4", "Qt"])
async def test_entries_of_a_context_menu_are_told_and_take_clicks(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, toolkit: str, kind: str
) -> None:
    app = show_menus(accessible_desktop, toolkit)
    computer = await target(accessible_desktop, app, kind)
    try:
        shown = Shown(accessible_desktop, computer, elements)
        rows = [each for each in await shown.until(lambda found: len(found) > _ROWS) if each.role in ROWS]
        await shown.open_menu(rows[4], app)
        rename = await shown.element(Role.MENU_ITEM, "Rename")
        hit = await shown.at(rename)
        assert (hit.role, hit.name) == (Role.MENU_ITEM, rename.name)
        await shown.click(rename)
        await chosen(app, "Rename")
        await shown.until(lambda found: bool(found) and not controls_named(found, Named(text="Rename")))
        await shown.open_menu(rows[4], app)
        await shown.click(await shown.element(Role.MENU_ITEM, "Sort"))
        newest = await shown.element(Role.MENU_ITEM, "Newest first")
        # GTK 4 slides the submenu into the place of its menu.
        left = 0 if toolkit == "GTK4" else 1
        await shown.until(lambda found: bool(found) and len(controls_named(found, Named(text="Rename"))) == left)
        hit = await shown.at(newest)
        assert (hit.role, hit.name) == (Role.MENU_ITEM, "Newest first")
        await shown.click(newest)
        await chosen(app, "Newest first")
    finally:
        await computer.close()


async def test_choices_of_a_qt_combo_box_are_told_where_they_cover_it(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements
) -> None:
    app = show_menus(accessible_desktop, "Qt")
    computer = await target(accessible_desktop, app, "monitor")
    try:
        shown = Shown(accessible_desktop, computer, elements)
        await shown.click(await shown.element(Role.COMBO_BOX, "by post"))
        await shown.element(Role.LIST_ITEM, "by post")
        await shown.click(await shown.element(Role.LIST_ITEM, "by mail"))
        await shown.element(Role.COMBO_BOX, "by mail")
    finally:
        await computer.close()


async def test_choices_of_a_page_are_told(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    choice = "<select><option>by post<option>by mail</select>"
    page.write_text(f"<title>Choice</title>{choice}<p>{choice}<p><button>Covered</button>")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    command = ["chromium", *CHROMIUM_FLAGS, "--test-type", profile, f"--app={page.as_uri()}"]
    app = launch(accessible_desktop.desktop, command, wm_class="chromium", by_pid=False, env=accessible_desktop.env)
    computer = await target(accessible_desktop, app, "monitor")
    try:
        shown = Shown(accessible_desktop, computer, elements)
        found = await shown.until(lambda found: sum(each.role is Role.COMBO_BOX for each in found) == 2)
        await shown.click(next(each for each in found if each.role is Role.COMBO_BOX))
        await shown.element(Role.MENU_ITEM, "by mail")
    finally:
        await computer.close()
