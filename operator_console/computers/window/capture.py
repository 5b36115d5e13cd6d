"""Captures one window with its dialogs and menus, wherever it is and whatever covers it.

The captured rectangle is `area` in desktop/x11/window_family.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from operator_console.computers.target_capture import CAPTURE_ATTEMPTS, Focus, TargetCapture
from operator_console.computers.window_wording import quoted, require_shown
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Grab, Window
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, OneWindow, StackedWindow
from operator_console.domain.geometry import Rect, ScreenPoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode


class WindowCapture(TargetCapture):
    """Captures the window with the target's window id."""

    fixed = False
    click_gives_focus = False
    watch_reports_all = False  # dialogs and menus are painted outside the window's frame

    def __init__(self, target: OneWindow, own: OwnWindows) -> None:
        super().__init__(target, own)
        self._window_id = target.window_id
        self._title = target.title
        self._pid: int | None = None
        self._known_covering: tuple[int, Rect] | None = None
        self._covering: tuple[StackedWindow, ...] = ()

    @property
    def title(self) -> str:
        """The window's title when it was last seen."""
        return self._title

    def window(self) -> Window:
        """The window now. Raises ComputerUnavailable (gone, minimised, hidden)."""
        window = self.display.describe(self._window_id)
        if window is not None and (window.window_id != self._window_id or self._pid not in {None, window.pid}):
            window = None  # the id was reused for another window
        if window is not None:
            self._title, self._pid = window.title, window.pid
        return require_shown(window, self._title)

    def family(self) -> tuple[Window, list[Window]]:
        """The window, and all its visible windows (itself, dialogs, menus), bottom first."""
        window = self.window()
        shown = [(layer.layer_id, layer.client) for layer in self.screen_capture.window_layers.layers()]
        return window, self.display.family(window, shown)

    @property
    def base(self) -> ScreenPoint | None:
        """The corner of the client area, wherever dialogs make the picture larger."""
        rect = self.window().rect
        return ScreenPoint(rect.x, rect.y)

    def place(self) -> Rect:
        """The client area, extended by its dialogs and menus."""
        window, family = self.family()
        return self.display.family_area(window, family)

    def grab_all(self) -> Grab:
        """The pixels of the client area, extended by its dialogs and menus."""
        for _ in range(CAPTURE_ATTEMPTS):
            window, family = self.family()
            rect = self.display.family_area(window, family)
            grab = self.screen_capture.windows(rect, [each.frame_id for each in family])
            if grab is not None:
                return grab
        raise ComputerUnavailable(
            notice(NoticeCode.WINDOW_NOT_CAPTURED, window=quoted(self._title)),
            reason=UnavailableReason.HIDDEN,
            detail=notice(NoticeCode.WINDOWS_CHANGE_TOO_FAST),
            remedy=notice(NoticeCode.WAIT_FOR_STILL_WINDOW),
        )

    def preview(self, needs: ImageNeeds, name: Callable[[Grab], str] = lambda _: "") -> Frame:
        """As for any target, with the windows that lie over this one."""
        frame = super().preview(needs, name)
        rect = frame.geometry.rect
        known = (self.screen_capture.window_layers.version, rect)
        if known != self._known_covering:
            self._known_covering, self._covering = known, self._over(rect)
        return replace(frame, covering=self._covering)

    def _over(self, rect: Rect) -> tuple[StackedWindow, ...]:
        """The windows above the target that hide a part of `rect`, bottom first; without its own and the console's."""
        window, family = self.family()
        layers = list(self.screen_capture.window_layers.layers())
        place = next((n for n, layer in enumerate(layers) if layer.layer_id == window.frame_id), len(layers))
        mine, found = {each.frame_id for each in family}, []
        for layer in layers[place + 1 :]:
            parts = tuple(part for each in layer.parts if not (part := each.intersect(rect)).empty)
            if not parts or layer.own or layer.layer_id in mine:
                continue
            above = self.display.describe(layer.client)
            if above is not None:
                found.append(StackedWindow(info=above.info(), parts=parts))
        return tuple(found)

    def focus(self) -> Focus:
        """The focus, and whether the window or one of its dialogs has it."""
        window = self.current_focus()
        return Focus(window=window, in_target=window is not None and self.display.belongs(window, self.window()))

    def stack(self) -> tuple[StackedWindow, ...]:
        """The window, its dialogs and menus. Windows that cover it are not in the picture and cannot be clicked."""
        _, family = self.family()
        return self.screen_capture.stacked({window.frame_id for window in family})

    def receiver_of(self, hit: Window | None) -> Window | None:
        """A window of the target itself; the target for any other."""
        target = self.window()
        return hit if hit is not None and self.display.belongs(hit, target) else target

    def keys_reach(self) -> bool:
        """Whether the window or one of its dialogs has the focus."""
        return self.focus().in_target

    def window_for_keys(self) -> Window:
        """The window."""
        return self.window()

    @property
    def painted_in(self) -> int:
        """The window's frame. Dialogs and menus are noticed when they open and close."""
        return self.window().frame_id
