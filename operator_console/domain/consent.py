"""What each action of a run was permitted on, by the events before it: found when it is granted, and found again in the
record to check it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from operator_console.domain.codec import canonical
from operator_console.domain.decisions import Consent
from operator_console.domain.events import Asked, Decided, Event, Granted, Observed


class ConsentTrail:
    """Follows the events of one run, in their order.

    Events from a record come with their stored form, because a version that knows more fields would write others.
    """

    def __init__(self) -> None:
        self._picture = ""
        self._questions: dict[tuple[int | None, int | None], str] = {}
        self._approvals: dict[tuple[int, int], str] = {}

    def see(self, event: Event, stored: Mapping[str, object] | None = None) -> None:
        """Take notice of an event."""
        match event:
            case Observed():  # of a new step, or of a new run
                self._picture = event.picture
                self._questions.clear()
                self._approvals.clear()
            case Asked():
                self._questions[event.step, event.call] = _digest(stored or event)
            case Decided():
                approves = event.decision.approves
                self._approvals[event.step, event.call] = _digest(stored or event) if approves else ""

    def consent(self, granted: Granted, stored: Mapping[str, object] | None = None) -> Consent:
        """What a permission rests on.

        Raises:
            PermissionError: the last decision about the call does not approve it, or there is none.
        """
        call = granted.step, granted.call
        if not (decision := self._approvals.get(call, "")):
            raise PermissionError("only what was approved can be granted")
        return Consent(
            window=_digest(stored["window"] if stored else granted.window) if granted.window is not None else "",
            picture=self._picture,
            question=self._questions.get(call, ""),
            decision=decision,
        )

    def supports(self, granted: Granted, stored: Mapping[str, object]) -> bool:
        """Whether the events before a recorded permission are those that it names, and approve it."""
        try:
            return granted.consent in (None, self.consent(granted, stored))
        except PermissionError:
            return False


def _digest(value: object) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()
