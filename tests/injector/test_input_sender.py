"""Sending input: entered in the ledger first, never with the gate shut, never too far ahead of the guard."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.desktop.values import KeyControls
from operator_console.desktop.x11.keyboard_map import State
from operator_console.injector.action_errors import Halted, Refused, Untypable
from operator_console.injector.input_gate import InputGate
from operator_console.injector.input_sender import InputSender

SHIFT, A = 50, 38
FREE = State(held=0, latched=0, locked=0, group=0)


class FakeXTest:
    """An XTEST connection that records what is sent, and the state of the ledger at that moment."""

    def __init__(self, ledger: Ledger) -> None:
        self.strokes: list[tuple[int, ...]] = []
        self.ledger_then: list[tuple[list[int], int]] = []
        self.state_queries = 0
        self.has_unconfirmed = False
        self.order: list[str] = []
        self.latched = 0
        self._ledger = ledger

    def press_key(self, keycode: int) -> None:
        self.order.append(f"press {keycode}")
        self.has_unconfirmed = True

    def release_key(self, keycode: int) -> None:
        self.order.append(f"release {keycode}")
        self.has_unconfirmed = True

    def sync(self) -> None:
        self.order.append("sync")
        self.has_unconfirmed = False

    def stroke(self, keycodes: tuple[int, ...]) -> None:
        self.ledger_then.append((self._ledger.keys, self._ledger.get(Word.IN_PRIMITIVE)))
        self.strokes.append(keycodes)

    def state(self) -> State:
        self.state_queries += 1
        return replace(FREE, latched=self.latched)


class FakeAccessX:
    """Slow, bounce and sticky keys as `now` says; sticky keys go on where they are turned on."""

    def __init__(self, xtest: FakeXTest) -> None:
        self.now = KeyControls()
        self.down: set[int] = set()
        self._xtest = xtest

    def controls(self) -> KeyControls:
        return self.now

    def is_down(self, keycode: int) -> bool:
        return keycode in self.down

    def clear_latches(self) -> None:
        self._xtest.latched = 0

    def turn_sticky_on(self) -> None:
        self.now = replace(self.now, sticky=True)


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    fd = os.memfd_create("ledger")
    ledger = Ledger(fd, fresh=True)
    now = time.monotonic_ns()
    ledger.set(Word.BEAT_NS, now + 10**12)
    ledger.set(Word.LEASE_NS, now + 10**12)
    yield ledger
    ledger.close()
    os.close(fd)


@pytest.fixture
def xtest(ledger: Ledger) -> FakeXTest:
    return FakeXTest(ledger)


@pytest.fixture
def pointer_at() -> list[tuple[int, int]]:
    """Where the server says that the pointer is, a place for each question; the last one for all others."""
    return [(5, 5)]


@pytest.fixture
def accessx(xtest: FakeXTest) -> FakeAccessX:
    return FakeAccessX(xtest)


@pytest.fixture
def sender(ledger: Ledger, xtest: FakeXTest, accessx: FakeAccessX, pointer_at: list[tuple[int, int]]) -> InputSender:
    pointer = SimpleNamespace(
        mouseDown=lambda **_: xtest.order.append("pressed"),
        moveTo=lambda *_, **__: xtest.order.append("moved"),
        vscroll=lambda *_, **__: xtest.order.append("scrolled"),
    )

    def query_pointer() -> SimpleNamespace:
        x, y = pointer_at.pop(0) if len(pointer_at) > 1 else pointer_at[0]
        return SimpleNamespace(root_x=x, root_y=y)

    display = SimpleNamespace(screen=lambda: SimpleNamespace(root=SimpleNamespace(query_pointer=query_pointer)))
    return InputSender(display, xtest, pointer, ledger, lambda: True, accessx)  # type: ignore[arg-type]


def test_the_ledger_is_written_before_the_server_gets_a_key(
    sender: InputSender, ledger: Ledger, xtest: FakeXTest
) -> None:
    sender.stroke((SHIFT, A))
    assert xtest.strokes == [(SHIFT, A)]
    assert xtest.ledger_then == [([A, SHIFT], 1)]
    assert ledger.keys == []
    assert ledger.sent == [A, SHIFT]  # until the server has confirmed that it did the releases too
    assert ledger.get(Word.EVENTS) == 2
    assert ledger.get(Word.IN_PRIMITIVE) == 0
    sender.synced_state()
    assert ledger.clean


def test_keys_are_synced_before_the_pointer_acts(sender: InputSender, xtest: FakeXTest) -> None:
    sender.press_key(SHIFT)
    sender.move(5, 5)
    sender.press_button(1, (5, 5))
    sender.release_key(SHIFT)
    sender.scroll_notch((5, 5), horizontal=False, amount=1)
    assert xtest.order == [f"press {SHIFT}", "sync", "moved", "pressed", f"release {SHIFT}", "sync", "scrolled"]


def test_a_press_waits_for_a_pointer_that_is_frozen(
    sender: InputSender, xtest: FakeXTest, pointer_at: list[tuple[int, int]]
) -> None:
    """As it is until a window manager has handled the last press."""
    pointer_at[:] = [(1, 1)] * 3 + [(5, 5)]
    sender.press_button(1, (5, 5))
    assert xtest.order == ["pressed"]


@pytest.mark.parametrize("stays", [True, False], ids=["elsewhere", "left again"])
def test_nothing_is_pressed_where_somebody_moved_the_pointer(
    sender: InputSender, xtest: FakeXTest, pointer_at: list[tuple[int, int]], *, stays: bool
) -> None:
    pointer_at[:] = [(9, 9)] if stays else [(5, 5), (9, 9)]
    with pytest.raises(Refused, match="moved away before the press"):
        sender.press_button(1, (5, 5))
    assert xtest.order == []


def test_a_stop_ends_the_wait_for_the_pointer(
    sender: InputSender, ledger: Ledger, xtest: FakeXTest, pointer_at: list[tuple[int, int]]
) -> None:
    pointer_at[:] = [(9, 9)]
    ledger.gate = Gate.STOPPED
    with pytest.raises(Halted):
        sender.scroll_notch((5, 5), horizontal=False, amount=1)
    assert xtest.order == []


def test_no_stroke_is_sent_while_the_gate_is_shut(sender: InputSender, ledger: Ledger, xtest: FakeXTest) -> None:
    ledger.gate = Gate.STOPPED
    with pytest.raises(Halted):
        sender.stroke((A,))
    assert xtest.strokes == []
    assert ledger.clean


def test_typing_waits_for_a_guard_that_lags(sender: InputSender, ledger: Ledger, xtest: FakeXTest) -> None:
    ledger.set(Word.PACED, 1)

    def type_on() -> None:
        for _ in range(1000):
            sender.stroke((A,))

    with pytest.raises(Halted, match="does not see the events"):
        type_on()
    assert xtest.state_queries == 2
    assert len(xtest.strokes) < 100


def test_typing_continues_while_the_guard_keeps_up(sender: InputSender, ledger: Ledger, xtest: FakeXTest) -> None:
    ledger.set(Word.PACED, 1)
    for _ in range(1000):
        ledger.set(Word.HEARD_NS, time.monotonic_ns())
        sender.stroke((A,))
    assert len(xtest.strokes) == 1000
    assert 20 <= xtest.state_queries <= 25  # one sync per about 80 events


def test_a_sync_without_a_stroke_in_between_does_not_wait_for_the_guard(sender: InputSender, ledger: Ledger) -> None:
    ledger.set(Word.PACED, 1)
    ledger.set(Word.HEARD_NS, time.monotonic_ns())
    sender.stroke((A,))
    sender.synced_state()
    for _ in range(3):  # nothing was sent, so the guard cannot see anything new
        sender.synced_state()


def test_room_for_several_events_is_made_before_the_first(sender: InputSender, xtest: FakeXTest) -> None:
    for _ in range(39):
        sender.stroke((A,))
    assert xtest.state_queries == 0
    sender.make_room_for(4)
    assert xtest.state_queries == 1
    sender.make_room_for(4)
    for _ in range(2):
        sender.stroke((A,))
    assert xtest.state_queries == 1


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it waited each time, in seconds; it does not."""
    found: list[float] = []
    monkeypatch.setattr(InputGate, "wait", lambda _, seconds: found.append(seconds))
    monkeypatch.setattr(InputGate, "wait_for", lambda _, condition, seconds: condition())
    return found


def test_with_slow_keys_each_key_is_held_until_the_server_has_let_it_through(
    sender: InputSender, xtest: FakeXTest, accessx: FakeAccessX, waits: list[float]
) -> None:
    accessx.now = KeyControls(slow_s=0.3)
    accessx.down = {SHIFT, A}
    with sender.exact_keys():
        sender.stroke((SHIFT, A))
    assert xtest.order == [
        f"press {SHIFT}", "sync", f"press {A}", "sync", f"release {A}", f"release {SHIFT}"
    ]  # fmt: skip
    assert waits == [0.3, 0.3]


def test_a_key_that_slow_keys_never_let_through_is_told(
    sender: InputSender, ledger: Ledger, xtest: FakeXTest, accessx: FakeAccessX, waits: list[float]
) -> None:
    accessx.now = KeyControls(slow_s=0.3)
    with sender.exact_keys(), pytest.raises(Untypable, match="Slow keys"):
        sender.press_key(A)
    assert xtest.order == [f"press {A}", "sync", f"release {A}"] * len(waits)
    assert ledger.keys == []


def test_with_bounce_keys_only_the_same_key_waits(
    sender: InputSender, accessx: FakeAccessX, waits: list[float]
) -> None:
    accessx.now = KeyControls(bounce_s=60)
    with sender.exact_keys():
        sender.stroke((A,))
        sender.stroke((SHIFT,))
        assert waits == []
        sender.stroke((SHIFT,))
    assert [round(each) for each in waits] == [60]


def test_sticky_keys_act_on_nothing_and_stay_on(sender: InputSender, xtest: FakeXTest, accessx: FakeAccessX) -> None:
    accessx.now = KeyControls(sticky=True)
    xtest.latched = 1  # by the person
    with sender.exact_keys():
        assert xtest.latched == 0
        sender.press_key(SHIFT)
        xtest.latched = 1  # the key alone was pressed
        sender.release_key(SHIFT)
        assert xtest.latched == 0
        sender.stroke((SHIFT, A))
        accessx.now = KeyControls()  # as the server turns them off
    assert accessx.now.sticky
