"""Locates an action: the windows that it reaches, the control at its points or with the keyboard focus, and what policy
is told of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from operator_console.domain.actions import (
    Action,
    CallFunction,
    Chord,
    Click,
    Drag,
    EditFile,
    Press,
    RunCommand,
    TypeText,
    target_point,
)
from operator_console.domain.elements import UNKNOWN_CONTROL, Control, ControlSource, Dialog, TextKnowledge
from operator_console.domain.errors import ComputerError, ComputerRejected, ComputerUnavailable
from operator_console.domain.frames import (
    Frame,
    KeyboardFocus,
    OneWindow,
    TargetKind,
    WindowInfo,
    target_app,
    target_display,
)
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.proposals import Call
from operator_console.engine.control_finder import ControlFinder, Hit, holds_fields, label_of, placed
from operator_console.engine.input_state import FieldId, field_id
from operator_console.engine.session_context import SessionContext
from operator_console.engine.targeting import is_keyboard, needs_browser, points
from operator_console.policy import PolicyContext
from operator_console.policy.applications import is_dialog_of_browser, is_terminal
from operator_console.policy.pasted_text import may_paste
from operator_console.policy.places_of_files import may_open

CARET_LOOKS, CARET_STEP_S = 5, 0.15
"""How often, and at which distance, a caret is looked for, which is shown for half a second and hidden for as long."""
_SUBMITTING_OR_PASTING = frozenset(map(Key, ("enter", "kp_enter", "v", "insert")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The target of an action.

    Attributes:
        context: what policy is told about it.
        window: the window that receives it; None: not known.
        hit: what is at its last point, or has the focus for keys; None: it hits nothing.
        start: what is at the first point of a drag.
        field: the field that it gives the focus, or that gets the keys; None: it does neither.
        focus: for keys without a point: where the keyboard focus was; what gets them is certain only in the target.
        given: the target was given the focus just before.
        found_s: when that was asked for, on the session's clock.
    """

    context: PolicyContext
    window: WindowInfo | None = None
    hit: Hit | None = None
    start: Hit | None = None
    field: FieldId | None = None
    focus: KeyboardFocus = KeyboardFocus.TARGET
    given: bool = False
    found_s: float = 0.0


class GiveFocus(Enum):
    """Whether the target is given the keyboard focus. `TRY`: where it cannot be given, carrying it out says why."""

    NO = auto()
    TRY = auto()
    MUST = auto()


class Locator:
    """Locates one session's actions."""

    def __init__(self, session: SessionContext, controls: ControlFinder) -> None:
        self._session = session
        self._controls = controls
        self._no_caret_in = ""

    async def locate(
        self, call: Call, action: Action, frame: Frame, *, give: GiveFocus = GiveFocus.NO, again: bool = False
    ) -> Sequence[Place]:
        """The targets of an action; a drag has one at each end.

        Args:
            call: the model's call.
            action: its action, or an edited one.
            frame: the frame that it was proposed on.
            give: whether the target is given the keyboard focus first, so that its application tells what has it.
            again: whether to wait once more for what was not told in time.

        Raises:
            ComputerRejected, ComputerUnavailable: it cannot be given the focus.
        """
        if again:
            self._controls.wait_again()
        elif give is not GiveFocus.NO:
            try:
                await self._give_focus()
            except (ComputerRejected, ComputerUnavailable):
                if give is GiveFocus.MUST:
                    raise
        return await self._targets(call, action, frame, given=give is not GiveFocus.NO)

    async def ask_ahead(self, call: Call, frame: Frame) -> None:
        """Begin to ask for the elements that a call acts on, which is going to be decided first."""
        if call.action is not None:
            await self._controls.ask_ahead(frame, points(call.action, frame, self._session.input_state.pointer))

    async def at_hand(self, call: Call, action: Action, frame: Frame) -> Sequence[Place]:
        """The targets of a call's action by what is known without waiting, for display."""
        where = points(action, frame, self._session.input_state.pointer)
        windows = await self._windows(frame, where)
        hits: Sequence[Hit | None] = self._controls.at_hand(frame, where, call.box)
        if not where:
            hits = [self._clicked_field(frame, await self._focused_window(frame)) if is_keyboard(action) else None]
        return self._places(call, action, frame, hits, windows)

    async def _targets(self, call: Call, action: Action, frame: Frame, *, given: bool) -> Sequence[Place]:
        if isinstance(action, RunCommand | EditFile | CallFunction):
            return self._places(call, action, frame, [None], [None])  # reaches no window
        where = points(action, frame, self._session.input_state.pointer)
        if where:
            box = call.box if action is call.action else None
            hits, windows = await asyncio.gather(self._controls.at(frame, where, box), self._windows(frame, where))
            return await self._completed(action, frame, self._places(call, action, frame, hits, windows))
        if not is_keyboard(action) and (frame.page is not None or not needs_browser(action)):
            return self._places(call, action, frame, [None], await self._windows(frame, where))
        return await self._targets_of_keys(call, action, frame, given=given)

    async def _targets_of_keys(self, call: Call, action: Action, frame: Frame, *, given: bool) -> Sequence[Place]:
        focus = await self._keyboard_focus()
        has_focus = focus is KeyboardFocus.TARGET
        windows = await self._windows(frame, ())
        hit = await self._focused_control(frame, windows[0], has_focus=has_focus)
        places = self._places(call, action, frame, [hit], windows)
        places = [replace(place, focus=focus, given=given) for place in places]
        places = await self._completed(action, frame, places)
        if not _fills_in(action) or not holds_fields(hit.control):
            return places
        changed = self._session.input_state.sent_since_frame
        fields = await self._controls.fields(frame, windows[0], has_focus=has_focus, changed=changed)
        return [*places, *(_in_field(place, field) for field in fields for place in places)]

    async def _completed(self, action: Action, frame: Frame, places: Sequence[Place]) -> list[Place]:
        """With what is in the clipboard, where the action may paste it, and the files that came in the session, where
        it may open one."""
        return await self._with_clipboard(action, frame, await self._with_new_files(action, places))

    async def _with_new_files(self, action: Action, places: Sequence[Place]) -> Sequence[Place]:
        look = self._session.ports.new_files
        if look is None or not any(may_open(action, place.context) for place in places):
            return places
        memory = self._session.memory
        memory.appeared(await asyncio.to_thread(look))
        return [replace(place, context=replace(place.context, met=memory.met)) for place in places]

    async def _with_clipboard(self, action: Action, frame: Frame, places: Sequence[Place]) -> list[Place]:
        read = self._session.ports.clipboard
        if read is None or not any(may_paste(action, place.context) for place in places):
            return list(places)
        held = await asyncio.to_thread(read, target_display(frame.target))
        return [
            replace(place, context=replace(place.context, pasted=held.text, pasted_files=held.files))
            for place in places
        ]  # fmt: skip

    async def _give_focus(self) -> None:
        computer = self._session.ports.computer
        await computer.prepare_input(None, needs_focus=True)
        await computer.after_input()

    async def _keyboard_focus(self) -> KeyboardFocus:
        try:
            return await self._session.ports.computer.keyboard_focus()
        except ComputerError:
            return KeyboardFocus.ELSEWHERE  # the target cannot be seen now; giving it the focus says why

    async def _focused_control(self, frame: Frame, window: WindowInfo | None, *, has_focus: bool) -> Hit:
        """The control that gets keys, asked for anew each time: Tab or a script may have moved the focus."""
        changed = self._session.input_state.sent_since_frame
        found = await self._controls.focused(frame, window, has_focus=has_focus, changed=changed)
        if found is not None:
            return found
        clicked = self._clicked_field(frame, window)
        if window is not None and has_focus and not changed and not is_terminal(window.app, window.title):
            found = await self._at_caret(frame, window, wait=not _is_drawn_field(clicked.control))
        if found is not None:
            return found
        if window is None or changed or clicked.nearby or label_of(clicked.control):
            return clicked
        return replace(clicked, nearby=await self._controls.said_in(frame, window))

    async def _at_caret(self, frame: Frame, window: WindowInfo, *, wait: bool) -> Hit | None:
        """The field whose caret blinks between the frame and now; with `wait`, or soon."""
        if self._session.ports.reader is None or self._no_caret_in == frame.frame_id:
            return None
        for look in range(CARET_LOOKS if wait else 1):
            if look:
                await self._session.clock.sleep(CARET_STEP_S)
            try:
                now = await self._session.ports.computer.glimpse()
            except ComputerError:
                return None
            if (found := await self._controls.at_caret(frame, now, window)) is not None:
                return found
        self._no_caret_in = frame.frame_id
        return None

    def _clicked_field(self, frame: Frame, window: WindowInfo | None) -> Hit:
        """The control that was clicked, as long as it is certain to have the focus."""
        input_state = self._session.input_state
        field = input_state.field if input_state.is_in(window) else None
        if field is not None and (input_state.sent_since_frame or self._controls.is_drawn(frame, field.control)):
            return field
        elements = self._session.ports.elements
        knowledge = TextKnowledge.UNREADABLE if elements is None else TextKnowledge.NOT_YET
        return Hit(control=Control(knowledge=knowledge))

    async def _windows(self, frame: Frame, where: Sequence[NativePoint]) -> Sequence[WindowInfo | None]:
        """The window that would receive it now, at each of its points, or (without any) by the focus."""
        if not where:
            return [await self._focused_window(frame)]
        try:
            return [await self._session.ports.computer.receiver(point) for point in where]
        except ComputerError:
            # The target cannot be seen now, so nothing will be sent either; assessed by the frame.
            return [_focus_in(frame)] * len(where)

    async def _focused_window(self, frame: Frame) -> WindowInfo | None:
        """The window that receives keys, as it is now: that of the frame, the one that a click of this turn has
        focused, or the target that is given the focus before."""
        sent = self._session.input_state.sent_since_frame
        meant = (self._session.turn_picture.given_focus if sent else None) or _focus_in(frame)
        try:
            now = await self._session.ports.computer.receiver(None)
        except ComputerError:
            return meant
        if now is not None and meant is not None and now.window_id == meant.window_id:
            return now  # its title may be another than in the frame: an editor has opened its file
        if meant is None and (sent or isinstance(frame.target, OneWindow)):
            return now
        if sent and frame.stack is None:
            return now
        return meant  # a window that took the focus since is not assessed, because nothing is sent to it

    def _places(
        self, call: Call, action: Action, frame: Frame, hits: Sequence[Hit | None], windows: Sequence[WindowInfo | None]
    ) -> Sequence[Place]:
        """One place for each window that receives the action, all with the same controls."""
        if frame.target.kind is TargetKind.VM:  # the viewer's title names a machine, and nothing that it shows
            windows = [window and replace(window, title="") for window in windows]
        hits = [
            hit and _in_own_dialog(placed(hit, window), window, frame)
            for hit, window in zip(hits, windows, strict=True)
        ]  # fmt: skip
        return [self._place(call, action, frame, hits, window) for window in dict.fromkeys(windows)]

    def _place(
        self, call: Call, action: Action, frame: Frame, hits: Sequence[Hit | None], window: WindowInfo | None
    ) -> Place:
        input_state = self._session.input_state
        hit, begun = hits[-1], UNKNOWN_CONTROL
        control = hit.control if hit is not None else UNKNOWN_CONTROL
        label, nearby = label_of(control), hit.nearby if hit is not None else ()
        field = None if hit is None else self._field(action, hit, window)
        if isinstance(action, Drag) and hits[0] is not None:
            begun = hits[0].control
            label, nearby = label_of(begun), tuple(text for text in (label, *hits[0].nearby, *nearby) if text)
        elif input_state.pressed is not None and not (is_keyboard(action) and target_point(action) is None):
            begun = input_state.pressed
        line = input_state.line(field if is_keyboard(action) else None)
        return Place(
            context=PolicyContext(
                app=window.app if window is not None else target_app(frame.target),
                title=_title(window, frame),
                url=control.url or frame.url, label=label, nearby=nearby,
                read=hit is not None and control.knowledge is TextKnowledge.READ, intent=call.intent,
                typed=line.typed, typed_known=line.known, held=tuple(input_state.keys),
                buttons=tuple(input_state.buttons), before=input_state.before,
                focus_moved=input_state.focus_moved, menu_open=input_state.menu_open,
                asks_for_line=input_state.asks_for_line,
                escaped=line.escaped, control=control, from_control=begun, clicks=self._clicks(action, hit),
                chosen=input_state.chosen,
                own_folders=self._session.options.own_folders,
                scope=self._session.memory.scope, met=self._session.memory.met,
                hidden_folder=self._session.memory.shown(window),
                function=self._session.functions.get(action.name) if isinstance(action, CallFunction) else None,
            ),
            window=window, hit=hit, start=hits[0] if isinstance(action, Drag) else None, field=field,
            found_s=self._session.clock.monotonic(),
        )  # fmt: skip

    def _clicks(self, action: Action, hit: Hit | None) -> int:
        """The clicks on the same control right before a press in the same turn, which may make it a double click."""
        input_state = self._session.input_state
        if (
            not (isinstance(action, Click | Press) or (isinstance(action, TypeText) and action.at is not None))
            or hit is None
            or not input_state.sent_since_frame
            or input_state.field is None
        ):
            return 0
        return input_state.clicks if input_state.field.control == hit.control else 0

    def _field(self, action: Action, hit: Hit, window: WindowInfo | None) -> FieldId:
        """The field that it gives the focus, or that gets the keys."""
        if not is_keyboard(action) or target_point(action) is not None:
            return field_id(hit, window)
        return self._session.input_state.place(hit if hit.element_id else None, window)


def _title(window: WindowInfo | None, frame: Frame) -> str:
    """What names the place for policy."""
    if frame.target.kind is TargetKind.VM:
        return ""
    title = (window.title if window is not None else "") or frame.title or frame.target.title
    page = _page_below(window, frame)
    return title if page is None else f"{title} - {page.title}"


def _page_below(window: WindowInfo | None, frame: Frame) -> WindowInfo | None:
    """The window of a page over which its browser shows this one, as it does its dialogs; None for other windows."""
    if window is None:
        return None
    windows = [below.info for below in reversed(frame.stack or ()) if below.info.pid == window.pid]
    around = [each for each in windows if each.rect != window.rect and each.rect.intersect(window.rect) == window.rect]
    return next((each for each in around if is_dialog_of_browser(window.app, window.title, page=each.title)), None)


def _in_own_dialog(hit: Hit, window: WindowInfo | None, frame: Frame) -> Hit:
    """What has the focus in the dialog that a window of a browser is, where no more is known of it."""
    known = hit.control.source is not ControlSource.NONE or hit.control.knowledge is TextKnowledge.READ
    if known or window is None or _page_below(window, frame) is None:
        return hit
    dialog = Dialog(title=window.title, text="\n".join(hit.nearby))
    return replace(hit, control=replace(hit.control, dialog=dialog))


def _is_drawn_field(control: Control) -> bool:
    """Whether the picture showed a field there: an empty box with its name beside it."""
    return bool(control.label and not control.text)


def _fills_in(action: Action) -> bool:
    """Whether it writes into a field, or may submit one."""
    if isinstance(action, Chord):
        return not _SUBMITTING_OR_PASTING.isdisjoint(action.keys)
    return isinstance(action, TypeText)


def _in_field(place: Place, field: Hit) -> Place:
    """The same place if this field of it has the focus."""
    control = placed(field, place.window).control
    context = replace(
        place.context, control=control, label=label_of(control), nearby=field.nearby,
        read=control.knowledge is TextKnowledge.READ, focus_told=False,
    )  # fmt: skip
    return replace(place, context=context)


def _focus_in(frame: Frame) -> WindowInfo | None:
    """The window with the focus in the frame; None where it is unknown or the focus is restored before input."""
    # The console's own window has the focus after a click on Approve.
    theirs = frame.focus is not None and not frame.focus.own
    return frame.focus if theirs and (frame.focus_in_target or not isinstance(frame.target, OneWindow)) else None
