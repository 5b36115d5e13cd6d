"""Which permission is admitted, and what each refusal says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Click
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

KEY = b"k" * 32
SIZE = Size(64, 48)
GRANT = Grant(
    grant_id="a", step=1, call=0, action=Click(at=NativePoint(1, 1)), target=MonitorTarget(spec="monitor:1", title="M"),
    geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=SIZE, sent=SIZE), epoch=3, expires_s=105.0,
)  # fmt: skip


class Rig:
    def __init__(self) -> None:
        self.key, self.epoch, self.now = KEY, 3, 100.0
        self.admission = Admission(lambda: self.key, lambda: self.epoch, monotonic=lambda: self.now)

    def refuses(self, grant: Grant) -> str:
        """The words of the refusal; "" where it is admitted."""
        outcome = self.admission.refusal(grant)
        if outcome is None:
            return ""
        assert outcome.detail
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, RejectedReason.BAD_GRANT.value)
        return outcome.detail


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_a_permission_is_admitted_once(rig: Rig) -> None:
    sealed = GRANT.sealed(KEY)
    assert rig.refuses(sealed) == ""
    assert rig.refuses(sealed) == notice(NoticeCode.GRANT_USED)
    assert rig.refuses(replace(GRANT, grant_id="b").sealed(KEY)) == ""
    assert rig.refuses(sealed) == notice(NoticeCode.GRANT_USED)


def test_one_of_another_epoch_is_refused_and_used_up(rig: Rig) -> None:
    sealed = replace(GRANT, epoch=4).sealed(KEY)
    assert rig.refuses(sealed) == notice(NoticeCode.GRANT_EPOCH_OUTDATED, epoch=4, current=3)
    rig.epoch = 4
    assert rig.refuses(sealed) == notice(NoticeCode.GRANT_USED)


def test_it_ends_with_its_time_and_is_forgotten_then(rig: Rig) -> None:
    sealed = GRANT.sealed(KEY)
    rig.now = 105.0
    assert rig.refuses(sealed) == notice(NoticeCode.GRANT_EXPIRED)
    rig.now = 104.9
    assert rig.refuses(sealed) == ""
    rig.now = 105.0
    assert rig.refuses(sealed) == notice(NoticeCode.GRANT_EXPIRED), "not that it was used"
    assert rig.admission._used == {}


def test_without_a_key_or_with_another_ones_seal_nothing_is_admitted(rig: Rig) -> None:
    rig.key = b""
    assert rig.refuses(GRANT.sealed(b"")) == notice(NoticeCode.GRANT_WITHOUT_KEY)
    rig.key = KEY
    assert rig.refuses(GRANT) == notice(NoticeCode.GRANT_SEAL_INVALID)
    assert rig.refuses(GRANT.sealed(b"another")) == notice(NoticeCode.GRANT_SEAL_INVALID)


def test_what_was_admitted_is_outdated_once_the_epoch_has_moved_on(rig: Rig) -> None:
    assert not rig.admission.outdated(GRANT)
    rig.epoch = 4
    assert rig.admission.outdated(GRANT)


def test_a_refusal_says_that_nothing_was_done() -> None:
    assert refused("why", RejectedReason.STALE) == Outcome(result=ActResult.FAILED, detail="why", reason="stale")
