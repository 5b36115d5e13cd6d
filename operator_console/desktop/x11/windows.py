"""Top-level windows: their properties, the window at a point, the keyboard focus, and whether an application answers.

A *client* is the application's window; a *frame* is the window manager's window around it (the client itself if there
is no window manager, and for override-redirect windows such as menus). Rectangles are in root coordinates, which on X11
are input units. Nothing here sends input.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11.display import Display
from operator_console.domain.geometry import Rect

_ASK_AGAIN_S = 0.02
ACTIVATE_TIMEOUT_S = 2.0
"""How long a window is given to get the focus, in seconds."""

_SET_WITHIN_S = 0.5
_TAKEN_BACK_S = 0.15  # a window manager that does not want it does so at once
_INPUT_WORDS, _INPUT_HINT = 2, 1

_LOCAL_CLIENT_PID = 2
_VIEWABLE, _ICONIC = 2, 3
_POINTER_ROOT, _REVERT_TO_PARENT = 1, 2
_MAX_DEPTH = 4  # a frame, one or two decoration windows, the client
_PAGER = 2  # source indication: a pager acts for the user, so focus-stealing prevention does not apply
_CLIENT_MESSAGE = 33
_STRUCTURE_NOTIFY = 1 << 17  # Qt replies to clients that select this one
_SUBSTRUCTURE_NOTIFY, _SUBSTRUCTURE_REDIRECT = 1 << 19, 1 << 20
_FOCUS_CHANGE, _PROPERTY_CHANGE = 1 << 21, 1 << 22

_TEXTS = ("_NET_WM_NAME", "WM_NAME", "WM_CLASS")
_PROPERTIES = (
    *_TEXTS, "_NET_WM_PID", "WM_STATE", "_NET_WM_STATE", "_NET_WM_DESKTOP", "WM_TRANSIENT_FOR", "WM_CLIENT_LEADER",
    "WM_HINTS", "_NET_WM_WINDOW_TYPE",
)  # fmt: skip
_KINDS = ("desktop", "dock", "dialog", "menu", "popup_menu", "dropdown_menu", "combo", "tooltip", "notification", "dnd")


def _app_of(wm_class: bytes) -> str:
    """The application's class, of WM_CLASS."""
    parts = [part for part in wm_class.split(b"\0") if part]
    return parts[-1].decode("utf-8", "replace") if parts else ""


def _group_of(words: dict[str, tuple[int, ...]]) -> int:
    """The client leader or group window, 0 if there is none."""
    if words["WM_CLIENT_LEADER"]:
        return words["WM_CLIENT_LEADER"][0]
    hints = words["WM_HINTS"]
    return hints[8] if len(hints) > 8 and hints[0] & 64 else 0


def _pid_request(display: Display, window: int) -> Any | None:
    """Request the process that created a window; `_read_pid` reads the reply."""
    resource = display.extension("resource")
    if resource is None:
        return None
    return resource.QueryClientIds(1, [struct.pack("=II", window, _LOCAL_CLIENT_PID)])


def _read_pid(display: Display, asked: Any | None, claimed: tuple[int, ...]) -> int | None:
    """The process of a window: by the server, else by _NET_WM_PID."""
    reply = display.answer(asked) if asked is not None else None
    if reply is not None:
        for found in reply.ids:
            if found.spec.mask & _LOCAL_CLIENT_PID and found.length >= 4:
                return int(found.value[0])
    return claimed[0] if claimed else None


def stack(display: Display) -> tuple[int, ...]:
    """The root's children, bottom first, unmapped ones included."""
    tree = display.answer(display.core.QueryTree(display.root))
    return tuple(tree.children) if tree is not None else ()


def managed(display: Display) -> tuple[int, ...]:
    """The window manager's clients, bottom first if it reports their order; () without a window manager."""
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
    """All top-level windows, top-most first, including minimised ones; without menus, tooltips and panels."""
    clients: Sequence[int] = managed(display)
    if not clients:
        clients = [client for _, client in shown(display)]
    found = [describe(display, client) for client in reversed(clients)]
    return [window for window in found if window is not None and not window.override and not _is_desktop_part(window)]


def _is_desktop_part(window: Window) -> bool:
    return any(kind in {"desktop", "dock"} for kind in window.kinds)


def describe(display: Display, window: int) -> Window | None:
    """The client that is, contains, or is inside the given window; None if that is gone."""
    # A window manager that lets go of a client destroys the frame through which it is read. The client is there.
    return _describe(display, window) or _describe(display, window)


def _describe(display: Display, window: int) -> Window | None:
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
    # Without a client above it: a frame was given, or an unmanaged window.
    return read_window(display, client or client_inside(display, frame) or frame, frame)


def path_to_root(display: Display, window: int) -> tuple[int, ...] | None:
    """The window and its ancestors below the root, outermost last; None if it is gone or the root itself."""
    path = []
    while window not in {0, display.root}:
        path.append(window)
        tree = display.answer(display.core.QueryTree(window))
        if tree is None:
            return None
        window = tree.parent
    return tuple(path) or None


def client_inside(display: Display, frame: int) -> int | None:
    """The client in a frame (the frame itself or a descendant with WM_STATE); None if there is none."""
    return clients_inside(display, (frame,)).get(frame)


def clients_inside(display: Display, frames: Iterable[int]) -> dict[int, int]:
    """The client of each frame that contains one. All frames are queried together, level by level."""
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


def read_window(display: Display, client: int, frame: int) -> Window | None:
    """As `describe`, if client and frame are known: one round trip."""
    return request_window(display, client, frame)()


def request_window(display: Display, client: int, frame: int) -> Callable[[], Window | None]:
    """Send the requests of `read_window`; call the result for the replies. Several sent first share one round trip."""
    core = display.core
    geometry = core.GetGeometry(client)
    place = core.TranslateCoordinates(client, display.root, 0, 0)
    frame_geometry = core.GetGeometry(frame)
    attributes = core.GetWindowAttributes(client)
    frame_attributes = core.GetWindowAttributes(frame)
    asked = {name: display.ask(client, name) for name in _PROPERTIES}
    owner = _pid_request(display, client)
    current_desktop = display.ask(display.root, "_NET_CURRENT_DESKTOP")
    cookies = (geometry, place, frame_geometry, attributes, frame_attributes)
    return lambda: _window_from_replies(display, client, frame, cookies, asked, owner, current_desktop)


def _window_from_replies(
    display: Display,
    client: int,
    frame: int,
    cookies: tuple[Any, ...],
    asked: dict[str, Any],
    owner: Any,
    current_desktop: Any,
) -> Window | None:
    inner, at, outer, own, around = (display.answer(each) for each in cookies)
    words = {name: display.words(asked[name]) for name in _PROPERTIES if name not in _TEXTS}
    titles = (display.text(asked["_NET_WM_NAME"]).decode("utf-8", "replace"), display.string(asked["WM_NAME"]))
    app = _app_of(display.text(asked["WM_CLASS"]))
    pid = _read_pid(display, owner, words["_NET_WM_PID"])
    desktop = display.words(current_desktop)
    if inner is None or at is None or outer is None or own is None or around is None:
        return None
    border = 2 * outer.border_width
    return Window(
        window_id=client,
        frame_id=frame,
        title=titles[0] or titles[1],
        app=app,
        pid=pid,
        rect=Rect(_signed(at.dst_x), _signed(at.dst_y), inner.width, inner.height),
        frame_rect=Rect(_signed(outer.x), _signed(outer.y), outer.width + border, outer.height + border),
        state=_state(display, words, own, around, desktop),
        override=bool(own.override_redirect),
        transient_for=next(iter(words["WM_TRANSIENT_FOR"]), 0),
        group=_group_of(words),
        kinds=tuple(kind for kind in _KINDS if display.atom(f"_NET_WM_WINDOW_TYPE_{kind.upper()}")
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
    """The process that created a window, None if unknown."""
    asked, claimed = _pid_request(display, window), display.ask(window, "_NET_WM_PID")
    return _read_pid(display, asked, display.words(claimed))


def window_at(display: Display, x: int, y: int) -> Window | None:
    """The window that a click at this root position would reach; None for the root.

    The server decides as for real events, by stacking order and input shape.
    """
    reply = display.answer(display.core.TranslateCoordinates(display.root, display.root, x, y))
    return describe(display, reply.child) if reply is not None and reply.child else None


def pointer_position(display: Display) -> tuple[int, int]:
    """The position of the pointer, root coordinates."""
    reply = display.answer(display.core.QueryPointer(display.root))
    return (_signed(reply.root_x), _signed(reply.root_y)) if reply is not None else (0, 0)


def _signed(value: int) -> int:
    return value - 0x10000 if value > 0x7FFF else value


def focus_id(display: Display) -> int:
    """The window or child window with the focus; 0 and 1 mean none."""
    reply = display.answer(display.core.GetInputFocus())
    return 0 if reply is None else int(reply.focus)


def same_program(window: Window, target: Window) -> bool:
    """Whether both are windows of one process, or of one group of windows."""
    return bool(
        (window.pid is not None and window.pid == target.pid) or (window.group and window.group == target.group)
    )


def focused(display: Display) -> Window | None:
    """The top-level window with the keyboard focus, None if none has it."""
    window = focus_id(display)
    if window in {0, _POINTER_ROOT, display.root}:
        return None
    found = describe(display, window)
    if found is None or found.rect.empty or found.state is not WindowState.SHOWN:
        return None
    return found


def activate(display: Display, window: Window, timeout_s: float = ACTIVATE_TIMEOUT_S) -> bool:
    """Give a window the focus through the window manager, and wait until it has it; whether it does in time.

    A window manager that does not obey is passed over: the focus is set directly, as ICCCM 4.1.7 lets a client do for
    its user, for a window that takes it so. One that takes it back (dwm does) is believed.
    """
    display.listen(display.root, _PROPERTY_CHANGE)
    display.listen(window.window_id, _FOCUS_CHANGE)
    managed_by = window_manager(display)

    def has_it() -> bool:
        now = focused(display)
        return now is not None and now.window_id == window.window_id

    if managed_by is not None and managed_by.activates:
        data = struct.pack(
            "<BBHII5I", 33, 32, 0, window.window_id, display.atom("_NET_ACTIVE_WINDOW"), _PAGER, 0, 0, 0, 0
        )
        display.core.SendEvent(False, display.root, _SUBSTRUCTURE_REDIRECT | _SUBSTRUCTURE_NOTIFY, data)
        if display.wait_until(has_it, timeout_s):
            return True
    now, holder = describe(display, window.window_id), focused(display)
    if now is None or now.state is not WindowState.SHOWN or now.override or not _takes_focus(display, window.window_id):
        return False
    if managed_by is not None and holder is not None and same_program(holder, window):
        return has_it()  # a dialog that must be answered first has it
    display.core.ConfigureWindow(window.frame_id, 64, [0])  # stack mode: above
    display.core.SetInputFocus(_REVERT_TO_PARENT, window.window_id, 0)
    given = display.wait_until(has_it, min(timeout_s, _SET_WITHIN_S))
    if given and managed_by is not None:
        display.wait_until(lambda: not has_it(), _TAKEN_BACK_S)
        return has_it()
    return given


def _takes_focus(display: Display, window: int) -> bool:
    """Whether a window has its focus set by others: the input field of WM_HINTS (ICCCM 4.1.2.4), which is often left
    out."""
    hints = display.words(display.ask(window, "WM_HINTS"))
    return len(hints) < _INPUT_WORDS or not hints[0] & _INPUT_HINT or bool(hints[1])


def ask_to_close(display: Display, window: Window) -> None:
    """Ask a window to close as its own button does: through the window manager (_NET_CLOSE_WINDOW of EWMH), else by
    WM_DELETE_WINDOW of ICCCM."""
    if window_manager(display) is not None:
        asked = display.atom("_NET_CLOSE_WINDOW")
        data = struct.pack("<BBHII5I", 33, 32, 0, window.window_id, asked, 0, _PAGER, 0, 0, 0)
        display.core.SendEvent(False, display.root, _SUBSTRUCTURE_REDIRECT | _SUBSTRUCTURE_NOTIFY, data)
    else:
        words = (display.atom("WM_DELETE_WINDOW"), 0, 0, 0, 0)
        data = struct.pack("<BBHII5I", 33, 32, 0, window.window_id, display.atom("WM_PROTOCOLS"), *words)
        display.core.SendEvent(False, window.window_id, 0, data)
    display.connection.flush()


def window_manager_answers(display: Display, timeout_s: float) -> bool:
    """Wait until the window manager reads requests; whether it did in time.

    Openbox names itself on the root window some time before that, and requests sent in between are lost: a window that
    is mapped then never appears. A window that is not mapped is asked for (_NET_REQUEST_FRAME_EXTENTS of EWMH), again
    and again until it is answered.
    """
    probe = display.connection.generate_id()
    display.core.CreateWindow(0, probe, display.root, -10, -10, 1, 1, 0, 0, 0, 0, [])
    request = struct.pack("<BBHII5I", 33, 32, 0, probe, display.atom("_NET_REQUEST_FRAME_EXTENTS"), 0, 0, 0, 0, 0)

    def answered() -> bool:
        if display.words(display.ask(probe, "_NET_FRAME_EXTENTS")):
            return True
        display.core.SendEvent(False, display.root, _SUBSTRUCTURE_REDIRECT | _SUBSTRUCTURE_NOTIFY, request)
        return False

    display.listen(probe, _PROPERTY_CHANGE)
    try:
        return display.wait_until(answered, timeout_s, interval_s=_ASK_AGAIN_S)
    finally:
        display.core.DestroyWindow(probe)
        display.flush()


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowManager:
    """The window manager, as it tells of itself (EWMH).

    Attributes:
        name: "" where it does not tell.
        activates: whether it says that it gives a window the focus when asked; what it does then is another matter.
    """

    name: str
    activates: bool


def window_manager(display: Display) -> WindowManager | None:
    """The window manager; None without one that follows EWMH."""
    check = display.words(display.ask(display.root, "_NET_SUPPORTING_WM_CHECK"))
    if not check:
        return None
    name, supported = display.ask(check[0], "_NET_WM_NAME"), display.ask(display.root, "_NET_SUPPORTED")
    return WindowManager(
        name=display.text(name).decode("utf-8", "replace"),
        activates=display.atom("_NET_ACTIVE_WINDOW") in display.words(supported),
    )


class Ping:
    """One _NET_WM_PING. `answered` is True from the start without a window, or one that supports it."""

    def __init__(self, display: Display, window: int | None) -> None:
        self._display = display
        self._window = window
        self._pings = display.atom("_NET_WM_PING")
        self.answered = not window or self._pings not in display.words(display.ask(window, "WM_PROTOCOLS"))
        self._unsubscribe = display.subscribe(self._on_event)
        if window and not self.answered:
            # Replies are sent to the root window.
            display.listen(display.root, _STRUCTURE_NOTIFY | _SUBSTRUCTURE_NOTIFY)
            message = (_CLIENT_MESSAGE, 32, 0, window, display.atom("WM_PROTOCOLS"), self._pings, 0, window, 0, 0)
            display.core.SendEvent(False, window, 0, struct.pack("<BBHII5I", *message))
            display.flush()

    def look(self) -> bool:
        """As `answered`, but also True if the window is gone, because then no reply will come."""
        if not self.answered and self._display.answer(self._display.core.GetWindowAttributes(self._window)) is None:
            self.answered = True
        return self.answered

    def halted(self) -> bool:
        """Whether the window's process is stopped (state T of proc(5)), so that it handles nothing until continued."""
        pid = pid_of(self._display, self._window) if self._window else None
        if pid is None:
            return False
        try:
            # The state follows the name, which may contain spaces and parentheses.
            return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in {b"T", b"t"}
        except (OSError, IndexError):  # it has ended, or is not of this machine
            return False

    def close(self) -> None:
        """Stop waiting for the reply."""
        self._unsubscribe()

    def _on_event(self, event: Any) -> None:
        if type(event).__name__ == "ClientMessageEvent" and event.window == self._display.root and event.format == 32:
            data = event.data.data32
            if data[0] == self._pings and data[2] == self._window:
                self.answered = True
