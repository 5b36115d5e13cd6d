"""The applications on the accessibility bus: their processes and toolkits, and which top-level a window is.

Also how coordinates of a top-level become those of the screen, and the context menus of Qt.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from operator_console.domain.elements import Role
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, NoReply, Ref, Tree
from operator_console.perception.accessibility.atspi.connection import Bus, Call, Failure
from operator_console.perception.accessibility.atspi.replies import Signal
from operator_console.perception.accessibility.atspi.vocabulary import (
    ACCESSIBLE,
    ACTIVE,
    REGISTRY,
    SHOWING,
    VISIBLE,
    has_state,
)

_BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_MOST_WINDOWS = 60
_NEAR_PX = 2
_BORDER_PX, _TITLE_BAR_PX = 12, 60
_SHADOW_PX = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class TopLevel:
    """An accessible top-level of an application.

    Attributes:
        name: its accessible name, normally the window's title.
        extents: as the application says, None where it does not.
        window_relative: whether the toolkit's coordinates begin at the window instead of the screen (GTK 4).
        active: whether it says that it is the active window.
    """

    name: str
    extents: Rect | None
    window_relative: bool = False
    active: bool = False


@dataclass(frozen=True, slots=True)
class Offset:
    """What is added to an application's coordinates to get input units."""

    dx: int
    dy: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An application on the bus.

    Attributes:
        pid: its process, None where the bus does not know.
    """

    ref: Ref
    pid: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A top-level of an application, and the window of the screen that it is.

    Attributes:
        ref: the top-level; None for a menu or list that the application shows in a window without one.
        offset: from the application's coordinates to input units.
        info: the window of the screen.
        toolkit, version, name: of the application, as it says.
        tops: all its showing top-levels, and context menus that are below none.
    """

    app: Application
    ref: Ref | None
    offset: Offset
    info: WindowInfo
    toolkit: str = ""
    version: str = ""
    name: str = ""
    tops: tuple[Ref, ...] = ()

    @property
    def web(self) -> bool:
        """Whether elements may lie outside their parents, so that only the application knows what is on top."""
        return self.toolkit in {"Chromium", "Gecko"}

    @property
    def content_boxes(self) -> bool:
        """Whether extents leave out padding and borders, and most states are missing (GTK 4 before 4.10)."""
        return self.toolkit == "GTK"

    @property
    def tells_hidden_text(self) -> bool:
        """Whether fields that show dots tell what was typed, and nothing marks these fields (GTK 4 before 4.14)."""
        numbers = [int(part) for part in self.version.split(".")[:2] if part.isdigit()]
        return self.toolkit == "GTK" and numbers < [4, 14]

    @property
    def libreoffice(self) -> bool:
        """Whether it is LibreOffice on GTK 3.

        Its content may tell extents that are off by the height of the menu bar. A search would go through too many
        elements in each window, and first make them all.
        """
        return self.toolkit == "gtk" and self.name == "soffice"

    @property
    def finds_hidden(self) -> bool:
        """Whether a search by states also answers elements below hidden ones (Qt)."""
        return self.toolkit == "Qt"


async def applications(tree: Tree, pids: dict[str, int | None]) -> list[Application]:
    """All applications. `pids` keeps what is known of bus names, which are never reused. Raises NoReply."""
    registry = Ref(*REGISTRY)
    found = await tree.call(Call(*registry, ACCESSIBLE, "GetChildren"))
    roots = [Ref(*each) for each in found[0]] if found is not None else []
    new = [root.owner for root in roots if root.owner not in pids]
    calls = [Call(*_BUS, "GetConnectionUnixProcessID", "s", (owner,)) for owner in new]
    for owner, answer in zip(new, await tree.ask(calls), strict=True):
        if answer is Failure.NO_REPLY:
            raise NoReply
        pids[owner] = None if isinstance(answer, Failure) else int(answer[0])
    return [Application(ref=root, pid=pids[root.owner]) for root in roots]


async def window_of(
    tree: Tree, apps: Iterable[Application], info: WindowInfo, visible: Rect, menus: ContextMenus, *, active: bool
) -> Window | None:
    """The top-level that is a window of the screen; None where no application on the bus has its process.

    A window whose process is not known is looked for by title and extents in all applications. `visible` is its client
    area without a shadow; `active`: it has the keyboard focus. Raises NoReply.
    """
    known = [app for app in apps if info.pid is not None and app.pid == info.pid]
    last: Window | None = None
    for app in known or ([] if info.pid is not None else apps):
        try:
            found = await _window_in(tree, app, info, visible, menus, active=active)
        except NoReply:
            if known:
                raise
            continue
        if found.ref is not None:
            return found
        last = found if known else None
    return last


async def _window_in(
    tree: Tree, app: Application, info: WindowInfo, visible: Rect, menus: ContextMenus, *, active: bool
) -> Window:
    await tree.read([app.ref], Field.CHILDREN, Field.TOOLKIT, Field.TOOLKIT_VERSION, Field.NAME)
    toolkit = tree.get(app.ref, Field.TOOLKIT) or ""
    refs = (tree.get(app.ref, Field.CHILDREN) or ())[:_MOST_WINDOWS]
    if toolkit == "Qt":
        refs = (*refs, *await menus.of(tree, app.ref.owner))
    await tree.read(refs, Field.NAME, Field.EXTENTS, Field.STATES)
    showing = [ref for ref in refs if _shows(tree.get(ref, Field.STATES) or 0)]
    tops = [_top_level(tree, ref, toolkit) for ref in showing]
    index = best_match(tops, info.rect, info.title, active=active)
    chosen = None if index is None else showing[index]
    offset = Offset(0, 0) if index is None else offset_of(tops[index], visible)
    return Window(
        app=app,
        ref=chosen,
        offset=offset,
        info=info,
        toolkit=toolkit,
        version=tree.get(app.ref, Field.TOOLKIT_VERSION) or "",
        name=tree.get(app.ref, Field.NAME) or "",
        tops=tuple(showing),
    )


def _shows(states: int) -> bool:
    return has_state(states, SHOWING) or has_state(states, VISIBLE)


def _top_level(tree: Tree, ref: Ref, toolkit: str) -> TopLevel:
    return TopLevel(
        name=tree.get(ref, Field.NAME) or "",
        extents=tree.get(ref, Field.EXTENTS),
        window_relative=toolkit == "GTK",
        active=has_state(tree.get(ref, Field.STATES) or 0, ACTIVE),
    )


_EVENTS = ("org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry")
_EVENT, _STATE = "object:state-changed:showing", "showing"
_INTERFACE, _MEMBER = "org.a11y.atspi.Event.Object", "StateChanged"
_MOST_SHOWN = 16
_OPENERS = frozenset((Role.MENU, Role.MENU_ITEM))


class ContextMenus:
    """Knows the context menus of Qt, which are in no tree of elements. Listens to the applications that it follows.

    Qt lists a popup neither among its windows nor below the widget that it belongs to, but tells listeners that it
    shows. Menus of a menu bar and submenus are below the entry that opens them, and found there. Source: Qt 6,
    qaccessiblewidgets.cpp and atspiadaptor.cpp.
    """

    def __init__(self, bus: Bus) -> None:
        self._shown: dict[str, deque[Ref]] = {}
        bus.listen(self._heard)

    async def of(self, tree: Tree, owner: str) -> tuple[Ref, ...]:
        """The context menus of a Qt application, by its bus name, that show now; it is followed from the first call on.

        Raises NoReply.
        """
        if owner not in self._shown:
            await self._follow(tree, owner)
        known = tuple(self._shown.get(owner, ()))
        await tree.read(known, Field.STATES, Field.ROLE, Field.PARENT)
        for gone in (ref for ref in known if tree.get(ref, Field.STATES) is None):
            self._forget(gone)
        menus = [ref for ref in known if has_state(tree.get(ref, Field.STATES) or 0, SHOWING) and _is_menu(tree, ref)]
        parents = {ref: parent for ref in menus if (parent := tree.get(ref, Field.PARENT)) is not None}
        await tree.read(parents.values(), Field.ROLE)
        return tuple(ref for ref in menus if ref not in parents or tree.basic_role(parents[ref]) not in _OPENERS)

    async def _follow(self, tree: Tree, owner: str) -> None:
        rule = f"type='signal',sender='{owner}',interface='{_INTERFACE}',member='{_MEMBER}',arg0='{_STATE}'"
        match = Call(*_BUS, "AddMatch", "s", (rule,))
        register = Call(*_EVENTS, "RegisterEvent", "sass", (_EVENT, [], owner))
        if Failure.NO_REPLY not in await tree.ask([match, register]):
            self._shown[owner] = deque(maxlen=_MOST_SHOWN)

    def _heard(self, signal: Signal) -> None:
        shown = self._shown.get(signal.sender)
        if shown is None or signal.member != _MEMBER or len(signal.values) < 2:
            return
        state, has_it, *_ = signal.values
        if state == _STATE and has_it:
            ref = Ref(signal.sender, signal.path)
            self._forget(ref)
            shown.append(ref)

    def _forget(self, ref: Ref) -> None:
        with contextlib.suppress(ValueError):
            self._shown[ref.owner].remove(ref)


def _is_menu(tree: Tree, ref: Ref) -> bool:
    return tree.basic_role(ref) is Role.MENU


_TOOLKITS = (
    "libgtk-3.so", "libgtk-4.so", "libgtk-x11-2.0.so", "libQt5Gui.so", "libQt6Gui.so", "libatk-bridge-2.0.so",
    "/chromium", "/chrome", "/electron", "libxul.so", "libvcllo.so", "libmergedlo.so", "libjvm.so",
)  # fmt: skip
_MOST_BYTES = 2_000_000


def could_tell(pid: int | None, proc: Path = Path("/proc")) -> bool:
    """Whether a process uses a toolkit that describes its widgets once accessibility is switched on.

    That is told by the files that it has mapped; False where they cannot be read.
    """
    if pid is None:
        return False
    try:
        with (proc / str(pid) / "maps").open("rb") as file:
            maps = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return False
    return any(toolkit in maps for toolkit in _TOOLKITS)


def without_shadow(window: Rect, parts: Sequence[Rect]) -> Rect:
    """The area that takes pointer input where that is one rectangle inside the window, else the window.

    A GTK window with decorations of its own has a shadow that passes input on, except for an edge by which it can be
    resized; the edge is as wide on every side.
    """
    if len(parts) == 1 and parts[0] != window and parts[0].intersect(window) == parts[0]:
        return parts[0]
    return window


def offset_of(top: TopLevel, window: Rect) -> Offset:
    """The offset between the coordinates of a top-level and of the screen.

    Args:
        top: the top-level.
        window: the window's client area in input units, `without_shadow`.
    """
    extents = top.extents
    if extents is None or extents.empty:
        return Offset(window.x, window.y) if top.window_relative else Offset(0, 0)
    if top.window_relative:
        side, above = (window.width - extents.width) // 2, (window.height - extents.height) // 2
        return Offset(window.x + side - extents.x, window.y + above - extents.y)
    same_size = abs(extents.width - window.width) <= _NEAR_PX and abs(extents.height - window.height) <= _NEAR_PX
    if same_size and extents.x == 0 and extents.y == 0:
        return Offset(window.x, window.y)  # a toolkit that does not know its position
    return Offset(0, 0)


def fits(top: TopLevel, window: Rect) -> bool:
    """Whether the extents of a top-level are those of a window, with or without decorations."""
    extents = top.extents
    if extents is None or extents.empty:
        return False
    if top.window_relative or (extents.x == 0 and extents.y == 0):
        less = (window.width - extents.width, window.height - extents.height)
        if all(-_NEAR_PX <= each <= 2 * _SHADOW_PX for each in less):
            return True
    if top.window_relative:
        return False
    sides = (
        window.x - extents.x, window.y - extents.y, extents.right - window.right, extents.bottom - window.bottom,
    )  # fmt: skip
    most = (_BORDER_PX, _TITLE_BAR_PX, _BORDER_PX, _BORDER_PX)
    return all(-_NEAR_PX <= side <= widest for side, widest in zip(sides, most, strict=True))


def best_match(tops: Sequence[TopLevel], window: Rect, title: str, *, active: bool = True) -> int | None:
    """The index of the top-level that a window is, None where none of them is.

    The tops are those of the window's process. A title decides between windows of one size and place, then which of
    them says that it is active, as the window is or is not; a lone fitting title is enough where an application tells
    no extents.
    """
    fitting = [index for index, top in enumerate(tops) if fits(top, window)]
    named = [index for index, top in enumerate(tops) if title and top.name == title]
    for choice in ([index for index in fitting if index in named], fitting):
        if choice:
            return min(choice, key=lambda index: (_distance(tops[index], window), tops[index].active is not active))
    if len(named) == 1 and (tops[named[0]].extents is None or tops[named[0]].extents.empty):  # type: ignore[union-attr]
        return named[0]
    return None


def _distance(top: TopLevel, window: Rect) -> int:
    extents = top.extents
    assert extents is not None
    size = abs(extents.width - window.width) + abs(extents.height - window.height)
    return size if top.window_relative else size + abs(extents.x - window.x) + abs(extents.y - window.y)
