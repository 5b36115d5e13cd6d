"""Typing by the clipboard, judged by what the application received: nothing lost, doubled or wrong, ever.

In each field, pastes of random text, one after another, while both cores are kept busy half of the time; before every
tenth a program copies text, rich text and a picture of some megabytes anew, and after each paste another reads all that
back. Then the same with the acting process killed at a random moment: the field holds a beginning of the text, or all.
Last, how long 10,000 characters take by keys and by the clipboard.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from operator_console.desktop.ledger import Ledger, Word
from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.keys import Key
from operator_console.guard import latch
from tests.benchmarks.figures import Options, Row, Samples, ratio_row
from tests.benchmarks.stage import Stage, stage
from tests.display.actions.sinks import APPLICATIONS, FIELDS, Sink, holds
from tests.display.actions.waiting import until
from tests.display.guard.acting import Acting, FocusRule, armed, injector_pid
from tests.display.injector.copying import Copied, copied

_PICTURE_BYTES = 3_000_000
_PICKED = [*range(0x4E00, 0x9000), *range(0x5D0, 0x5EB), *range(0x1F600, 0x1F640), *range(0x41, 0x7B)]
_KILLED = ("mousepad", "qt text edit", "chromium textarea", "chromium contenteditable")
_SAID, _STOPPED = "not known, and said so", "not finished, and said so"
_TIMED = ("mousepad", "chromium textarea")


def measure(options: Options) -> list[Row]:
    """One field after another, or those named in OPERATOR_CONSOLE_FIELDS (by commas)."""
    named = os.environ.get("OPERATOR_CONSOLE_FIELDS")
    # Nothing is pasted into a terminal, and zenity's text is known only when it ends.
    fields = [each for each in (named.split(",") if named else FIELDS) if each not in ("zenity entry", "xterm")]
    return [
        *(asyncio.run(_pastes(name, options.times(300, 4))) for name in fields),
        *(asyncio.run(_kills(name, options.times(50, 2))) for name in fields if name in _KILLED),
        *(asyncio.run(_speed(name, options.times(5, 1))) for name in fields if name in _TIMED),
    ]


@dataclass
class Count:
    """What came of the pastes into one field."""

    came: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    took_ms: list[float] = field(default_factory=list)

    def row(self, what: str, allowed: tuple[str, ...]) -> Row:
        wrong = sum(number for how, number in self.came.items() if how not in allowed)
        said = ", ".join(f"{how} {number}" for how, number in self.came.most_common())
        ways = ", ".join(f"{way} {number}" for way, number in self.ways.most_common())
        took = Samples.of(self.took_ms)
        return Row(what=what, n=took.n, seen=f"{said}; by {ways}; {took.said(digits=0, tail=True)}",
                   bar="nothing lost, doubled, wrong", met=wrong == 0)  # fmt: skip


async def _pastes(name: str, times: int) -> Row:
    count, chance = Count(), random.Random(name)
    with stage() as here:
        person = await copied(here.desktop, here.folder / "copied", size=_PICTURE_BYTES)
        async with _open(here, name) as (sink, acting):
            for number in range(times):
                if number % 10 == 0:
                    await asyncio.to_thread(person.again)
                with _busy() if number % 20 >= 10 else contextlib.nullcontext():
                    await _one(count, acting, sink, person, _random_text(chance, name))
                if number % 50 == 49:
                    print(f"{name}: {dict(count.came)}", file=sys.stderr, flush=True)
    return count.row(f"pastes into {name}", ("right", _SAID, _STOPPED))


async def _one(count: Count, acting: Acting, sink: Sink, person: Copied, text: str) -> None:
    if sink.ready is not None:
        await sink.ready()
    began_s = time.perf_counter()
    outcome = await acting.do(TypeText(text=text, clear=True), focus=FocusRule(), paste=True)
    count.took_ms.append((time.perf_counter() - began_s) * 1000)
    now = await person.now()
    got = await holds(sink, acting, text, timeout_s=5)
    way = "clipboard" if "clipboard paste" in outcome.method else "keys"
    count.ways[way] += 1
    if now != person.content:
        how = "former contents wrong"
    elif outcome.result is ActResult.UNKNOWN:
        how = _SAID if text.startswith(got) else "wrong and unknown"
    elif outcome.result is not ActResult.DONE:
        # A machine that is too busy to answer for the stop: the session pauses.
        how = _STOPPED if text.startswith(got) else f"wrong and {outcome.result}"
    else:
        how = "right" if got == text else _fault(got, text)
    count.came[how] += 1
    if how != "right":
        print(f"{how}: {outcome.method} {outcome.detail} {got[:40]!r} for {text[:40]!r}", file=sys.stderr, flush=True)


def _fault(got: str, text: str) -> str:
    if text in got:
        return "doubled"
    return "lost" if text.startswith(got) else "wrong"


async def _kills(name: str, times: int) -> Row:
    """The acting process is killed while it pastes; the program goes on, and a new session follows."""
    count, chance = Count(), random.Random(name)
    with stage() as here:
        person = await copied(here.desktop, here.folder / "copied", size=_PICTURE_BYTES)
        app = next(app for app in APPLICATIONS if name.startswith(app))
        async with APPLICATIONS[app](here.desktop, here.folder) as sinks:
            for number in range(times):
                if number % 10 == 0:
                    await asyncio.to_thread(person.again)
                with _busy() if number % 2 else contextlib.nullcontext():
                    await _one_kill(count, here, sinks[name], person, chance, name)
    return count.row(f"killed while pasting into {name}", ("a beginning", "all", "nothing", "too late"))


async def _one_kill(count: Count, here: Stage, sink: Sink, person: Copied, chance: random.Random, name: str) -> None:
    text = "\n".join(_random_text(chance, name) for _ in range(2 if "input" not in name else 1))
    async with armed(here.desktop) as acting:
        if sink.ready is not None:
            await sink.ready()
        await acting.do(Chord(keys=(Key("ctrl"), Key("a"))), focus=FocusRule())
        await acting.do(Chord(keys=(Key("delete"),)), focus=FocusRule())
        work = asyncio.ensure_future(acting.do(TypeText(text=text), focus=FocusRule(), paste=True))
        began_s = time.perf_counter()
        # The first character goes by keys, and the paste follows.
        await until(lambda: work.done() or _under_way(here), "the first character")
        await asyncio.wait([work], timeout=chance.uniform(0.0, 0.8))
        if killed := not work.done():
            os.kill(injector_pid(here.desktop), signal.SIGKILL)
        outcome = await work
        count.took_ms.append((time.perf_counter() - began_s) * 1000)
    # A paste that was on its way ends within the time that its program is given the text for.
    await asyncio.sleep(2.0)
    now = await person.now()
    async with armed(here.desktop) as acting:
        got = await holds(sink, acting, text, timeout_s=0.5)
    count.ways["killed" if killed else outcome.method] += 1
    if now != person.content:
        how = "former contents wrong"
    elif not killed:
        how = "too late" if got == text else _fault(got, text)
    else:
        how = "all" if got == text else "nothing" if not got.strip("\n") else "a beginning"
        how = how if text.startswith(got.rstrip("\n")) else "wrong"
    count.came[how] += 1
    if how in {"wrong", "lost", "doubled", "former contents wrong"}:
        print(f"{how}: {outcome} {got[:40]!r} {got[-40:]!r} for {text[:40]!r}", file=sys.stderr, flush=True)


def _under_way(here: Stage) -> bool:
    ledger, fd = Ledger.open_file(latch.path_of(here.desktop.name, "ledger"))
    try:
        return ledger.get(Word.TOTAL) > 1 and ledger.get(Word.DELIVERED) > 0
    finally:
        ledger.close()
        os.close(fd)


async def _speed(name: str, times: int) -> Row:
    """10,000 characters of Han, emoji and Hebrew, in turn by keys and by the clipboard."""
    took: dict[bool, list[float]] = {False: [], True: []}
    chance = random.Random(11)
    picked = [*range(0x4E00, 0x9000), *range(0x5D0, 0x5EB), *range(0x1F600, 0x1F640)]
    with stage() as here:
        async with _open(here, name) as (sink, acting):
            for turn in range(2 * times):
                text = "".join(chr(chance.choice(picked)) for _ in range(10_000))
                paste = turn % 2 == 0
                if sink.ready is not None:
                    await sink.ready()
                await acting.do(TypeText(text="", clear=True), focus=FocusRule())
                began_s = time.perf_counter()
                outcome = await acting.do(TypeText(text=text), focus=FocusRule(), paste=paste)
                took_ms = (time.perf_counter() - began_s) * 1000
                got = await holds(sink, acting, text, timeout_s=60)
                assert outcome.result is not ActResult.DONE or got == text, (outcome, len(got))
                if outcome.result is ActResult.DONE:
                    took[paste].append(took_ms)
                else:
                    print(f"not counted: {outcome}", file=sys.stderr, flush=True)
    return ratio_row(
        f"10,000 mixed characters into {name}, by the clipboard", Samples.of(took[True]), Samples.of(took[False]), None,
        beside="by keys",
    )  # fmt: skip


@asynccontextmanager
async def _open(here: Stage, name: str) -> AsyncIterator[tuple[Sink, Acting]]:
    app = next(app for app in APPLICATIONS if name.startswith(app))
    async with APPLICATIONS[app](here.desktop, here.folder) as sinks, armed(here.desktop) as acting:
        yield sinks[name], acting


def _random_text(chance: random.Random, name: str) -> str:
    # Chromium gives a page no name of a key beyond U+FFFF.
    picked = [each for each in _PICKED if each <= 0xFFFF or name != "chromium canvas"]
    return "".join(chr(chance.choice(picked)) for _ in range(chance.randrange(300, 1000)))


@contextmanager
def _busy() -> Iterator[None]:
    """Both cores have something else to do."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 2)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
