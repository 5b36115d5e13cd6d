"""Errors that end an action before all of it was done, each with the result it is reported as.

The text of an error, with its notices, becomes the outcome's detail.
"""

from __future__ import annotations

from typing import ClassVar

from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import RejectedReason
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode


class ActionError(Exception):
    """The action was not carried out, or not to its end.

    Attributes:
        text: why.
        result: the result of the action.
        reason: the outcome's reason code; "" for none.
    """

    result: ClassVar[ActResult]
    reason: str = ""

    def __init__(self, text: NoticeText) -> None:
        super().__init__(text)
        self.text = text


class Refused(ActionError):
    """The screen is not what the grant was made for. Nothing more was sent."""

    result = ActResult.FAILED

    def __init__(self, reason: RejectedReason, text: NoticeText) -> None:
        super().__init__(text)
        self.reason = reason.value


class Halted(ActionError):
    """The gate is shut, or the guard or the session does not answer; the argument says which."""

    result = ActResult.STOPPED

    def __init__(self, cause: NoticeCode) -> None:
        super().__init__(notice(cause))
        self.reason = "paused" if cause is NoticeCode.NOT_FINISHED_PAUSED else ""


class Untypable(ActionError):
    """The text or a key cannot be sent as keys."""

    result = ActResult.FAILED
    reason = RejectedReason.UNSUPPORTED.value


class ForeignKey(ActionError):
    """A person holds a modifier key, which would change the meaning of keys and button presses, or the key itself."""

    result = ActResult.FAILED
    reason = RejectedReason.UNSUPPORTED.value


class CompositionActive(ActionError):
    """An input method is composing, or would compose the keys into other text."""

    result = ActResult.FAILED
    reason = RejectedReason.UNSUPPORTED.value


class InputMethodLost(ActionError):
    """The process of our input method engine ended during the action, so the effect of its keys is unknown."""

    result = ActResult.UNKNOWN


class DeliveryUnknown(ActionError):
    """It cannot be determined whether the application received the text."""

    result = ActResult.UNKNOWN
