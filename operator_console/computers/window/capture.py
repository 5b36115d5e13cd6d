"""Captures one window with its dialogs and menus, wherever it is and whatever covers it.

The captured rectangle is `area` in desktop/x11/window_family.py. A further window that the program opens as the effect
of the agent's input joins the target; one that opens at another time, which may be the person's, is only told.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from operator_console.computers.stillness import LATE_S
from operator_console.computers.target_capture import CAPTURE_ATTEMPTS, Focus, TargetCapture
from operator_console.computers.window_wording import quoted, require_shown
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Grab, Window
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, OneWindow, StackedWindow, WindowInfo, WindowTarget
from operator_console.domain.geometry import Rect, ScreenPoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode


class WindowCapture(TargetCapture):
    """Captures the window with the target's window id."""

    fixed = False
    click_gives_focus = False
    watch_reports_all = False  # dialogs and menus are painted outside the window's frame
    others_join = True

    def __init__(self, target: OneWindow, own: OwnWindows) -> None:
        super().__init__(target, own)
        self._own = own
        self._window_id = target.window_id
        self._title = target.title
        self._pid: int | None = None
        self._known_covering: tuple[int, Rect] | None = None
        self._covering: tuple[StackedWindow, ...] = ()
        self._before: frozenset[int] | None = None  # other windows of the program at the first look
        self._apart: tuple[WindowInfo, ...] = ()
        self._acted = False
        self._late_until_s = 0.0
        self._followed = False

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
        """The window, and all its visible windows (itself, dialogs, menus, what joined it), bottom first."""
        window = self.window()
        shown = [(layer.layer_id, layer.client) for layer in self.screen_capture.window_layers.layers()]
        family, others = self.display.family(window, shown, self._joined)
        if not (self.others_join and isinstance(self.target, WindowTarget)):
            return window, family
        if self._before is None:
            self._before = frozenset(each.window_id for each in others)
        known = self._before.union(each.window_id for each in self._apart)
        if (self._acted or time.monotonic() < self._late_until_s) and any(e.window_id not in known for e in others):
            self._own.join(self._window_id, (each.window_id for each in others if each.window_id not in known))
            family, others = self.display.family(window, shown, self._joined)
        self._apart = tuple(each.info() for each in others if each.window_id not in self._before)
        if self.target.joined != self._joined:
            self.target = replace(self.target, joined=self._joined)
        return window, family

    @property
    def _joined(self) -> tuple[int, ...]:
        return self._own.joined(self._window_id)

    @property
    def apart(self) -> tuple[WindowInfo, ...]:
        """The windows that the program opened since the first look, without the agent's doing."""
        return self._apart

    def input_follows(self) -> None:
        """What opened until now has another cause; what opens from now until the picture after it is its effect."""
        if self.others_join:
            self.family()
            self._acted = self._followed = True

    def frame(
        self, needs: ImageNeeds, recognise: Callable[[Grab], tuple[Grab, str]] = lambda grab: (grab, "")
    ) -> Frame:
        """As for any target. After input, windows are still its effect while late effects are watched for."""
        frame = super().frame(needs, recognise)
        if self._acted:
            self._acted, self._late_until_s = False, time.monotonic() + LATE_S
        return frame

    def close(self) -> None:
        """Disconnect. What joined the window for the session that captured it is no longer a part of it."""
        if self._followed:
            self._own.part(self._window_id)
        super().close()

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
        return Focus(window=window, in_target=window is not None and self._is_part(window, self.window()))

    def stack(self) -> tuple[StackedWindow, ...]:
        """The window, its dialogs and menus. Windows that cover it are not in the picture and cannot be clicked."""
        _, family = self.family()
        return self.screen_capture.stacked({window.frame_id for window in family})

    def receiver_of(self, hit: Window | None) -> Window | None:
        """A window of the target itself; the target for any other."""
        target = self.window()
        return hit if hit is not None and self._is_part(hit, target) else target

    def _is_part(self, window: Window, target: Window) -> bool:
        return self.display.belongs(window, target, self._joined)

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
