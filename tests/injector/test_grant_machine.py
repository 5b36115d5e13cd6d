"""Any order of sealing, changing, presenting, waiting, stops and starts: which permission is carried out.

A permission is good for exactly the action that it was sealed for, in its run and epoch, within its time, once. The
injector's server and its check are the real ones; the backend only notes what it was given.
"""

from __future__ import annotations

import base64
import os
import socket
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, invariant, rule

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import Chord, Click, TypeText
from operator_console.domain.codec import encode
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import FocusRule, Grant, HolderCheck, OwnerCheck, ScreenCheck
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.server import _Server
from tests.machines import LONG_S, Machine, run

LIFE_S = 5.0
SIZE = Size(640, 480)
FRAME = FrameGeometry(origin=ScreenPoint(0, 0), native=SIZE, sent=SIZE)
PLAIN = Grant(
    grant_id="", step=1, call=0, action=Click(at=NativePoint(5, 5)), target=MonitorTarget(spec="monitor:1", title="M"),
    geometry=FRAME, checks=(ScreenCheck(region=Rect(0, 0, 1, 1), pixels=b"abcd"),),
    owners=(OwnerCheck(at=NativePoint(5, 5), window_id=7, pid=3),), holder=HolderCheck(window_id=7), document="d",
    focus=FocusRule(window_id=7), epoch=0, expires_s=0.0, pointer=(1, 2),
)  # fmt: skip
CHANGES: dict[str, Any] = {
    "grant_id": "another", "step": 2, "call": 1, "action": Click(at=NativePoint(5, 6)),
    "target": MonitorTarget(spec="monitor:2", title="M"), "geometry": replace(FRAME, origin=ScreenPoint(1, 0)),
    "checks": (), "owners": (), "holder": None, "document": "", "focus": None, "epoch": 10_000, "expires_s": 1e9,
    "pointer": None, "typing_delay_s": 1.0, "press_time_s": 0.1, "paste": True, "terminal": True, "seal": "0" * 64,
}  # fmt: skip
"""One other value of each field."""
KEYS = [bytes([number]) * 32 for number in range(3)]


@dataclass(frozen=True)
class Sealed:
    """A permission as it was sealed: with which key, and when it ends."""

    grant: Grant
    key: bytes
    ends_s: float


class Grants(Machine):
    sealed = Bundle("sealed")

    def __init__(self) -> None:
        super().__init__()
        self.now, self.key = 100.0, b""
        self.ledger, self._fd = Ledger.in_memory()
        self._line, self._far = socket.socketpair()
        self.backend = Mock(**{"pointer.return_value": (1, 1)})
        self.server = _Server(self._line, self._far, self.ledger, OwnWindows(pids=()), self.backend)
        self.server._admission._monotonic = lambda: self.now
        self.carried_out: list[Grant] = []
        self.backend.perform = lambda grant, _progress: self.carried_out.append(grant)
        self.used: dict[str, float] = {}
        self.number = 0

    @property
    def epoch(self) -> int:
        return self.ledger.get(Word.EPOCH)

    @initialize(key=st.sampled_from(KEYS))
    def begin(self, key: bytes) -> None:
        self.run_begins(key)

    @rule(key=st.sampled_from(KEYS))
    def run_begins(self, key: bytes) -> None:
        """The console tells its key."""
        self.server._answer({"key": base64.b64encode(key).decode()})
        self.key = key

    @rule()
    def epoch_begins(self) -> None:
        """The guard paused, resumed or stopped."""
        self.ledger.set(Word.EPOCH, self.epoch + 1)

    @rule(seconds=st.sampled_from([0.1, 1.0, 4.9, 5.0, 60.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(
        target=sealed,
        ours=st.sampled_from([True, True, True, False]),
        epoch=st.sampled_from([0, 0, 0, -1, 1]),
        action=st.sampled_from([Click(at=NativePoint(1, 1)), Chord(keys=(Key("a"),)), TypeText(text="x")]),
    )
    def seal(self, *, ours: bool, epoch: int, action: Any) -> Sealed:
        self.number += 1
        key = self.key if ours else b"somebody's" * 3
        grant = replace(
            PLAIN, grant_id=f"{self.number}", action=action, epoch=self.epoch + epoch, expires_s=self.now + LIFE_S
        )
        return Sealed(grant.sealed(key), key, self.now + LIFE_S)

    @rule(one=sealed, at_once=st.booleans())
    def present(self, one: Sealed, *, at_once: bool) -> None:
        self._present(one.grant, one if one.key == self.key else None)
        if at_once:
            self._present(one.grant, one if one.key == self.key else None)

    @rule(one=sealed, name=st.sampled_from(sorted(CHANGES)))
    def present_changed(self, one: Sealed, name: str) -> None:
        """Any other field makes it another permission, which nobody sealed."""
        self._present(replace(one.grant, **{name: CHANGES[name]}), None)

    @rule(one=sealed)
    def present_resealed(self, one: Sealed) -> None:
        """By somebody without the key of this run."""
        self._present(one.grant.sealed(b"guessed"), None)

    @rule(what=st.sampled_from([{}, {"grant": None}, {"grant": {}}, {"grant": {"grant_id": 1}}]))
    def present_nonsense(self, what: dict[str, Any]) -> None:
        outcome = self.server._outcome({"id": 1, **what})
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, RejectedReason.BAD_GRANT)

    def _present(self, grant: Grant, sealed: Sealed | None) -> None:
        before = list(self.carried_out)
        outcome = self.server._outcome({"id": 1, "grant": encode(grant)})
        why = self._refused(grant, sealed)
        if why is None:
            assert self.carried_out == [*before, grant]
            assert outcome.result is ActResult.DONE
            return
        assert self.carried_out == before
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, RejectedReason.BAD_GRANT)
        assert outcome.detail == why

    def _refused(self, grant: Grant, sealed: Sealed | None) -> str | None:
        """Why it must be refused; None: it is to be carried out."""
        if not self.key:
            return notice(NoticeCode.GRANT_WITHOUT_KEY)
        if sealed is None:
            return notice(NoticeCode.GRANT_SEAL_INVALID)
        if self.now >= sealed.ends_s:
            return notice(NoticeCode.GRANT_EXPIRED)
        if grant.grant_id in self.used:
            return notice(NoticeCode.GRANT_USED)
        self.used[grant.grant_id] = sealed.ends_s
        if grant.epoch != self.epoch:
            return notice(NoticeCode.GRANT_EPOCH_OUTDATED, epoch=grant.epoch, current=self.epoch)
        return None

    @invariant()
    def each_was_carried_out_once(self) -> None:
        ids = [grant.grant_id for grant in self.carried_out]
        assert len(set(ids)) == len(ids)

    @invariant()
    def what_has_ended_is_forgotten(self) -> None:
        """Else a long run would remember every permission it ever used."""
        assert len(self.server._admission._used) <= len(self.used)

    def teardown(self) -> None:
        self._line.close()
        self._far.close()
        self.ledger.close()
        os.close(self._fd)


@pytest.mark.timeout(LONG_S)
def test_any_order_of_permissions() -> None:
    run(Grants)


def test_every_field_of_a_permission_is_sealed() -> None:
    assert set(CHANGES) == set(Grant.__dataclass_fields__)
    sealed = PLAIN.sealed(KEYS[0])
    assert sealed.genuine(KEYS[0])
    assert [name for name in CHANGES if replace(sealed, **{name: CHANGES[name]}).genuine(KEYS[0])] == []
