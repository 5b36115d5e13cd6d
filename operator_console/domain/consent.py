"""What each action of a run was permitted on, by the events before it: found when it is granted, and found again in the
record to check it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from operator_console.domain.codec import canonical
from operator_console.domain.decisions import Consent, DecidedBy
from operator_console.domain.events import (
    Answered,
    Asked,
    Decided,
    Event,
    Granted,
    Observed,
    PermissionRevoked,
    Permitted,
    SessionStarted,
)
from operator_console.domain.permissions import Coverage


class ConsentTrail:
    """Follows the events of one run, in their order.

    Events from a record come with their stored form, because a version that knows more fields would write others.
    """

    def __init__(self) -> None:
        self._picture = ""
        self._questions: dict[tuple[int | None, int | None], str] = {}
        self._approvals: dict[tuple[int, int], tuple[str, str]] = {}
        self._offers: dict[str, Coverage] = {}
        self._widened: dict[str, Coverage] = {}
        self._permissions: dict[str, str] = {}

    def see(self, event: Event, stored: Mapping[str, object] | None = None) -> None:
        """Take notice of an event."""
        match event:
            case SessionStarted():  # no permission outlives the run that it was given in
                self._offers.clear()
                self._widened.clear()
                self._permissions.clear()
            case Observed():  # of a new step, or of a new run
                self._picture = event.picture
                self._questions.clear()
                self._approvals.clear()
            case Asked(question=question):
                self._questions[event.step, event.call] = _digest(stored or event)
                if question.offer is not None:
                    self._offers[question.question_id] = question.offer.coverage
            case Answered(question_id=question_id):
                offered = self._offers.pop(question_id, None)
                if offered is not None and event.permits and event.by is DecidedBy.HUMAN:
                    self._widened[question_id] = offered
            case Permitted(question_id=question_id, coverage=coverage):
                if self._widened.pop(question_id, None) == coverage:
                    self._permissions[event.permission_id] = _digest(stored or event)
            case PermissionRevoked(permission_id=permission_id):
                self._permissions.pop(permission_id, None)
            case Decided():
                digest = _digest(stored or event) if event.decision.approves else ""
                self._approvals[event.step, event.call] = digest, event.permission

    def consent(self, granted: Granted, stored: Mapping[str, object] | None = None) -> Consent:
        """What a permission for one action rests on.

        Raises:
            PermissionError: the last decision about the call does not approve it, or there is none, or it rests on a
                permission of the operator's that was not given, or ended.
        """
        call = granted.step, granted.call
        decision, permission = self._approvals.get(call, ("", ""))
        if not decision or (permission and permission not in self._permissions):
            raise PermissionError("only what was approved can be granted")
        return Consent(
            window=_digest(stored["window"] if stored else granted.window) if granted.window is not None else "",
            picture=self._picture,
            question=self._questions.get(call, ""),
            decision=decision,
            permission=self._permissions[permission] if permission else "",
        )

    def supports(self, granted: Granted, stored: Mapping[str, object]) -> bool:
        """Whether the events before a recorded permission are those that it names, and approve it."""
        try:
            return granted.consent in (None, self.consent(granted, stored))
        except PermissionError:
            return False


def _digest(value: object) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()
