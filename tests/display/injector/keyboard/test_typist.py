"""Text arrives exactly in real applications, with any layout and lock."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from operator_console.desktop.ledger import Ledger, Word
from operator_console.domain.actions import Chord, KeyDown, KeyUp, TypeText
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from operator_console.guard import latch
from tests.display.guard.acting import armed
from tests.display.rig import Application, Desktop, Witness, launch, launch_mousepad, launch_xterm, wait_until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]

SENTENCE = "Zażółć gęślą jaźń — 你好, 日本語 €"
PANGRAMS = "The quick brown fox (jumps) over 13 {lazy} dogs! \\ @#$%^&*_+-=[]|;:'\",.<>/?~`\nAnd\ttabs."


def sink(desktop: Desktop, path: Path) -> Application:
    """An xterm that writes each byte it receives to `path` at once."""
    path.write_bytes(b"")
    return launch_xterm(desktop, "sh", "-c", f"stty raw -echo -ixon; exec dd bs=1 of='{path}' status=none")


def received(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").replace("\r", "\n")


async def test_a_sentence_in_five_scripts_is_saved_by_mousepad(desktop: Desktop, tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("old text\n")
    launch_mousepad(desktop, file)
    async with armed(desktop) as acting:
        outcome = await acting.do(TypeText(text=SENTENCE, clear=True), focus=FocusRule())
        assert outcome.result is ActResult.DONE, outcome
        assert (outcome.delivered, outcome.total) == (len(SENTENCE), len(SENTENCE))
        own = sum(character < "\x7f" for character in SENTENCE)
        assert outcome.method == f"mapped keys {own}, temporary mapping {len(SENTENCE) - own}"
        await acting.do(Chord(keys=(Key("ctrl"), Key("s"))), focus=FocusRule())
        wait_until(lambda: file.read_text(encoding="utf-8").rstrip("\n") == SENTENCE or None, "the saved sentence")
        before = desktop.keyboard_mapping()
    assert desktop.keyboard_mapping() != before, "what was lent was not given back"
    assert desktop.keys_down() == []


@pytest.mark.parametrize(("layout", "lock"), [("fr", "Caps_Lock"), ("us,ru", "")])
async def test_text_is_the_same_under_any_layout_and_lock(
    desktop: Desktop, tmp_path: Path, layout: str, lock: str
) -> None:
    """Two texts; tests/display/actions/test_round_trip.py has all of them."""
    desktop.set_layout(layout)
    path = tmp_path / "out.txt"
    sink(desktop, path)
    text = PANGRAMS + "äöüß ÉÈ łŁ жЖ ạẠ"
    if lock:
        desktop.xdo("key", lock)
    async with armed(desktop) as acting:
        outcome = await acting.do(TypeText(text=text), focus=FocusRule())
        assert outcome.result is ActResult.DONE, outcome
        wait_until(lambda: len(received(path)) >= len(text) or None, "the whole text", timeout_s=10)
        assert received(path) == text
        assert bool(desktop.modifier_state() & 2) == bool(lock)


async def test_more_characters_than_spare_keys(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    sink(desktop, path)
    text = "".join(chr(0x4E00 + i) for i in range(150)) + "".join(chr(0x4E00 + i) for i in range(0, 150, 7))
    async with armed(desktop) as acting:
        outcome = await acting.do(TypeText(text=text), focus=FocusRule())
        assert outcome.result is ActResult.DONE, outcome
        wait_until(lambda: len(received(path)) >= len(text) or None, "the whole text", timeout_s=8)
        assert received(path) == text


async def test_lent_keys_are_not_pressed_before_a_window_without_ping_has_read_of_them(
    desktop: Desktop, tmp_path: Path
) -> None:
    path = tmp_path / "out.txt"
    terminal = sink(desktop, path)
    text = "".join(
        chr(0x4E00 + i) for i in range(150)
    )  # more than there are spare keycodes, which are therefore reassigned
    before = desktop.keyboard_mapping()
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            with desktop.frozen(terminal.pid):
                work = asyncio.ensure_future(acting.do(TypeText(text=text), focus=FocusRule()))
                await acting.ears.wait(lambda: desktop.keyboard_mapping() != before)
                await asyncio.wait([work], timeout=0.4)
                acts = [event for event in await asyncio.to_thread(witness.events) if event.kind == "key_down"]
            assert len({event.detail for event in acts}) <= 1, "only the guard's probe"
            outcome = await work
            assert outcome.result is ActResult.DONE, outcome
            await acting.ears.wait(lambda: len(received(path)) >= len(text))
            assert received(path) == text


async def test_an_application_that_is_slow_to_answer_is_waited_for(desktop: Desktop, tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("")
    editor = launch_mousepad(desktop, file)
    text = "".join(chr(0x4E00 + i) for i in range(150))
    async with armed(desktop) as acting:
        assert (await acting.do(TypeText(text="łŁ"), focus=FocusRule())).result is ActResult.DONE
        with desktop.frozen(editor.pid):
            before = desktop.keyboard_mapping()
            work = asyncio.ensure_future(acting.do(TypeText(text=text, clear=True), focus=FocusRule()))
            await asyncio.wait([work], timeout=2.8)  # longer than the limit for a window that has never answered
            assert desktop.keyboard_mapping() == before, "keys were lent anew that it had not read"
        outcome = await work
        assert outcome.result is ActResult.DONE, outcome
        await acting.do(Chord(keys=(Key("ctrl"), Key("s"))), focus=FocusRule())
        await acting.ears.wait(lambda: file.read_text(encoding="utf-8") == text)


async def test_another_layout_is_chosen_between_two_texts_and_within_one(desktop: Desktop, tmp_path: Path) -> None:
    """setxkbmap removes all assigned symbols from the keyboard map."""
    path = tmp_path / "out.txt"
    sink(desktop, path)
    text = "lent: 你好 łŁ ς, zwölf"
    long = "abcdefg łŁ ż 你好 " * 60
    async with armed(desktop) as acting:
        assert (await acting.do(TypeText(text=text), focus=FocusRule())).result is ActResult.DONE
        desktop.set_layout("de")
        mapping = desktop.keyboard_mapping()
        outcome = await acting.do(TypeText(text=text), focus=FocusRule())
        assert outcome.result is ActResult.DONE, outcome
        await acting.ears.wait(lambda: len(received(path)) >= 2 * len(text))
        assert received(path) == 2 * text

        so_far = path.stat().st_size
        slow = asyncio.ensure_future(acting.do(TypeText(text=long), focus=FocusRule(), typing_delay_s=0.001))
        await acting.ears.wait(lambda: path.stat().st_size > so_far + 100)
        await asyncio.to_thread(desktop.set_layout, "de")  # the same layout again, without the assigned symbols
        outcome = await slow
        assert (outcome.result, outcome.delivered) == (ActResult.DONE, len(long)), outcome
    assert desktop.keyboard_mapping() == mapping


async def test_a_held_shift_makes_capitals_and_a_repeated_chord_arrives(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    sink(desktop, path)
    async with armed(desktop) as acting:
        await acting.do(KeyDown(key=Key("shift")), focus=FocusRule())
        await acting.do(TypeText(text="abc"), focus=FocusRule())
        await acting.do(KeyUp(key=Key("shift")), focus=FocusRule())
        await acting.do(Chord(keys=(Key("x"),), repeat=5), focus=FocusRule())
        await acting.do(TypeText(text="d", submit=True), focus=FocusRule())
        wait_until(lambda: received(path).endswith("\n") or None, "the end")
        assert received(path) == "ABCxxxxxd\n"


async def test_what_no_key_types_is_refused_before_anything_is_sent(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    sink(desktop, path)
    async with armed(desktop) as acting:
        for text in ("a\x07b", "\ud800", "\x1b[2J"):
            outcome = await acting.do(TypeText(text=text), focus=FocusRule())
            assert (outcome.result, outcome.reason) == (ActResult.FAILED, "unsupported"), repr(text)
            assert path.stat().st_size == 0, repr(text)


@pytest.mark.parametrize(("length", "delay_s", "most"), [(6_000, 0.0, 4), (40, 0.03, 1)], ids=["at once", "slowly"])
async def test_few_characters_become_shortcuts_where_a_person_presses_a_modifier(
    desktop: Desktop, tmp_path: Path, length: int, delay_s: float, most: int
) -> None:
    """As on the way to the stop, Ctrl first. Three times, because the moment is by chance."""
    path = tmp_path / "out.txt"
    sink(desktop, path)
    text = "a" * length
    async with armed(desktop) as acting:

        async def shortcuts() -> int:
            before = path.stat().st_size
            typing = asyncio.ensure_future(acting.do(TypeText(text=text), focus=FocusRule(), typing_delay_s=delay_s))
            await acting.ears.wait(lambda: path.stat().st_size > before + length // 50)
            await asyncio.to_thread(desktop.xdo, "keydown", "Control_L")
            await asyncio.wait([typing], timeout=0.2)
            await asyncio.to_thread(desktop.xdo, "keyup", "Control_L")
            assert (await typing).result is ActResult.DONE
            await acting.ears.wait(lambda: path.stat().st_size == before + length)
            return path.read_bytes()[before:].count(b"\x01")

        assert max([await shortcuts() for _ in range(3)]) <= most


async def test_a_key_that_a_person_still_holds_is_pressed_once_it_is_up(desktop: Desktop, tmp_path: Path) -> None:
    """As Enter of the approval: the server drops a press of a key that is down, and only its release would arrive."""
    path = tmp_path / "out.txt"
    sink(desktop, path)
    async with armed(desktop) as acting:
        await asyncio.to_thread(desktop.xdo, "keydown", "Return")
        pressing = asyncio.ensure_future(acting.do(Chord(keys=(Key("enter"),)), focus=FocusRule()))
        done, _ = await asyncio.wait([pressing], timeout=0.3)
        await asyncio.to_thread(desktop.xdo, "keyup", "Return")
        assert not done
        assert (await pressing).result is ActResult.DONE


def slow_reader(desktop: Desktop, file: Path) -> Callable[[], int]:
    """Launch it; tells how many keys it has handled."""
    args = [sys.executable, str(Path(__file__).with_name("slow_reader.py")), str(file)]
    launch(desktop, args, title="Slow reader", env={"QT_QPA_PLATFORM": "xcb"})
    return lambda: file.stat().st_size


async def perform_into_slow_reader(desktop: Desktop, file: Path, action: TypeText | Chord) -> tuple[int, int]:
    """How many keys at most were sent and not handled yet, and how many were handled when the action was done."""
    handled = slow_reader(desktop, file)
    ahead = 0
    async with armed(desktop) as acting:
        ledger, fd = Ledger.open_file(latch.path_of(desktop.name, "ledger"))
        try:
            work = asyncio.ensure_future(acting.do(action, focus=FocusRule()))
            while not work.done():
                sent = ledger.get(Word.DELIVERED)
                ahead = max(ahead, sent - handled())
                await asyncio.wait([work], timeout=0.001)
        finally:
            ledger.close()
            os.close(fd)
        at_the_end, outcome = handled(), await work
        assert outcome.result is ActResult.DONE, outcome
        await acting.ears.wait(lambda: handled() == outcome.total)
    return ahead, at_the_end


async def test_a_text_does_not_run_ahead_of_a_slow_application(desktop: Desktop, tmp_path: Path) -> None:
    text = "abcdefgh" * 150
    ahead, handled = await perform_into_slow_reader(desktop, tmp_path / "handled.txt", TypeText(text=text))
    assert ahead <= 160
    assert handled == len(text)


async def test_a_repeated_key_does_not_run_ahead_of_a_slow_application(desktop: Desktop, tmp_path: Path) -> None:
    action = Chord(keys=(Key("a"),), repeat=150)
    ahead, _ = await perform_into_slow_reader(desktop, tmp_path / "handled.txt", action)
    assert ahead <= 8


async def test_a_text_whose_last_key_closes_the_window_is_done(desktop: Desktop, tmp_path: Path) -> None:
    handled = slow_reader(desktop, tmp_path / "handled.txt")
    async with armed(desktop) as acting:
        assert (await acting.do(TypeText(text="yes"), focus=FocusRule())).result is ActResult.DONE
        outcome = await asyncio.wait_for(acting.do(TypeText(text=" and no\n"), focus=FocusRule()), timeout=10)
        assert outcome.result is ActResult.DONE, outcome
        assert handled() == len("yes and no")


@pytest.mark.parametrize(("own", "device"), [("us", "fr"), pytest.param("fr", "us", marks=pytest.mark.full)])
async def test_text_is_exact_where_the_persons_keyboard_has_another_layout(
    xephyr_desktop: Desktop, tmp_path: Path, own: str, device: str
) -> None:
    """With each key of the person the server changes to that keyboard's layout. One in the text ends it unfinished."""
    desktop = xephyr_desktop
    keyboard = desktop.physical_keyboard()
    desktop.set_layout(own)
    desktop.set_layout(device, "-device", str(keyboard))
    path = tmp_path / "out.txt"
    sink(desktop, path)
    text = "amzq;:@ 12 ÿ łŁ 你 "
    before = desktop.symbols_of(keyboard)
    async with armed(desktop) as acting:

        async def type_after_a_key(text: str, until: Callable[[str], bool]) -> Outcome:
            """Presses another key once `until` what was received."""
            await asyncio.to_thread(desktop.human_xdo, "key", "Pause")
            await acting.guard.set_gate(open_=True)  # once the hand has left
            typing = asyncio.ensure_future(acting.do(TypeText(text=text), focus=FocusRule()))
            await acting.ears.wait(lambda: until(received(path)))
            await asyncio.to_thread(desktop.human_xdo, "key", "Pause")
            return await typing

        outcome = await type_after_a_key(text, lambda found: found == text)
        assert outcome.result is ActResult.DONE, outcome
        outcome = await type_after_a_key(text * 90, lambda found: found.startswith(text * 3))
        assert (outcome.result, outcome.reason) == (ActResult.STOPPED, "paused"), outcome
    assert desktop.symbols_of(keyboard) == before
    desktop.set_layout("us")
