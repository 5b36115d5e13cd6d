"""One character as one primitive: entered in the ledger first, written at once, never past the gate or the ear."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.desktop.x11.input_xkb import State
from operator_console.injector.input_sender import Halted, InputSender

SHIFT, A = 50, 38
FREE = State(held=0, latched=0, locked=0, group=0)


class Line:
    """Stands where the X server would be; remembers what the ledger said when something was written."""

    def __init__(self, ledger: Ledger) -> None:
        self.written: list[tuple[int, ...]] = []
        self.ledger_then: list[tuple[list[int], int]] = []
        self.synced = 0
        self.ahead = False
        self.order: list[str] = []
        self._ledger = ledger

    def send(self, kind: int, detail: int) -> None:
        self.order.append(f"sent {detail}")
        self.ahead = True

    def sync(self) -> None:
        self.order.append("done")
        self.ahead = False

    def stroke(self, keycodes: tuple[int, ...]) -> None:
        self.ledger_then.append((self._ledger.keys, self._ledger.get(Word.IN_PRIMITIVE)))
        self.written.append(keycodes)

    def state(self) -> State:
        self.synced += 1
        return FREE


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
def line(ledger: Ledger) -> Line:
    return Line(ledger)


@pytest.fixture
def sender(ledger: Ledger, line: Line) -> InputSender:
    pointer = SimpleNamespace(
        mouseDown=lambda **_: line.order.append("pressed"),
        moveTo=lambda *_, **__: line.order.append("moved"),
        vscroll=lambda *_, **__: line.order.append("scrolled"),
    )
    at = SimpleNamespace(query_pointer=lambda: SimpleNamespace(root_x=5, root_y=5))
    display = SimpleNamespace(screen=lambda: SimpleNamespace(root=at))
    return InputSender(display, line, pointer, ledger, lambda: True)  # type: ignore[arg-type]


def test_the_ledger_knows_before_the_server_does(sender: InputSender, ledger: Ledger, line: Line) -> None:
    sender.stroke((SHIFT, A))
    assert line.written == [(SHIFT, A)]
    assert line.ledger_then == [([A, SHIFT], 1)]
    assert ledger.keys == []
    assert ledger.sent == [A, SHIFT]  # until the server has confirmed that it did the releases too
    assert ledger.get(Word.EVENTS) == 2
    assert ledger.get(Word.IN_PRIMITIVE) == 0
    sender.caught_up()
    assert ledger.clean


def test_a_key_is_down_before_the_pointer_does_what_it_is_held_for(sender: InputSender, line: Line) -> None:
    sender.press_key(SHIFT)
    sender.move(5, 5)
    sender.press_button(1, (5, 5))
    sender.release_key(SHIFT)
    sender.notch((5, 5), horizontal=False, amount=1)
    keys, pointer = f"sent {SHIFT}", ["moved", "pressed"]
    assert line.order == [keys, "done", *pointer, keys, "done", "scrolled"]


def test_a_shut_gate_lets_no_stroke_through(sender: InputSender, ledger: Ledger, line: Line) -> None:
    ledger.gate = Gate.STOPPED
    with pytest.raises(Halted):
        sender.stroke((A,))
    assert line.written == []
    assert ledger.clean


def test_typing_waits_for_an_ear_that_lags(sender: InputSender, ledger: Ledger, line: Line) -> None:
    ledger.set(Word.PACED, 1)

    def type_on() -> None:
        for _ in range(1000):
            sender.stroke((A,))

    with pytest.raises(Halted, match="hear"):
        type_on()
    assert line.synced == 2
    assert len(line.written) < 100


def test_typing_goes_on_where_the_ear_keeps_up(sender: InputSender, ledger: Ledger, line: Line) -> None:
    ledger.set(Word.PACED, 1)
    for _ in range(1000):
        ledger.set(Word.HEARD_NS, time.monotonic_ns())
        sender.stroke((A,))
    assert len(line.written) == 1000
    assert 20 <= line.synced <= 25  # presses and releases, some eighty to a question


def test_a_look_without_a_stroke_between_does_not_wait_for_the_ear(sender: InputSender, ledger: Ledger) -> None:
    ledger.set(Word.PACED, 1)
    ledger.set(Word.HEARD_NS, time.monotonic_ns())
    sender.stroke((A,))
    sender.caught_up()
    for _ in range(3):  # nothing was sent, so nothing more can be heard
        sender.caught_up()


def test_what_belongs_together_waits_before_and_not_between(sender: InputSender, line: Line) -> None:
    for _ in range(39):
        sender.stroke((A,))
    assert line.synced == 0
    sender.together(4)
    assert line.synced == 1
    sender.together(4)
    for _ in range(2):
        sender.stroke((A,))
    assert line.synced == 1
