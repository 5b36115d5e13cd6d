"""Quoting the clipboard to the model, under a grant: read, never written. Fits engine's EffectPort by shape.

How a clipboard is read is the desktop's; app.py hands it in.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from operator_console.domain.actions import Action, QuoteClipboard
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import ComputerError, RejectedReason
from operator_console.domain.tools import ToolSpec

_LONGEST = 20_000


class ClipboardQuoter:
    """Answers QuoteClipboard.

    Args:
        admission: looks at each grant.
        read: the clipboard's text on a display (None: it holds none); may block for seconds. Raises ComputerError.
    """

    def __init__(self, admission: Admission, read: Callable[[str], str | None]) -> None:
        self._admission = admission
        self._read = read

    def handles(self, action: Action) -> bool:
        """QuoteClipboard."""
        return isinstance(action, QuoteClipboard)

    async def describe(self) -> Sequence[ToolSpec]:
        """None: dialects know these actions by themselves."""
        return ()

    async def close(self) -> None:
        """Nothing is held."""

    async def perform(self, grant: Grant) -> Outcome:
        """Read it once. A refusal says why."""
        began = time.monotonic()
        if refusal := self._admission.refusal(grant):
            return refusal
        try:
            text = await asyncio.to_thread(self._read, grant.target.display)
        except ComputerError as error:
            return refused(str(error), RejectedReason.UNSUPPORTED)
        if text is None:
            return refused("The clipboard holds no text.", RejectedReason.UNSUPPORTED)
        cut = f" Only the first {_LONGEST:,} of {len(text):,} characters." if len(text) > _LONGEST else ""
        return Outcome(
            result=ActResult.DONE, detail=f"Read the clipboard.{cut}", output=text[:_LONGEST], delivered=1, total=1,
            duration_s=time.monotonic() - began,
        )  # fmt: skip
