"""Says to the person what a model would be told about a call that was not done: a runbook has no other reader."""

from __future__ import annotations

from collections.abc import Mapping

from operator_console.domain.message_texts import NoticeText, joined, notices_of, render
from operator_console.domain.notices import Notice, NoticeCode

_INSTEAD: Mapping[NoticeCode | str, NoticeCode | None] = {
    NoticeCode.CALL_DECLINED: NoticeCode.YOU_DENIED_IT,
    NoticeCode.OPERATOR_SAYS: NoticeCode.YOUR_NOTE,
    NoticeCode.CALL_CUT_OFF_BY_TAKE_OVER: NoticeCode.YOU_TOOK_OVER_FIRST,
    NoticeCode.CALL_CUT_OFF_BY_PAUSE: NoticeCode.PAUSED_FIRST,
    NoticeCode.SCREEN_IS_NOT_AS_SEEN: NoticeCode.SCREEN_CHANGED_FIRST,
    NoticeCode.INTERRUPTED_BY_OPERATOR: NoticeCode.IT_WAS_INTERRUPTED,
    NoticeCode.CALL_EDITED: None,
    NoticeCode.LOOK_AGAIN: None,
    NoticeCode.LOOK_BEFORE_GOING_ON: None,
    NoticeCode.DO_NOT_REPEAT: None,
}
"""What replaces a sentence for the model; None: nothing."""


def for_the_person(text: str) -> str:
    """The text of a call's result in words for the person; text by others stays."""
    notices = tuple(
        Notice(code=code, values=each.values)
        for each in notices_of(text)
        if (code := _INSTEAD.get(each.code, each.code)) is not None
    )
    return NoticeText(render(notices), notices) if notices_of(text) else joined(text)
