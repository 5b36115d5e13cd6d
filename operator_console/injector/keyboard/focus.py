"""Who would get keys that are sent now, and whether that is who was meant.

Looks, never touches: the focus, what lies over its window, whether somebody has grabbed the keyboard.
"""

from __future__ import annotations

from collections.abc import Callable

from operator_console.desktop.values import Window
from operator_console.desktop.x11 import window_family, windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.monitors import screen_rect
from operator_console.domain.decisions import FocusRule, Grant
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import TargetKind
from operator_console.domain.geometry import Rect
from operator_console.injector.input_sender import Refused, named

_ALREADY_GRABBED = 1
_ASYNC = 1
_COPY_DEPTH, _INPUT_ONLY = 0, 2
_INSET_PX = 3
_HARMLESS = frozenset({"tooltip", "notification", "dnd", "dock", "desktop"})

Signature = tuple[int, tuple[int, ...], bool]
"""The focus, the windows over its points, whether the keyboard is grabbed."""


class Focusing:
    """Asks over the view's connection.

    Args:
        own: whether a window is the console's.
        holds_keys: whether the agent itself keeps a key down (a window manager may grab the keyboard for that long).
    """

    def __init__(self, display: Display, own: Callable[[Window], bool], holds_keys: Callable[[], bool]) -> None:
        self._display = display
        self._own = own
        self._holds_keys = holds_keys
        self._points: tuple[tuple[int, int], ...] = ()
        self._seen: Signature | None = None
        # Never mapped: a grab on it is refused in any case, and the reason tells whether another client has one.
        self._unmapped = display.connection.generate_id()
        display.core.CreateWindow(_COPY_DEPTH, self._unmapped, display.root, -10, -10, 1, 1, 0, _INPUT_ONLY, 0, 0, [])
        display.sync()

    def check(self, grant: Grant, rule: FocusRule, *, text: bool, by_click: bool = False) -> int | None:
        """The window that keys go to; None: nobody's, and keys alone were asked for. Raises Refused.

        `by_click`: a click of this action has given it the focus, whoever held it in the picture.
        """
        self._display.pump()
        self._seen = None
        holder = self._holder()
        if holder is None and not text and rule.window_id is None and grant.target.kind is not TargetKind.WINDOW:
            return None
        popup = self._popup(rule)
        if holder is None:
            if popup is not None and self._grabbed():
                return popup.window_id  # a launcher: it reads the keyboard without ever having the focus
            raise Refused(RejectedReason.NO_FOCUS, "No window has the keyboard focus.")
        if self._own(holder):
            raise Refused(RejectedReason.NO_FOCUS, "This console has the keyboard focus.")
        if not by_click:
            self._require_holder(grant, holder)
        if not self._meant(grant, rule, holder, popup):
            raise Refused(RejectedReason.NO_FOCUS, f"The keyboard focus is with {named(holder)}.")
        self._points = self._points_of(holder)
        seen = self._look()
        self._refuse_where_taken(seen, holder, popup)
        self._seen = seen
        return holder.window_id

    def check_clicked(self, grant: Grant, hit: Window) -> int | None:
        """As check, after a click into `hit`: exactly that window, or the one that it is a popup of."""
        found = self.check(grant, FocusRule(window_id=hit.window_id), text=True, by_click=True)
        if found != hit.window_id and not hit.override:
            raise Refused(RejectedReason.NO_FOCUS, f"The click did not give {named(hit)} the keyboard focus.")
        return found

    def check_holder(self, grant: Grant) -> None:
        """Before a pointer action. Raises Refused where another window than in the picture holds the focus.

        Nobody is no other window, nor is the console (a click on Approve gives it the focus) or what is not the
        target's: a person may work there.
        """
        self._display.pump()
        holder = self._holder() if grant.holder is not None else None
        if holder is not None and not self._own(holder):
            self._require_holder(grant, holder)

    def _require_holder(self, grant: Grant, holder: Window) -> None:
        meant = grant.holder
        if meant is None or meant.window_id == holder.window_id or not self._of_target(grant, holder):
            return
        was = f"“{meant.title}” had it" if meant.title else "it was elsewhere"
        raise Refused(RejectedReason.STALE, f"The keyboard focus is with {named(holder)} now; in the picture {was}.")

    def _of_target(self, grant: Grant, holder: Window) -> bool:
        if grant.target.kind is not TargetKind.WINDOW or grant.target.window_id is None:
            return self._on_target(grant, holder)
        target = windows.describe(self._display, grant.target.window_id)
        return target is not None and window_family.belongs(self._display, holder, target)

    def unchanged(self) -> bool:
        """Whether all is as it was when `check` last found it good. One exchange with the server."""
        return self._seen is not None and self._look() == self._seen

    def _holder(self) -> Window | None:
        """The window with the focus; one that is nowhere on the screen is a window manager's word for none."""
        holder = windows.focused(self._display)
        if holder is None or holder.frame_rect.intersect(screen_rect(self._display)).empty:
            return None
        return holder

    def _popup(self, rule: FocusRule) -> Window | None:
        """The rule's window where it manages itself: it shows, but does not get the focus."""
        named_window = windows.describe(self._display, rule.window_id) if rule.window_id is not None else None
        return named_window if named_window is not None and named_window.override else None

    def _meant(self, grant: Grant, rule: FocusRule, holder: Window, popup: Window | None) -> bool:
        if rule.window_id == holder.window_id:
            return self._on_target(grant, holder)
        if grant.target.kind is TargetKind.WINDOW and grant.target.window_id is not None:
            target = windows.describe(self._display, grant.target.window_id)
            return target is not None and window_family.belongs(self._display, holder, target)
        if popup is not None:
            return self._grabbed() or window_family.belongs(self._display, popup, holder)
        return rule.window_id is None and self._on_target(grant, holder)

    def _on_target(self, grant: Grant, holder: Window) -> bool:
        """A monitor is worked on as far as it reaches: a window that does not meet it is another monitor's."""
        if grant.target.kind is TargetKind.WINDOW:
            return True
        return not holder.frame_rect.intersect(area_of(grant)).empty

    def _points_of(self, holder: Window) -> tuple[tuple[int, int], ...]:
        """The middle of a window and its corners, as far as they are on the screen."""
        seen = holder.frame_rect.intersect(screen_rect(self._display))
        left, right = seen.x + _INSET_PX, seen.right - 1 - _INSET_PX
        top, bottom = seen.y + _INSET_PX, seen.bottom - 1 - _INSET_PX
        return seen.centre, (left, top), (right, top), (left, bottom), (right, bottom)

    def _look(self) -> Signature:
        core, root = self._display.core, self._display.root
        asked = core.GetInputFocus()
        tops = [core.TranslateCoordinates(root, root, x, y) for x, y in self._points]
        grab = core.GrabKeyboard(False, self._unmapped, 0, _ASYNC, _ASYNC)
        has, got = self._display.answer(asked), self._display.answer(grab)
        children = tuple(reply.child if reply is not None else 0 for reply in map(self._display.answer, tops))
        return has.focus if has is not None else 0, children, got is not None and got.status == _ALREADY_GRABBED

    def _grabbed(self) -> bool:
        return self._look()[2]

    def _refuse_where_taken(self, seen: Signature, holder: Window, popup: Window | None) -> None:
        """A screen lock, a launcher or a menu of somebody else reads the keyboard, whoever has the focus."""
        _, tops, grabbed = seen
        over = {top: self._foreign(top, holder, popup) for top in set(tops) - {0, holder.frame_id}}
        if all(over.get(top) is not None for top in tops):
            raise Refused(RejectedReason.NO_FOCUS, f"{named(over[tops[0]])} covers {named(holder)} whole.")
        if not grabbed or self._holds_keys():
            return
        for layer, _ in windows.shown(self._display):
            taker = self._foreign(layer, holder, popup)
            if taker is not None and not _HARMLESS.intersection(taker.kinds) and self._takes_input(taker):
                raise Refused(RejectedReason.NO_FOCUS, f"{named(taker)} has taken the keyboard.")

    def _foreign(self, layer: int, holder: Window, popup: Window | None) -> Window | None:
        """The window where it manages itself and is neither ours, nor meant, nor the holder's own menu or popup."""
        window = windows.describe(self._display, layer)
        if window is None or not window.override or self._own(window):
            return None
        if popup is not None and window.window_id == popup.window_id:
            return None
        return None if window_family.belongs(self._display, window, holder) else window

    def _takes_input(self, window: Window) -> bool:
        seen = window.frame_rect.intersect(screen_rect(self._display))
        top = None if seen.empty else windows.window_at(self._display, *seen.centre)
        return top is not None and top.frame_id == window.frame_id


def area_of(grant: Grant) -> Rect:
    """What a monitor's (or whole desktop's) picture covers, input units."""
    geometry = grant.geometry
    scale = geometry.input_scale
    return Rect(geometry.origin.x, geometry.origin.y, round(geometry.native.width * scale),
                round(geometry.native.height * scale))  # fmt: skip
