"""What grants do on machines over VNC, as strict servers of the three kinds read it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.domain.actions import Action, Button, Chord, Click, Drag, HoldKeys, KeyDown, Press, TypeText
from operator_console.domain.frames import VncTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import Grant, ScreenCheck
from operator_console.domain.keys import Key
from operator_console.injector.action_errors import DeliveryUnknown, Halted, Refused, Untypable
from operator_console.injector.input_gate import InputGate
from operator_console.injector.progress import Progress
from operator_console.injector.vnc import machine_input
from operator_console.injector.vnc.backend import MachineBackend
from operator_console.rfb.server_login import Login
from tests.servers.rfb_referee import Fence, Pointer, Referee, Request, Rules
from tests.servers.rfb_referee import Key as Told

TIGERVNC = Rules(extended_keys=True, extended_clipboard=True)
X11VNC = Rules(fence=False)
QEMU = Rules(fence=False, extended_keys=True, pointer_mode=1)
SIZE = Size(64, 48)
SHIFT, CTRL = 0xFFE1, 0xFFE3


class Acting:
    """A backend whose gate is open."""

    def __init__(self, server: Referee, ledger: Ledger) -> None:
        self.server, self.ledger = server, ledger
        ledger.gate = Gate.OPEN
        ledger.set(Word.EPOCH, 1)
        for word in (Word.BEAT_NS, Word.LEASE_NS):
            ledger.set(word, time.monotonic_ns() + 10**12)
        login = Login(host="127.0.0.1", port=server.port)
        self.backend = MachineBackend(ledger, InputGate(ledger, lambda: True), login)

    def do(self, action: Action, *, layout: str = "us", size: Size = SIZE, checks: tuple[ScreenCheck, ...] = (),
           paste: bool = False) -> Progress:  # fmt: skip
        grant = Grant(
            grant_id="a", step=1, call=0, action=action, epoch=1, expires_s=0.0, checks=checks, paste=paste,
            target=VncTarget(spec="vnc:machine:5900", title="", layout=layout),
            geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size),
        )  # fmt: skip
        progress = Progress(ledger=self.ledger)
        self.backend.perform(grant, progress)
        return progress

    def keys_told(self, count: int = 0) -> list[tuple[int, bool, int | None]]:
        """What the machine was told, once that is so much: QEMU confirms nothing."""
        self.server.until(lambda: len(self.server.heard(Told)) >= count)
        return [(each.keysym, each.down, each.scancode) for each in self.server.said if isinstance(each, Told)]


@contextmanager
def acting(rules: Rules, ledger: Ledger) -> Iterator[Acting]:
    with Referee(rules, (SIZE.width, SIZE.height)) as server:
        made = Acting(server, ledger)
        try:
            yield made
        finally:
            made.backend.close()


@pytest.mark.parametrize("rules", [TIGERVNC, X11VNC], ids=["TigerVNC", "x11vnc"])
def test_each_character_is_confirmed_before_the_next_is_sent(rules: Rules, ledger: Ledger) -> None:
    with acting(rules, ledger) as machine:
        machine.do(TypeText(text="aB"))
        said = [each for each in machine.server.said if isinstance(each, Told | Fence | Request)]
        typed = [each for each in said if isinstance(each, Told)]
        assert [(each.keysym, each.down) for each in typed] == [(97, True), (97, False), (66, True), (66, False)]
        confirming = [type(each) is not Told for each in said[said.index(typed[1]) + 1 : said.index(typed[2])]]
        assert confirming and all(confirming)


def test_qemu_gets_positions_and_the_shift_that_they_need(ledger: Ledger) -> None:
    with acting(QEMU, ledger) as machine:
        machine.do(TypeText(text="a!"))
        assert machine.keys_told(6) == [
            (97, True, 0x1E), (97, False, 0x1E),
            (SHIFT, True, 0x2A), (33, True, 0x02), (33, False, 0x02), (SHIFT, False, 0x2A),
        ]  # fmt: skip


def test_qemu_gets_the_positions_of_the_machines_layout(ledger: Ledger) -> None:
    with acting(QEMU, ledger) as machine:
        progress = machine.do(TypeText(text="z@Ö^é"), layout="de")
        assert progress.delivered == 5
        assert [(scancode, down) for _, down, scancode in machine.keys_told(18)] == [
            (0x15, True), (0x15, False),
            (0xB8, True), (0x10, True), (0x10, False), (0xB8, False),
            (0x2A, True), (0x27, True), (0x27, False), (0x2A, False),
            (0x29, True), (0x29, False), (0x39, True), (0x39, False),
            (0x0D, True), (0x0D, False), (0x12, True), (0x12, False),
        ]  # fmt: skip
        assert ledger.clean


def test_a_chord_is_where_the_machines_layout_has_its_keys(ledger: Ledger) -> None:
    with acting(QEMU, ledger) as machine:
        machine.do(Chord(keys=(Key("ctrl"), Key("z"))), layout="de")
        machine.do(Chord(keys=(Key("ctrl"), Key("c"))), layout="ru")
        pressed = [scancode for _, down, scancode in machine.keys_told(8) if down]
        assert pressed == [0x1D, 0x15, 0x1D, 0x2E]


def test_positions_of_a_layout_that_is_not_known_are_not_guessed(ledger: Ledger) -> None:
    with acting(QEMU, ledger) as machine, pytest.raises(Untypable, match="no keyboard layout none"):
        machine.do(TypeText(text="a"), layout="none")
    assert machine.keys_told() == []


def test_with_shift_a_letter_is_sent_as_a_capital_and_released_as_one(ledger: Ledger) -> None:
    with acting(TIGERVNC, ledger) as machine:
        machine.do(Chord(keys=(Key("ctrl"), Key("shift"), Key("a"))))
        assert [(keysym, down) for keysym, down, _ in machine.keys_told()] == [
            (CTRL, True), (SHIFT, True), (65, True), (65, False), (SHIFT, False), (CTRL, False),
        ]  # fmt: skip
        assert ledger.clean


@pytest.mark.parametrize(
    ("layout", "text"), [("us", "é"), ("pl", "й"), ("de", "ą"), ("de", "é"), ("us", "你"), ("ru", "a")]
)
def test_what_the_layout_lacks_is_named_before_anything_is_sent(ledger: Ledger, layout: str, text: str) -> None:
    with acting(TIGERVNC, ledger) as machine:
        with pytest.raises(Untypable) as refused:
            machine.do(TypeText(text=f"abc{text}"), layout=layout)
        assert f"{text} (U+{ord(text):04X})" in refused.value.text
        assert f"({layout})" in refused.value.text
        assert machine.keys_told() == []


def test_text_is_not_pasted_where_the_machine_has_no_clipboard(ledger: Ledger) -> None:
    with acting(X11VNC, ledger) as machine, pytest.raises(Untypable):
        machine.do(TypeText(text="你"), paste=True)


def test_a_pointer_that_only_takes_steps_is_refused_with_the_remedy(ledger: Ledger) -> None:
    with acting(Rules(fence=False, extended_keys=True, pointer_mode=0), ledger) as machine:
        with pytest.raises(Refused, match="usb-tablet"):
            machine.do(Click(at=NativePoint(1, 1)))
        assert machine.server.heard(Pointer) == []
        machine.do(TypeText(text="a"))


@pytest.mark.parametrize("rules", [TIGERVNC, X11VNC], ids=["TigerVNC", "x11vnc"])
def test_a_click_is_sent_only_where_the_screen_looks_and_measures_as_before(rules: Rules, ledger: Ledger) -> None:
    region, at = Rect(0, 0, 32, 32), NativePoint(16, 16)
    black = ScreenCheck(region=region, pixels=b"\0\0\0\xff" * 1024)
    with acting(rules, ledger) as machine:
        machine.do(Click(at=at), checks=(black,))
        clicked = [Pointer(16, 16, 0), Pointer(16, 16, 1), Pointer(16, 16, 0)]
        assert machine.server.heard(Pointer) == clicked
        for x in range(0, 32, 8):
            machine.server.draw(x, 0, 4, 32, (255, 255, 255))
        with pytest.raises(Refused, match="changed under the target"):
            machine.do(Click(at=at), checks=(black,))
        machine.server.resize(40, 40)
        with pytest.raises(Refused, match="changed its size"):
            machine.do(Click(at=at), checks=(black,))
        with pytest.raises(Refused, match="changed its size"):
            machine.do(Drag(path=(at, NativePoint(20, 20))))
        assert machine.server.heard(Pointer) == clicked


def test_a_point_outside_the_picture_is_refused(ledger: Ledger) -> None:
    with acting(TIGERVNC, ledger) as machine, pytest.raises(Refused) as refused:
        machine.do(Click(at=NativePoint(64, 3)))
    assert refused.value.reason == "out_of_range"


def test_a_press_is_in_the_ledger_before_it_is_sent(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[list[int], list[int], tuple[int, int]]] = []
    with acting(TIGERVNC, ledger) as machine:
        line = machine.backend._input._line
        assert line is not None

        def note(*_: object) -> None:
            seen.append((ledger.keysyms, ledger.buttons, ledger.pointer))

        monkeypatch.setattr(line, "pointer", note)
        monkeypatch.setattr(line, "key", note)
        machine.do(Press(at=NativePoint(7, 8), button=Button.RIGHT))
        machine.do(KeyDown(key=Key("shift")))
        monkeypatch.undo()
        assert seen == [([], [], (7, 8)), ([], [3], (7, 8)), ([SHIFT], [3], (7, 8))]
        assert machine.backend.release_all() == 2
        assert ledger.clean


def test_a_shut_gate_ends_a_text_with_what_was_sent(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    with acting(TIGERVNC, ledger) as machine:
        confirm = machine.backend._input.confirm

        def shut_after_two() -> None:
            confirm()
            if len(machine.server.heard(Told)) >= 4:
                ledger.gate = Gate.HELD

        monkeypatch.setattr(machine.backend._input, "confirm", shut_after_two)
        with pytest.raises(Halted):
            machine.do(TypeText(text="abcdef"))
        assert len(machine.keys_told()) == 4
        assert ledger.get(Word.DELIVERED) == 2
        assert ledger.clean


def test_a_machine_that_does_not_confirm_leaves_the_outcome_unknown(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_input, "CONFIRMED_WITHIN_S", 0.2)
    with acting(TIGERVNC, ledger) as machine:
        machine.server.rules.answers_fences = False
        with pytest.raises(DeliveryUnknown):
            machine.do(TypeText(text="ab"))
        assert len(machine.keys_told()) == 2, "the second character is not sent"


def test_a_lost_connection_is_made_anew_before_the_next_action_and_nothing_is_sent_twice(ledger: Ledger) -> None:
    with acting(TIGERVNC, ledger) as machine:
        machine.do(KeyDown(key=Key("shift")))
        machine.server.clients[-1].close()
        with suppress(DeliveryUnknown):  # the end of a connection may be seen before the action, or in it
            machine.do(HoldKeys(keys=(Key("tab"),), duration_s=0.0))
        machine.do(TypeText(text="x"))
        keys = [(keysym, down) for keysym, down, _ in machine.keys_told()]
        assert (SHIFT, False) in keys, "what the lost connection held is released"
        assert keys.count((120, True)) == 1
        assert ledger.clean


def test_where_the_machine_is_gone_nothing_is_sent(ledger: Ledger) -> None:
    with acting(TIGERVNC, ledger) as machine:
        pass
    with pytest.raises(Refused, match="could not be reached"):
        machine.do(TypeText(text="x"))
