"""With a composing input method: keys are not composed, text arrives exactly, the person's engine is restored."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from operator_console.domain.stopping import StopCause
from tests.display.actions.sinks import Opener, chromium, holds, mousepad, qt, xterm
from tests.display.guard.acting import Acting, armed, injector_pid
from tests.display.rig import Desktop, wait_until
from tests.display.rig.input_method import COMPOSER, PLAIN, InputMethod

SENTENCE = "hello ni hao 你好 😀 é"
FIELDS: dict[str, Opener] = {
    "mousepad": mousepad,
    "qt text edit": partial(qt, kind="text"),
    "chromium textarea": chromium,
}


@pytest.fixture
def composing(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> Iterator[InputMethod]:
    """A daemon with a composing engine, used by applications started on the desktop and by the injector."""
    found = InputMethod(desktop)
    try:
        found.choose(COMPOSER)
        for name, value in found.env.items():
            monkeypatch.setitem(desktop.server.env, name, value)
        monkeypatch.setenv("IBUS_ADDRESS", found.address)
        yield found
    finally:
        desktop.reset()
        found.close()


def opener(field: str, method: InputMethod) -> Opener:
    return partial(qt, kind="text", more=method.config) if field == "qt text edit" else FIELDS[field]


async def typed(acting: Acting, text: str, *, clear: bool = True, terminal: bool = False) -> str:
    """Type the text, and return the method that was used."""
    outcome = await acting.do(TypeText(text=text, clear=clear), focus=FocusRule(), terminal=terminal)
    assert (outcome.result, outcome.delivered) == (ActResult.DONE, len(text)), outcome
    return outcome.method


@pytest.mark.parametrize(
    "field", [field if field == "mousepad" else pytest.param(field, marks=pytest.mark.full) for field in FIELDS]
)
async def test_text_arrives_while_an_engine_composes(
    desktop: Desktop, composing: InputMethod, tmp_path: Path, field: str
) -> None:
    async with opener(field, composing)(desktop, tmp_path) as sinks:
        sink = sinks[field]
        if sink.ready is not None:
            await sink.ready()
        async with armed(desktop) as acting:
            assert await typed(acting, "好的", clear=False) == "input method"
            assert await typed(acting, SENTENCE) == "input method"
            assert await holds(sink, acting, SENTENCE) == SENTENCE
            assert await typed(acting, "plain words\nin lines") == "mapped keys"
            await acting.do(Chord(keys=(Key("o"),)), focus=FocusRule())
            await acting.do(Chord(keys=(Key("space"),)), focus=FocusRule())
            assert await typed(acting, "\n行 ż\n", clear=False) == "mapped keys 2, input method 3"
            assert composing.engine() == COMPOSER
            assert await holds(sink, acting, whole := "plain words\nin lineso \n行 ż\n") == whole
        assert composing.engine() == COMPOSER


async def test_a_terminal_uses_the_input_method_with_a_plain_engine_too(
    desktop: Desktop, composing: InputMethod, tmp_path: Path
) -> None:
    mapping = desktop.keyboard_mapping()
    async with xterm(desktop, tmp_path) as sinks, armed(desktop) as acting:
        for engine, text, method in (
            (COMPOSER, SENTENCE, "input method"),
            (COMPOSER, "keys", "mapped keys"),
            (PLAIN, SENTENCE, "input method"),
            (PLAIN, "only keys " * 5, "mapped keys"),
        ):
            await asyncio.to_thread(composing.choose, engine)
            assert await typed(acting, text, terminal=True) == method
            assert await holds(sinks["xterm"], acting, text) == text
            assert await asyncio.to_thread(composing.engine) == engine
        assert desktop.keyboard_mapping() == mapping, "no spare keycode was used"
    assert composing.engine() == PLAIN


async def test_the_persons_engine_is_back_after_a_kill(
    desktop: Desktop, composing: InputMethod, tmp_path: Path
) -> None:
    text = "你好 plain words " * 200
    async with mousepad(desktop, tmp_path), armed(desktop) as acting:
        # Slowly: ibus takes a part of a second to tell the engine.
        work = asyncio.ensure_future(acting.do(TypeText(text=text), focus=FocusRule(), typing_delay_s=0.003))
        await asyncio.to_thread(wait_until, lambda: composing.engine() != COMPOSER, "the engine of the injector")
        os.kill(injector_pid(desktop), signal.SIGKILL)
        outcome = await work
        assert outcome.result is ActResult.UNKNOWN, outcome
        await acting.ears.wait(lambda: acting.ears.pauses)
        wait_until(lambda: composing.engine() == COMPOSER, "the person's engine")
        desktop.xdo("key", "ctrl+s")
        file = tmp_path / "mousepad.txt"
        wait_until(lambda: len(file.read_text(encoding="utf-8")) >= outcome.delivered, "what had been typed")
        assert text.startswith(file.read_text(encoding="utf-8").rstrip("\n"))
    assert composing.engine() == COMPOSER


async def test_a_text_that_a_person_composes_is_not_destroyed(
    desktop: Desktop, composing: InputMethod, tmp_path: Path
) -> None:
    async with mousepad(desktop, tmp_path) as sinks, armed(desktop) as acting:
        await typed(acting, "ab")
        desktop.xdo("type", "nihao")
        outcome = await acting.do(TypeText(text="x"), focus=FocusRule())
        assert outcome.result is ActResult.FAILED
        assert "composing" in outcome.detail
        desktop.xdo("key", "space")
        await typed(acting, "cd", clear=False)
        assert await holds(sinks["mousepad"], acting, "ab«nihao»cd") == "ab«nihao»cd"


async def test_a_window_without_input_method_gets_keys_and_a_daemon_that_hangs_is_left_alone(
    desktop: Desktop, composing: InputMethod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(desktop.server.env, "XMODIFIERS")
    async with xterm(desktop, tmp_path) as sinks, armed(desktop) as acting:
        assert await typed(acting, SENTENCE, terminal=True) == "mapped keys 15, temporary mapping 4"
        composing.daemon.popen.send_signal(signal.SIGSTOP)
        for word in " two ", "three":
            assert await typed(acting, word, clear=False, terminal=True) == "mapped keys"
        whole = SENTENCE + " two three"
        assert await holds(sinks["xterm"], acting, whole) == whole
        composing.daemon.popen.send_signal(signal.SIGCONT)


async def test_a_stop_ends_what_is_being_committed(desktop: Desktop, composing: InputMethod, tmp_path: Path) -> None:
    text = "你好 " * 3000
    async with xterm(desktop, tmp_path) as sinks, armed(desktop) as acting:
        work = asyncio.ensure_future(acting.do(TypeText(text=text), focus=FocusRule(), typing_delay_s=0.002))
        await acting.ears.wait(lambda: (tmp_path / "xterm.txt").stat().st_size)
        await acting.guard.stop(StopCause.BUTTON)
        outcome = await work
        assert outcome.result is ActResult.STOPPED, outcome
        wait_until(lambda: composing.engine() == COMPOSER, "the person's engine")
        desktop.xdo("type", "--delay", "20", "ni ")
        wanted = text[: outcome.delivered] + "«ni»"
        # One more character may have been in transit when the count was read.
        more = text[: outcome.delivered + 1] + "«ni»"
        got = await holds(sinks["xterm"], acting, more, timeout_s=3)
        assert got in {wanted, more}
