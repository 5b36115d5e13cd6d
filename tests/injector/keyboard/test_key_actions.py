"""Key actions without a display: what is checked before which key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from operator_console.desktop.ledger import Ledger
from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.grants import FocusRule, Grant
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Refused
from operator_console.injector.input_method.client import InputMethod
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.key_actions import KeyActions
from operator_console.injector.keyboard.typist import Typist
from operator_console.injector.pointer import PointerActions
from operator_console.injector.progress import Progress
from operator_console.injector.target_check import TargetCheck


class FakeParts:
    """Replaces sender, typist, target check, pointer actions and input method; records the calls in order.

    The focus is lost after `keeps` checks.
    """

    def __init__(self, keeps: int = 1000, *, has_a: bool = True) -> None:
        self.calls: list[str] = []
        self._keeps = keeps
        self._has_a = has_a

    def check_focus(self, grant: Grant, rule: FocusRule, *, text: bool = False) -> int:
        self.calls.append("check")
        self._keeps -= 1
        if self._keeps < 0:
            raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.NO_WINDOW_HAS_FOCUS))
        return 7

    def check_clicked(self, grant: Grant, hit: object) -> int:
        return self.check_focus(grant, FocusRule())

    def recheck_focus(self, check: Callable[[], object]) -> None:
        check()

    def check_screen(self, grant: Grant) -> None: ...

    def keycodes(self, keys: tuple[Key, ...]) -> list[int]:
        return [50 for _ in keys]

    def has_key(self, key: Key) -> bool:
        return self._has_a

    def wait_for_presses(self) -> None:
        self.calls.append("presses arrived")

    def wait_for_foreign_keys(self, codes: list[int]) -> None: ...

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        return condition()

    def press_chord(self, keys: tuple[Key, ...], *, held_s: float = 0.0) -> None:
        self.calls.append("+".join(keys))

    def pace(self, window_id: int | None) -> FakeParts:
        return self

    def mark(self) -> None: ...

    def wait(self) -> None: ...

    def type_text(self, text: str, *, recheck: Callable[[], object], **_: Any) -> None:
        recheck()
        self.calls.append(text)

    def places(self, grant: Grant, at: NativePoint | None) -> tuple[ScreenPoint, ...]:
        return () if at is None else (ScreenPoint(at.x, at.y),)

    def click_into(self, grant: Grant, place: ScreenPoint) -> object:
        self.calls.append("click")
        return self

    @contextmanager
    def uncomposed_keys(self, wait_until_read: Callable[[], None], *, required: bool) -> Iterator[None]:
        yield

    def check_composition(self, wait_until_read: Callable[[], None]) -> None:
        self.calls.append("composition")

    def lacks_key_for(self, text: str) -> bool:
        return False

    engine_active = False

    def check(self) -> None: ...

    @contextmanager
    def held(self, codes: list[int]) -> Iterator[None]:
        yield

    def sync(self) -> None: ...


def perform(parts: FakeParts, action: Chord | TypeText, ledger: Ledger, *, terminal: bool = False) -> Progress:
    size = Size(100, 100)
    grant = Grant(
        grant_id="a", step=1, call=0, action=action, epoch=1, expires_s=0.0,
        target=MonitorTarget(spec="monitor:1", title=""),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), terminal=terminal,
    )  # fmt: skip
    progress = Progress(ledger=ledger)
    key_actions = KeyActions(
        cast(InputSender, parts), cast(Typist, parts), cast(TargetCheck, parts), cast(PointerActions, parts),
        cast(InputMethod, parts),
    )  # fmt: skip
    try:
        key_actions.perform(grant, action, progress)
    except Refused:
        parts.calls.append("refused")
    return progress


def test_each_press_of_a_repeated_chord_is_preceded_by_a_check(ledger: Ledger) -> None:
    parts = FakeParts(keeps=4)
    progress = perform(parts, Chord(keys=(Key("ctrl"), Key("w")), repeat=9), ledger)
    assert (progress.delivered, progress.total) == (3, 9)
    assert parts.calls == ["presses arrived", "check", "composition", *["check", "ctrl+w"] * 3, "check", "refused"]


def test_clearing_typing_and_submitting_are_each_preceded_by_a_check(ledger: Ledger) -> None:
    parts = FakeParts()
    perform(parts, TypeText(text="x", clear=True, submit=True), ledger)
    assert parts.calls == [
        "presses arrived", "check", "composition", "check", "ctrl+a", "check", "delete", "check", "x", "check", "enter",
    ]  # fmt: skip
    late = FakeParts(keeps=4)
    perform(late, TypeText(text="x", clear=True, submit=True), ledger)
    assert late.calls[-2:] == ["check", "refused"]
    assert "enter" not in late.calls


def test_a_field_is_cleared_by_the_arrow_keys_where_no_key_is_a(ledger: Ledger) -> None:
    parts = FakeParts(has_a=False)
    perform(parts, TypeText(text="x", clear=True), ledger)
    pressed = [call for call in parts.calls if call not in {"check", "presses arrived", "composition"}]
    # Qt's line edit obeys only the first and the third; an editor's Home and End may stop short of the line's ends.
    assert pressed == ["home", "ctrl+home", "shift+end", "ctrl+shift+end", "delete", "x"]


def test_a_line_of_what_policy_takes_for_a_terminal_is_cleared_as_shells_do(ledger: Ledger) -> None:
    parts = FakeParts()
    perform(parts, TypeText(text="x", clear=True), ledger, terminal=True)
    assert [call for call in parts.calls if call not in {"check", "presses arrived", "composition"}] == ["ctrl+u", "x"]


def test_a_click_has_arrived_before_the_first_character(ledger: Ledger) -> None:
    parts = FakeParts()
    perform(parts, TypeText(text="x", at=NativePoint(1, 2)), ledger)
    assert parts.calls == ["click", "presses arrived", "check", "composition", "check", "x"]
