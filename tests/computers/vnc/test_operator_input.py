"""The operator's own input on a machine over VNC, as strict servers of three kinds read it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from unittest.mock import MagicMock

import pytest

from operator_console.app.session_handles import hand_may
from operator_console.computers.far_input import MachineHand
from operator_console.domain import states
from operator_console.domain.actions import Button
from operator_console.domain.events import EndedOutcome
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hand_input import (
    HandButton,
    HandClipboard,
    HandInput,
    HandKey,
    HandMay,
    HandMove,
    HandTab,
    HandText,
    HandUse,
    HandWheel,
)
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.rfb.server_login import Login
from tests.servers.rfb_referee import Clipboard, Pointer, Referee, Rules
from tests.servers.rfb_referee import Key as Told

TIGERVNC = Rules(extended_keys=True, extended_clipboard=True)
X11VNC = Rules(fence=False)
QEMU = Rules(fence=False, extended_keys=True, pointer_mode=1)
SHIFT, CTRL = 0xFFE1, 0xFFE3
AT = NativePoint(10, 20)
EVERYTHING: tuple[HandInput, ...] = (
    HandMove(at=AT), HandButton(button=Button.LEFT, down=True, at=AT), HandWheel(at=AT, dx=0, dy=100),
    HandKey(key=Key("a"), down=True, text="a"), HandText(text="text"), HandClipboard(text="copied"),
)  # fmt: skip
NOT_HANDED_OVER = (
    states.Idle(), states.Observing(), states.Thinking(), states.Acting(step=1, call=0),
    states.Reviewing(request=MagicMock()), states.Paused(by=PauseCause.HUMAN),
    states.Stopped(reason=StopCause.BUTTON), states.Ended(outcome=EndedOutcome.FINISHED),
)  # fmt: skip


class Held:
    """A hand on a server."""

    def __init__(self, server: Referee, layout: str) -> None:
        self.server = server
        self.hand = MachineHand(Login(host="127.0.0.1", port=server.port), layout)
        self.troubles: list[str] = []
        self.hand.told = self.troubles.append

    async def give(self, *inputs: HandInput) -> None:
        """Give these, and wait until they have been sent."""
        for each in inputs:
            assert self.hand.give(each)
            assert self.hand._working is not None
            await self.hand._working

    def keys_told(self) -> list[tuple[int, bool]]:
        return [(each.keysym, each.down) for each in self.server.said if isinstance(each, Told)]

    def pointers(self) -> list[tuple[int, int, int]]:
        return [(each.x, each.y, each.mask) for each in self.server.said if isinstance(each, Pointer)]

    async def until_gone(self) -> None:
        """Wait until the hand has ended its connection, after everything that it had to say."""
        await self.hand._worker.run(lambda: None)


@asynccontextmanager
async def held(rules: Rules = TIGERVNC, layout: str = "us", may: HandMay = HandMay.EVERYTHING) -> AsyncIterator[Held]:
    with Referee(rules, (64, 48)) as server:
        made = Held(server, layout)
        made.hand.permit(may)
        try:
            yield made
        finally:
            await made.hand.close()


def pressed(key: str, text: str = "", *, repeated: bool = False) -> HandKey:
    return HandKey(key=Key(key), down=True, text=text or (key if len(key) == 1 else ""), repeated=repeated)


def released(key: str) -> HandKey:
    return HandKey(key=Key(key), down=False)


@pytest.mark.parametrize("state", NOT_HANDED_OVER, ids=lambda each: type(each).__name__)
async def test_nothing_is_sent_and_nothing_connected_where_it_is_not_handed_over(state: states.State) -> None:
    async with held(may=hand_may(state)) as machine:
        assert [machine.hand.give(each) for each in (*EVERYTHING, HandTab(number=1))] == [False] * 7
        assert machine.server.clients == []


async def test_a_click_a_drag_and_the_wheel_are_sent_at_their_pixel() -> None:
    async with held() as machine:
        await machine.give(
            HandMove(at=AT), HandButton(button=Button.LEFT, down=True, at=AT), HandMove(at=NativePoint(63, 47)),
            HandButton(button=Button.LEFT, down=False, at=NativePoint(63, 47)), HandWheel(at=AT, dx=0, dy=60),
            HandWheel(at=AT, dx=-100, dy=60),
        )  # fmt: skip
        assert machine.pointers() == [
            (10, 20, 0), (10, 20, 1), (63, 47, 1), (63, 47, 0),
            (10, 20, 0), (10, 20, 1 << 5), (10, 20, 0), (10, 20, 1 << 4), (10, 20, 0),
        ]  # fmt: skip


async def test_what_was_given_is_counted_from_each_take_over_on() -> None:
    async with held() as machine:
        await machine.give(
            HandMove(at=AT), HandButton(button=Button.LEFT, down=True, at=AT),
            HandButton(button=Button.LEFT, down=False, at=AT), pressed("a"), pressed("a", repeated=True), released("a"),
            HandText(text="ż"), HandWheel(at=AT, dx=0, dy=60),
        )  # fmt: skip
        machine.hand.permit(HandMay.NOTHING)
        assert not machine.hand.give(pressed("a"))
        assert machine.hand.used == HandUse(presses=1, keys=1, texts=1)
        machine.hand.permit(HandMay.EVERYTHING)
        assert machine.hand.used == HandUse()


async def test_motion_is_thinned_to_what_the_machine_takes() -> None:
    async with held() as machine:
        await machine.give(HandMove(at=NativePoint(0, 0)))
        machine.server.rules.answers_fences = False
        for x in range(1, 41):
            machine.hand.give(HandMove(at=NativePoint(x, x)))
            await asyncio.sleep(0)
        await asyncio.to_thread(machine.server.until, lambda: len(machine.pointers()) == 2)
        for x in range(41, 61):
            machine.hand.give(HandMove(at=NativePoint(x, 5)))
        assert len(machine.hand._waiting) == 1
        assert machine.hand._waiting[0] == HandMove(at=NativePoint(60, 5))


@pytest.mark.parametrize("rules", [TIGERVNC, X11VNC], ids=["TigerVNC", "x11vnc"])
async def test_what_is_held_is_released_when_it_is_handed_back(rules: Rules) -> None:
    async with held(rules) as machine:
        await machine.give(
            pressed("shift"), pressed("A"), HandMove(at=AT), HandButton(button=Button.LEFT, down=True, at=AT)
        )
        machine.hand.permit(hand_may(states.Observing()))
        await machine.until_gone()
        await asyncio.to_thread(machine.server.until, lambda: (SHIFT, False) in machine.keys_told())
        assert machine.keys_told() == [(SHIFT, True), (65, True), (65, False), (SHIFT, False)]
        assert machine.pointers()[-2:] == [(10, 20, 1), (10, 20, 0)]
        assert not machine.hand.give(HandText(text="handed back"))


async def test_a_stop_during_a_text_ends_it() -> None:
    async with held() as machine:
        machine.hand.give(HandText(text="a" * 5000))
        machine.hand.give(HandText(text="b"))
        await asyncio.to_thread(machine.server.until, lambda: len(machine.keys_told()) > 4)
        machine.hand.permit(hand_may(states.Stopped(reason=StopCause.HOTKEY)))
        before = len(machine.keys_told())
        await machine.until_gone()
        told = machine.keys_told()
        assert len(told) <= before + 4  # the character on its way, and the one that was being sent
        assert told[-1] == (97, False)


async def test_what_was_given_before_is_not_sent_after_a_second_hand_over() -> None:
    async with held() as machine:
        machine.hand.give(HandText(text="a" * 5000))
        machine.hand.give(HandText(text="b"))
        await asyncio.to_thread(machine.server.until, lambda: len(machine.keys_told()) > 4)
        machine.hand.permit(HandMay.NOTHING)
        machine.hand.permit(HandMay.EVERYTHING)
        await machine.until_gone()
        await machine.give(pressed("c"), released("c"))
        told = machine.keys_told()
        assert len(told) < 2 * 5000
        assert told[-2:] == [(99, True), (99, False)]
        assert (98, True) not in told


@pytest.mark.parametrize("rules", [TIGERVNC, X11VNC], ids=["TigerVNC", "x11vnc"])
async def test_a_lost_connection_releases_by_a_new_one_what_it_held(rules: Rules) -> None:
    async with held(rules) as machine:
        await machine.give(pressed("a"), HandButton(button=Button.LEFT, down=True, at=AT))
        machine.server.clients[0].close()
        machine.server.said.clear()
        await machine.give(HandMove(at=NativePoint(5, 5)))
        assert len(machine.server.clients) == 2
        await asyncio.to_thread(machine.server.until, lambda: machine.pointers()[-1:] == [(10, 20, 0)])
        assert (97, False) in machine.keys_told()
        assert (97, True) not in machine.keys_told()
        assert machine.troubles == ["The machine could not be reached, so nothing was sent."]


async def test_a_machine_that_is_not_there_is_told_and_nothing_waits() -> None:
    async with held() as machine:
        await machine.give(HandMove(at=AT))
        machine.server._listener.shutdown(socket.SHUT_RDWR)
        machine.server.clients[0].close()
        await machine.give(HandMove(at=AT), HandMove(at=AT))
        assert machine.troubles == ["The machine could not be reached, so nothing was sent."] * 2


async def test_a_character_is_sent_as_the_operators_layout_gives_it() -> None:
    async with held(layout="de") as machine:
        await machine.give(
            pressed("shift"), pressed("/"), released("/"), released("shift"),
            pressed("alt_gr"), pressed("@"), released("@"), released("alt_gr"), HandText(text="ä"),
        )  # fmt: skip
        assert machine.keys_told() == [
            (SHIFT, True), (47, True), (47, False), (SHIFT, False), (64, True), (64, False), (228, True), (228, False),
        ]  # fmt: skip


async def test_a_lower_case_letter_with_shift_makes_no_caps_lock() -> None:
    """The operator's Caps Lock is on: with Shift his keyboard writes small letters."""
    async with held() as machine:
        await machine.give(pressed("caps_lock"), pressed("shift"), pressed("a"), released("a"))
        assert machine.keys_told() == [(SHIFT, True), (SHIFT, False), (97, True), (97, False), (SHIFT, True)]
        await machine.give(pressed("ctrl"), pressed("b"), released("b"))
        assert machine.keys_told()[5:] == [(CTRL, True), (66, True), (66, False)]


async def test_a_key_that_is_held_repeats() -> None:
    async with held() as machine:
        await machine.give(pressed("x"), pressed("x", repeated=True), released("x"))
        assert machine.keys_told() == [(120, True), (120, True), (120, False)]


async def test_qemu_gets_positions_with_the_shift_that_they_need() -> None:
    async with held(QEMU) as machine:
        await machine.give(pressed("!"), released("!"), pressed("shift"), pressed("/"), released("/"))
        told = [(each.scancode, each.down) for each in machine.server.said if isinstance(each, Told)]
        assert told == [
            (0x2A, True), (0x02, True), (0x02, False), (0x2A, False),
            (0x2A, True), (0x2A, False), (0x35, True), (0x35, False), (0x2A, True),
        ]  # fmt: skip


async def test_what_no_key_types_goes_through_the_clipboard() -> None:
    async with held() as machine:
        machine.hand.give(HandText(text="你好"))
        await asyncio.to_thread(machine.server.until, lambda: (CTRL, False) in machine.keys_told())
        clipboard = [each.action for each in machine.server.heard(Clipboard) if isinstance(each, Clipboard)]
        assert clipboard == ["caps", "notify"]
        assert machine.keys_told() == [(CTRL, True), (118, True), (118, False), (CTRL, False)]


async def test_what_has_no_key_and_no_clipboard_is_told() -> None:
    async with held(X11VNC) as machine:
        await machine.give(HandText(text="你"), HandClipboard(text="copied"))
        assert machine.keys_told() == []
        assert machine.troubles == [
            notice(NoticeCode.NO_KEY_AND_NO_CLIPBOARD, characters="你", layout="us"),
            "The machine takes no text by its clipboard: what you copied is not pasted.",
        ]


async def test_qemu_gets_the_positions_of_the_machines_layout() -> None:
    async with held(QEMU, layout="de") as machine:
        await machine.give(pressed("z"), released("z"), HandText(text="@é"), pressed("ctrl"), pressed("z"))
        told = [(each.scancode, each.down) for each in machine.server.said if isinstance(each, Told)]
        assert told == [
            (0x15, True), (0x15, False),
            (0xB8, True), (0x10, True), (0x10, False), (0xB8, False), (0x0D, True), (0x0D, False),
            (0x12, True), (0x12, False), (0x1D, True), (0x15, True),
        ]  # fmt: skip


async def test_positions_of_a_layout_that_is_not_known_are_not_guessed() -> None:
    async with held(QEMU, layout="none") as machine:
        await machine.give(pressed("z"), released("z"))
        assert machine.keys_told() == []
        assert len(machine.troubles) == 1


async def test_a_place_outside_of_the_machines_screen_is_not_sent() -> None:
    async with held() as machine:
        await machine.give(HandMove(at=NativePoint(64, 0)), HandButton(button=Button.LEFT, down=True, at=AT),
                           HandButton(button=Button.LEFT, down=False, at=NativePoint(64, 48)))  # fmt: skip
        assert machine.pointers() == [(10, 20, 0), (10, 20, 1), (10, 20, 0)]
