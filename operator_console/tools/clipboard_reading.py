"""Reads the clipboard for the model, with a grant. Implements the engine's `EffectPort`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from operator_console.domain.actions import Action, QuoteClipboard
from operator_console.domain.admission import Admission, refused
from operator_console.domain.clipboard_contents import Clipboard
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ComputerError, OperatorError, RejectedReason
from operator_console.domain.frames import target_display
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.tools import ToolSpec

_MAX_CHARS = 20_000


class ClipboardQuoter:
    """Performs QuoteClipboard.

    Args:
        admission: Checks each grant.
        read: Returns what the clipboard of a display holds. May block for seconds. Raises ComputerError.
    """

    def __init__(self, admission: Admission, read: Callable[[str], Clipboard]) -> None:
        self._admission = admission
        self._read = read

    def handles(self, action: Action) -> bool:
        """Whether the action is QuoteClipboard."""
        return isinstance(action, QuoteClipboard)

    async def describe(self) -> Sequence[ToolSpec]:
        """Returns nothing: providers know this action."""
        return ()

    @property
    def problems(self) -> Sequence[OperatorError]:
        """None."""
        return ()

    async def close(self) -> None:
        """Does nothing."""

    async def perform(self, grant: Grant) -> Outcome:
        """Read the clipboard once. Failures are outcomes."""
        began = time.monotonic()
        if refusal := self._admission.refusal(grant):
            return refusal
        try:
            text = (await asyncio.to_thread(self._read, target_display(grant.target))).text
        except ComputerError as error:
            return refused(error.text, RejectedReason.UNSUPPORTED)
        if text is None:
            return refused(notice(NoticeCode.CLIPBOARD_WITHOUT_TEXT), RejectedReason.UNSUPPORTED)
        long = len(text) > _MAX_CHARS
        cut = notice(NoticeCode.TEXT_SHORTENED, shown=_MAX_CHARS, total=len(text)) if long else ""
        return Outcome(
            result=ActResult.DONE, detail=joined(notice(NoticeCode.CLIPBOARD_READ), cut), output=text[:_MAX_CHARS],
            delivered=1, total=1,
            duration_s=time.monotonic() - began,
        )  # fmt: skip
