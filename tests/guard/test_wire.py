"""What crosses the line between the guard and its client."""

from __future__ import annotations

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice, notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.guard import wire
from operator_console.guard.__main__ import _guard

NO_MODIFIERS = ("x", "p", "a")


def codes(text: str) -> list[str]:
    return [each.code for each in notices_of(text)]


def test_an_error_keeps_its_notices() -> None:
    sent = OperatorError(
        notice(NoticeCode.DISPLAY_IN_USE),
        detail=notice(NoticeCode.ARMED_SESSION_HOLDS_DISPLAY, display=":7"),
        remedy="as the X server said",
    )
    ours, theirs = wire.pair()
    with ours, theirs:
        wire.send(theirs, {"t": "refused", **wire.error_fields(sent)})
        message, _ = wire.receive(ours)
    error = wire.error_in(message)
    assert (error.title, error.detail, error.remedy) == (sent.title, sent.detail, sent.remedy)
    assert codes(error.title) == [NoticeCode.DISPLAY_IN_USE]
    assert notices_of(error.detail) == notices_of(sent.detail)
    assert codes(error.remedy) == []


async def test_a_guard_that_cannot_listen_says_why_with_codes() -> None:
    ours, theirs = wire.pair()
    with ours, theirs:
        assert await _guard(":7", theirs, NO_MODIFIERS) == 1
        message, _ = wire.receive(ours)
    assert message["t"] == "failed"
    error = wire.error_in(message)
    assert codes(error.title) == [NoticeCode.HOTKEY_UNUSABLE]
    assert codes(error.detail) == [NoticeCode.HOTKEY_NEEDS_MODIFIER_AND_KEY]
