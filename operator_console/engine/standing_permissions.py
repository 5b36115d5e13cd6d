"""The permissions that stand in one session, and what an offer of one is drawn from: its latest actions and questions.

A permission is no second way to act. It only answers a question beforehand, and is asked for again at each decision and
right before each grant (`turn/decide.py`, `turn/grant.py`). It ends with the session, with a stop, when the operator
takes over, or by a press.
"""

from __future__ import annotations

import secrets
from collections import Counter, deque

from operator_console.domain.decisions import Question
from operator_console.domain.events import PermissionRevoked, Permitted
from operator_console.domain.permissions import LATEST_ACTIONS, Coverage, Permission, PermissionOffer, RevokedBy
from operator_console.domain.question_load import HASTE
from operator_console.engine.recorder import Recorder

_FITS_QUESTIONS = 2
"""So many of the latest questions must have been about what is offered when answers come quickly."""


class Permissions:
    """One session's permissions.

    Attributes:
        standing: those that stand, oldest first.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._actions: deque[Coverage | None] = deque(maxlen=LATEST_ACTIONS)
        self._asked: deque[Coverage | None] = deque(maxlen=HASTE)
        self.standing: tuple[Permission, ...] = ()

    def carried_out(self, coverage: Coverage | None) -> None:
        """Take notice of an action that was carried out; None: no permission could cover it."""
        self._actions.append(coverage)

    def asked(self, coverage: Coverage | None) -> None:
        """Take notice of a question about an action."""
        self._asked.append(coverage)

    def offer(self, coverage: Coverage | None) -> PermissionOffer | None:
        """The offer of a permission, with how many of the latest actions it would have covered."""
        if coverage is None:
            return None
        covered = sum(each is not None and coverage.covers(each) for each in self._actions)
        return PermissionOffer(coverage=coverage, covered=covered, of=len(self._actions))

    def offer_for_questions(self) -> PermissionOffer | None:
        """That of what the latest questions were about most often; None where no permission fits several of them."""
        fitting = Counter(each for each in reversed(self._asked) if each is not None)
        often = [coverage for coverage, count in fitting.most_common(1) if count >= _FITS_QUESTIONS]
        return self.offer(often[0]) if often else None

    def give(self, question: Question) -> None:
        """Give the permission that the question offered, because the operator's answer says so."""
        if (offer := question.offer) is None:
            return
        permission = Permission(permission_id=secrets.token_hex(8), coverage=offer.coverage)
        self.standing = (*self.standing, permission)
        self._recorder.emit(
            Permitted(
                permission_id=permission.permission_id, text=offer.coverage.sentence, coverage=offer.coverage,
                question_id=question.question_id, step=question.step, call=question.call,
            )
        )  # fmt: skip

    def covering(self, coverage: Coverage | None) -> str:
        """The id of a permission that covers an action; "" for none."""
        if coverage is None:
            return ""
        return next((each.permission_id for each in self.standing if each.coverage.covers(coverage)), "")

    def stands(self, permission_id: str) -> bool:
        """Whether it was given and has not ended."""
        return any(each.permission_id == permission_id for each in self.standing)

    def revoke(self, permission_id: str) -> None:
        """End a permission; what is being carried out is not interrupted."""
        self._end([each for each in self.standing if each.permission_id == permission_id], RevokedBy.OPERATOR)

    def revoke_all(self, by: RevokedBy) -> None:
        """End all of them."""
        self._end(self.standing, by)

    def _end(self, ending: list[Permission] | tuple[Permission, ...], by: RevokedBy) -> None:
        self.standing = tuple(each for each in self.standing if each not in ending)
        for each in ending:
            self._recorder.emit(PermissionRevoked(permission_id=each.permission_id, by=by))
