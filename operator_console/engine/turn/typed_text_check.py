"""Whether the field that was typed into holds what was typed: programs correct, indent, complete, format and cut it.

Only where the application tells the field's text, and the last call of a turn was the typing.
"""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.actions import TypeText
from operator_console.domain.elements import LONGEST_TEXT, UNKNOWN_CONTROL, Control, ElementState, Role
from operator_console.domain.events import Warned
from operator_console.domain.frames import Frame
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus
from operator_console.domain.secrets_by_name import names_in
from operator_console.engine.control_finder import ControlFinder
from operator_console.engine.session_context import SessionContext
from operator_console.engine.turn.step import Turn
from operator_console.engine.visible_text import brief

AGAIN_AFTER_S = 0.3
"""When the field is asked again: browsers tell some time later what they show."""
_MOST_SHOWN = 200
_FIELDS = (Role.SEARCH_FIELD, Role.TEXT_FIELD)
_PARTS = (Role.CELL, Role.HEADING, Role.PARAGRAPH)
"""Parts of a document, of which the focused one holds the last line that was typed."""


async def with_text_in_field(session: SessionContext, controls: ControlFinder, turn: Turn, frame: Frame) -> Turn:
    """The turn, with what the field holds in the result of its last call, where that is not what was typed.

    The person is warned of it too. `frame` is the first one after the turn.
    """
    sent, result = turn.sent, turn.results[-1] if turn.results else None
    if sent is None or result is None or not isinstance(sent.action, TypeText) or not stays_in_field(sent.action):
        return turn
    if result.call.index != sent.call or result.status is not CallStatus.DONE:
        return turn
    control = await _focused(controls, frame)
    typed, held = _last_typed(sent.action, control), _held(control)
    if not differs(typed, held):
        return turn
    await session.clock.sleep(AGAIN_AFTER_S)
    if _held(await _focused(controls, frame)) != held:
        return turn
    why = notice(NoticeCode.FIELD_HOLDS, text=f"“{brief(session.hidden.without(held), _MOST_SHOWN)}”")
    title = notice(NoticeCode.FIELD_HOLDS_OTHER_TEXT)
    session.recorder.emit(Warned(title=title, detail=why, step=turn.step))
    return replace(turn, results=(*turn.results[:-1], replace(result, text=joined(result.text, title, why))))


async def _focused(controls: ControlFinder, frame: Frame) -> Control:
    hit = await controls.focused(frame, frame.front, has_focus=frame.focus_in_target, changed=True, unhurried=True)
    return UNKNOWN_CONTROL if hit is None else hit.control


def _held(control: Control) -> str:
    """The text of a field, or of an editable part of a document; "" where it is not told, or not all of it."""
    held = control.value if control.role in _FIELDS else control.text if _is_part(control) else ""
    return held if len(held) < LONGEST_TEXT else ""


def _is_part(control: Control) -> bool:
    return control.role in _PARTS and ElementState.EDITABLE in control.states


def _last_typed(action: TypeText, control: Control) -> TypeText:
    """The part of what was typed that the control holds."""
    return replace(action, text=action.text.rpartition("\n")[2]) if _is_part(control) else action


def stays_in_field(action: TypeText) -> bool:
    """Whether the field that an action types into keeps the focus and the text, which names no secret."""
    text = action.text
    return (
        not action.submit and not text.endswith("\n") and "\t" not in text and bool(text.strip()) and not names_in(text)
    )


def differs(action: TypeText, held: str) -> bool:
    """Whether a field holds another text than was typed into it.

    One that is empty may have been sent and emptied. Around what was typed, other text may stand, unless the field was
    cleared first. Browsers tell all white space as one space.
    """
    text, held = (_plain(each) for each in (action.text, held))
    if not held:
        return False
    if held == " ".join(held.split()):
        text = " ".join(text.split())
    return text != held if action.clear else text not in held


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\N{NO-BREAK SPACE}", " ").strip()
