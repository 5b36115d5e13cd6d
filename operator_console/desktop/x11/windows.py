"""Top-level windows: what there is, where, whose, which one is meant, and whether its application still answers.

A *client* is the application's window, a *frame* the window manager's around it (the client itself where there is no
manager, or for menus and tooltips, which manage themselves). Rects are in root coordinates, which on X11 are input
units. One `Display` per thread. Not here: pixels (pixels.py), the focus (focus.py), what a target's window brings along
(belonging.py).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11.display import Display
from operator_console.domain.geometry import Rect

_LOCAL_CLIENT_PID = 2

TEXTS = ("_NET_WM_NAME", "WM_NAME", "WM_CLASS")
PROPERTIES = (
    *TEXTS, "_NET_WM_PID", "WM_STATE", "_NET_WM_STATE", "_NET_WM_DESKTOP", "WM_TRANSIENT_FOR", "WM_CLIENT_LEADER",
    "WM_HINTS", "_NET_WM_WINDOW_TYPE",
)  # fmt: skip
KINDS = ("desktop", "dock", "dialog", "menu", "popup_menu", "dropdown_menu", "combo", "tooltip", "notification", "dnd")


def title_of(texts: dict[str, bytes]) -> str:
    """The title, in UTF-8 where the application gave it so."""
    if texts["_NET_WM_NAME"]:
        return texts["_NET_WM_NAME"].decode("utf-8", "replace")
    return texts["WM_NAME"].decode("latin-1")


def app_of(wm_class: bytes) -> str:
    """The application's class."""
    parts = [part for part in wm_class.split(b"\0") if part]
    return parts[-1].decode("utf-8", "replace") if parts else ""


def group_of(words: dict[str, tuple[int, ...]]) -> int:
    """The client leader or group window, 0 where none."""
    if words["WM_CLIENT_LEADER"]:
        return words["WM_CLIENT_LEADER"][0]
    hints = words["WM_HINTS"]
    return hints[8] if len(hints) > 8 and hints[0] & 64 else 0


def pid_request(display: Display, window: int) -> Any | None:
    """Ask the server for the process that made a window; `read_pid` reads the answer."""
    resource = display.extension("resource")
    if resource is None:
        return None
    return resource.QueryClientIds(1, [struct.pack("=II", window, _LOCAL_CLIENT_PID)])


def read_pid(display: Display, asked: Any | None, claimed: tuple[int, ...]) -> int | None:
    """The process behind a window: what the server knows of it, else what the application says."""
    reply = display.answer(asked) if asked is not None else None
    if reply is not None:
        for found in reply.ids:
            if found.spec.mask & _LOCAL_CLIENT_PID and found.length >= 4:
                return int(found.value[0])
    return claimed[0] if claimed else None


_VIEWABLE = 2
_ICONIC = 3
_MAX_DEPTH = 4  # frame, perhaps a decoration's window or two, the client


def stack(display: Display) -> tuple[int, ...]:
    """The root's children, bottom first, unmapped ones included."""
    tree = display.answer(display.core.QueryTree(display.root))
    return tuple(tree.children) if tree is not None else ()


def managed(display: Display) -> tuple[int, ...]:
    """The clients the window manager looks after, bottom first where it says so; () without a manager."""
    stacking = display.words(display.ask(display.root, "_NET_CLIENT_LIST_STACKING"))
    return stacking or display.words(display.ask(display.root, "_NET_CLIENT_LIST"))


def shown(display: Display) -> tuple[tuple[int, int], ...]:
    """The viewable children of the root, bottom first, each as (child, the client in it or itself)."""
    asked = [(child, display.core.GetWindowAttributes(child)) for child in stack(display)]
    answers = [(child, display.answer(attributes)) for child, attributes in asked]
    seen = [child for child, reply in answers if reply is not None and reply.map_state == _VIEWABLE]
    inside = clients_inside(display, seen)
    return tuple((child, inside.get(child, child)) for child in seen)


def all_windows(display: Display) -> list[Window]:
    """Every application's top-level window, top-most first; minimised ones too, menus and tooltips not."""
    clients: Sequence[int] = managed(display)
    if not clients:
        clients = [client for _, client in shown(display)]
    found = [describe(display, client) for client in reversed(clients)]
    return [window for window in found if window is not None and not window.override and not _furniture(window)]


def _furniture(window: Window) -> bool:
    return any(kind in {"desktop", "dock"} for kind in window.kinds)


def matching(windows: Iterable[Window], pattern: str) -> list[Window]:
    """Those whose title the regular expression finds (case-insensitive), or whose id is `0x...`.

    Raises re.error for a pattern that is none.
    """
    if re.fullmatch(r"0x[0-9a-fA-F]+", pattern):
        wanted = int(pattern, 16)
        return [window for window in windows if wanted in {window.window_id, window.frame_id}]
    expression = re.compile(pattern, re.IGNORECASE)
    return [window for window in windows if expression.search(window.title)]


def describe(display: Display, window: int) -> Window | None:
    """A client (or any window in or around it), None where it is gone."""
    client = frame = 0
    while window not in {0, display.root}:
        state, below = display.ask(window, "WM_STATE"), display.core.QueryTree(window)
        is_client, tree = bool(display.words(state)), display.answer(below)
        if tree is None:
            return None
        client = client or (window if is_client else 0)
        window, frame = tree.parent, window
    if not frame:
        return None
    # Without a client, a frame was given, or a window no manager knows.
    return read(display, client or client_inside(display, frame) or frame, frame)


def path_to_root(display: Display, window: int) -> tuple[int, ...] | None:
    """The window and its ancestors below the root, outermost last; None where it is gone or the root itself."""
    path = []
    while window not in {0, display.root}:
        path.append(window)
        tree = display.answer(display.core.QueryTree(window))
        if tree is None:
            return None
        window = tree.parent
    return tuple(path) or None


def client_inside(display: Display, frame: int) -> int | None:
    """The client a frame holds (the window with WM_STATE, itself included); None where there is none."""
    return clients_inside(display, (frame,)).get(frame)


def clients_inside(display: Display, frames: Iterable[int]) -> dict[int, int]:
    """The client of each frame that holds one; all frames are asked at once, level by level."""
    found: dict[int, int] = {}
    level = [(frame, frame) for frame in frames]
    for _ in range(_MAX_DEPTH):
        asked = [(frame, each, display.ask(each, "WM_STATE"), display.core.QueryTree(each)) for frame, each in level]
        below: list[tuple[int, int]] = []
        for frame, each, state, tree in asked:
            is_client, reply = bool(display.words(state)), display.answer(tree)
            if is_client:
                found.setdefault(frame, each)
            elif reply is not None:
                below.extend((frame, child) for child in reply.children)
        level = [(frame, each) for frame, each in below if frame not in found]
        if not level:
            break
    return found


def read(display: Display, client: int, frame: int) -> Window | None:
    """As describe, where it is known which child of the root holds which client: one exchange with the server."""
    return reading(display, client, frame)()


def reading(display: Display, client: int, frame: int) -> Callable[[], Window | None]:
    """Asks for what `read` gives; call the result for it. Several that are asked first cost one exchange together."""
    core = display.core
    geometry = core.GetGeometry(client)
    place = core.TranslateCoordinates(client, display.root, 0, 0)
    frame_geometry = core.GetGeometry(frame)
    attributes = core.GetWindowAttributes(client)
    frame_attributes = core.GetWindowAttributes(frame)
    asked = {name: display.ask(client, name) for name in PROPERTIES}
    owner = pid_request(display, client)
    current_desktop = display.ask(display.root, "_NET_CURRENT_DESKTOP")
    cookies = (geometry, place, frame_geometry, attributes, frame_attributes)
    return lambda: _taken(display, client, frame, cookies, asked, owner, current_desktop)


def _taken(
    display: Display,
    client: int,
    frame: int,
    cookies: tuple[Any, ...],
    asked: dict[str, Any],
    owner: Any,
    current_desktop: Any,
) -> Window | None:
    inner, at, outer, own, around = (display.answer(each) for each in cookies)
    words = {name: display.words(asked[name]) for name in PROPERTIES if name not in TEXTS}
    texts = {name: display.text(asked[name]) for name in TEXTS}
    pid = read_pid(display, owner, words["_NET_WM_PID"])
    desktop = display.words(current_desktop)
    if inner is None or at is None or outer is None or own is None or around is None:
        return None
    border = 2 * outer.border_width
    return Window(
        window_id=client,
        frame_id=frame,
        title=title_of(texts),
        app=app_of(texts["WM_CLASS"]),
        pid=pid,
        rect=Rect(_signed(at.dst_x), _signed(at.dst_y), inner.width, inner.height),
        frame_rect=Rect(_signed(outer.x), _signed(outer.y), outer.width + border, outer.height + border),
        state=_state(display, words, own, around, desktop),
        override=bool(own.override_redirect),
        transient_for=next(iter(words["WM_TRANSIENT_FOR"]), 0),
        group=group_of(words),
        kinds=tuple(kind for kind in KINDS if display.atom(f"_NET_WM_WINDOW_TYPE_{kind.upper()}")
                    in words["_NET_WM_WINDOW_TYPE"]),
    )  # fmt: skip


def _state(
    display: Display, words: dict[str, tuple[int, ...]], own: Any, around: Any, current_desktop: tuple[int, ...]
) -> WindowState:
    if own.map_state == _VIEWABLE and around.map_state == _VIEWABLE:
        return WindowState.SHOWN
    there, here = words["_NET_WM_DESKTOP"], current_desktop
    if there and here and there[0] not in {here[0], 0xFFFFFFFF}:
        return WindowState.OTHER_DESKTOP
    if display.atom("_NET_WM_STATE_HIDDEN") in words["_NET_WM_STATE"] or words["WM_STATE"][:1] == (_ICONIC,):
        return WindowState.MINIMISED
    return WindowState.HIDDEN


def pid_of(display: Display, window: int) -> int | None:
    """The process that made a window, None where unknown."""
    asked, claimed = pid_request(display, window), display.ask(window, "_NET_WM_PID")
    return read_pid(display, asked, display.words(claimed))


def window_at(display: Display, x: int, y: int) -> Window | None:
    """The window that a click at this root position would reach: top-most, by its input shape; None: the root.

    The server decides it just as it decides for real events, so windows that let input through are passed over.
    """
    reply = display.answer(display.core.TranslateCoordinates(display.root, display.root, x, y))
    return describe(display, reply.child) if reply is not None and reply.child else None


def pointer_position(display: Display) -> tuple[int, int]:
    """Where the pointer is, root coordinates."""
    reply = display.answer(display.core.QueryPointer(display.root))
    return (_signed(reply.root_x), _signed(reply.root_y)) if reply is not None else (0, 0)


def _signed(value: int) -> int:
    return value - 0x10000 if value > 0x7FFF else value


_CLIENT_MESSAGE = 33
_STRUCTURE_NOTIFY = 1 << 17  # Qt answers to those who select this one
_SUBSTRUCTURE_NOTIFY = 1 << 19


class Ping:
    """One question to one window. `answered` is True from the start where there is none, or it does not take part."""

    def __init__(self, display: Display, window: int | None) -> None:
        self._display = display
        self._window = window
        self._pings = display.atom("_NET_WM_PING")
        self.answered = not window or self._pings not in display.words(display.ask(window, "WM_PROTOCOLS"))
        self._unsubscribe = display.subscribe(self._hear)
        if window and not self.answered:
            # Answers are sent to the root window.
            display.listen(display.root, _STRUCTURE_NOTIFY | _SUBSTRUCTURE_NOTIFY)
            message = (_CLIENT_MESSAGE, 32, 0, window, display.atom("WM_PROTOCOLS"), self._pings, 0, window, 0, 0)
            display.core.SendEvent(False, window, 0, struct.pack("<BBHII5I", *message))
            display.flush()

    def look(self) -> bool:
        """Whether it is answered; a window that is gone answers no more, so nothing is waited for."""
        if not self.answered and self._display.answer(self._display.core.GetWindowAttributes(self._window)) is None:
            self.answered = True
        return self.answered

    def close(self) -> None:
        """Listen no more."""
        self._unsubscribe()

    def _hear(self, event: Any) -> None:
        if type(event).__name__ == "ClientMessageEvent" and event.window == self._display.root and event.format == 32:
            data = event.data.data32
            if data[0] == self._pings and data[2] == self._window:
                self.answered = True
