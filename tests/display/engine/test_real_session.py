"""A whole session on a real desktop: real capture, guard, injector and an application; only the model is played."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import Chord, Click, HoldKeys, KeyDown, QuoteText, TypeText
from operator_console.domain.decisions import Surface
from operator_console.domain.events import (
    Asked,
    Decided,
    EndedOutcome,
    Granted,
    Observed,
    Paused,
    Performed,
    Record,
    Stopped,
)
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.intents import Answer, Resume
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus, Observation, Proposal
from operator_console.domain.risk import Category
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import StopCause
from operator_console.engine.ports import Reader
from operator_console.engine.session import Session
from operator_console.engine.session_context import Options, Ports
from operator_console.guard.client import GuardClient, open_guard
from operator_console.injector.client import InjectorClient
from operator_console.perception.picture_reader import OcrReader
from tests.display.rig import Application, Desktop, launch, launch_galculator, launch_mousepad, wait_until
from tests.display.rig.lacking import EVERYTHING, lack
from tests.engine.rig import Insistent, Memory, Model, Turn, Watcher, click, does, said

T = TypeVar("T")

TEXT = "Zażółć gęślą jaźń — 你好, 日本語 €"


@pytest.fixture
async def guarded(desktop: Desktop) -> AsyncIterator[tuple[GuardClient, InjectorClient]]:
    injector = InjectorClient()
    guard = await open_guard(desktop.name, injector)
    try:
        yield guard, injector
    finally:
        await guard.close()


class Told(Watcher):
    """An audience that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.news = asyncio.Event()

    def on_record(self, record: Record) -> None:
        super().on_record(record)
        self.news.set()


class Run:
    """A session on the real desktop with an application in front."""

    def __init__(self, model: Model, session: Session, told: Told, app: Application) -> None:
        self.model = model
        self.session = session
        self.told = told
        self.app = app

    def of(self, kind: type[T]) -> list[T]:
        return [record.event for record in self.told.records if isinstance(record.event, kind)]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                self.told.news.clear()
                await self.told.news.wait()


@pytest.fixture
async def begin(
    desktop: Desktop, guarded: tuple[GuardClient, InjectorClient], tmp_path: Path
) -> AsyncIterator[Callable[..., Awaitable[Run]]]:
    async with contextlib.AsyncExitStack() as stack:

        async def start(
            *turns: Turn,
            kind: str = "monitor",
            typing_delay_s: float = 0.0,
            app: Application | None = None,
            reader: Reader | None = None,
        ) -> Run:
            if app is None:
                (tmp_path / "note.txt").write_text("old\n", encoding="utf-8")
                app = launch_mousepad(desktop, tmp_path / "note.txt")
            spec = "monitor:1" if kind == "monitor" else f"window:{app.now().xid:#x}"
            computer = await open_computer(spec, OwnWindows(), desktop.name)
            stack.push_async_callback(computer.close)
            model, journal, told = Insistent(turns), Memory(), Told()
            ports = Ports(
                provider=model, computer=computer, injector=guarded[1], guard=guarded[0], open_journal=lambda: journal,
                reader=reader,
            )  # fmt: skip
            options = Options(name="test", typing_delay_s=typing_delay_s)
            session = Session(SessionRequest(task="write it", target=spec), ports, options=options, audiences=(told,))
            return Run(model, session, told, app)

        yield start


async def types(run: Run) -> None:
    """Until the first characters have arrived; the loop runs on meanwhile."""
    await run.until(lambda: bool(run.of(Granted)))
    await asyncio.to_thread(wait_until, lambda: run.app.now().title.startswith("*"), "the text to arrive")


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        ("monitor", ()),
        *(
            pytest.param(*each, marks=pytest.mark.full)  # in each run: computers/test_contract.py
            for each in (("window", ()), ("monitor", EVERYTHING), ("window", ("paint_events",)))
        ),
    ],
)
async def test_types_and_saves(
    begin: Callable[..., Awaitable[Run]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    lacks: tuple[str, ...],
) -> None:
    lack(monkeypatch, *lacks)

    def first(observation: Observation) -> Proposal:
        origin = observation.frame.geometry.origin
        x, y = run.app.now().centre
        return does(
            Click(at=NativePoint(x - origin.x, y - origin.y)), Chord(keys=(Key("ctrl"), Key("a"))), TypeText(text=TEXT)
        )

    run = await begin(first, does(Chord(keys=(Key("ctrl"), Key("s")))), said("saved"), kind=kind)
    ended = await run.session.run()
    assert ended.outcome is EndedOutcome.FINISHED, ended
    performed = run.of(Performed)
    assert [event.status for event in performed] == [CallStatus.DONE] * 4, performed
    assert len(run.of(Decided)) == 4
    assert (tmp_path / "note.txt").read_text(encoding="utf-8").rstrip("\n") == TEXT


async def test_the_chord_stops_it_and_the_receipt_says_how_far_it_came(
    desktop: Desktop, begin: Callable[..., Awaitable[Run]]
) -> None:
    run = await begin(does(TypeText(text="a" * 5000), click()), typing_delay_s=0.005)
    task = asyncio.create_task(run.session.run())
    await types(run)
    await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
    ended = await asyncio.wait_for(task, 10)
    assert ended.outcome is EndedOutcome.STOPPED
    (stopped,) = run.of(Stopped)
    assert (stopped.reason, stopped.latched, stopped.total) == (StopCause.HOTKEY, True, 5000)
    assert 0 <= stopped.delivered < 5000
    assert "5000" in stopped.in_flight or "4800 more" in stopped.in_flight
    assert [words.split(" in ")[0] for words in stopped.cancelled] == ["click at 100, 100"]
    assert run.of(Performed)[0].status is CallStatus.STOPPED


async def test_the_pause_chord_pauses_between_primitives_and_it_goes_on_with_a_fresh_frame(
    desktop: Desktop, begin: Callable[..., Awaitable[Run]]
) -> None:
    run = await begin(does(TypeText(text="a" * 3000)), said("done"), typing_delay_s=0.005)
    task = asyncio.create_task(run.session.run())
    await types(run)
    await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+p")
    await run.until(lambda: bool(run.of(Paused)))
    performed = run.of(Performed)[0]
    assert performed.status is CallStatus.STOPPED
    assert performed.delivered < performed.total == 3000
    run.session.post(Resume())
    ended = await asyncio.wait_for(task, 20)
    assert ended.outcome is EndedOutcome.FINISHED
    assert f"{performed.delivered} of 3000" in run.model.seen[1].results[0].text
    assert len(run.of(Observed)) == 2


@pytest.mark.parametrize("answer", ["no", "yes"])
async def test_a_button_that_deletes_is_read_and_asked(
    desktop: Desktop, begin: Callable[..., Awaitable[Run]], answer: str
) -> None:
    words = ["--text=All messages of this folder", "--ok-label=Delete", "--cancel-label=Keep", "--title=Mail folder"]
    dialog = launch(desktop, ["zenity", "--question", "--width=420", *words], title="Mail folder")
    reader = OcrReader()
    try:
        await reader.warm_up()
        run = await begin(said("looked"), kind="window", app=dialog, reader=reader)

        async def press_delete(observation: Observation) -> Proposal:
            (box,) = [found for found in await reader.read(observation.frame) if found.text.strip() == "Delete"]
            return does(Click(at=NativePoint(*box.box.centre)))

        run.model.turns.insert(0, press_delete)
        task = asyncio.create_task(run.session.run())
        await run.until(lambda: bool(run.of(Asked)))
        question = run.of(Asked)[0].question
        assert question.surface is Surface.DIALOG
        assert "“Delete”" in question.text
        assert dialog.child.running
        run.session.post(Answer(question_id=question.question_id, answer=answer))
        ended = await asyncio.wait_for(task, 20)
    finally:
        await reader.close()
    assert len(run.of(Granted)) == (1 if answer == "yes" else 0)
    if answer == "yes":
        wait_until(lambda: not dialog.child.running, "the dialog to close")
        assert run.of(Performed)[0].status is CallStatus.DONE
    else:
        assert ended.outcome is EndedOutcome.FINISHED
        assert dialog.child.running


@pytest.mark.parametrize("clicked_first", [False, True])
async def test_a_command_line_is_asked_whatever_had_the_focus_in_the_picture(
    desktop: Desktop, begin: Callable[..., Awaitable[Run]], tmp_path: Path, clicked_first: bool
) -> None:
    ran = tmp_path / "ran"
    shell = launch(desktop, ["xterm", "-T", "shell", "-geometry", "60x15+20+20", "-e", "sh"], title="shell")
    notes = launch_mousepad(desktop)
    desktop.move_window(notes.window.xid, 700, 300)
    desktop.activate(notes.window.xid)
    at = NativePoint(*shell.now().centre)
    line = TypeText(text=f"touch {ran}", at=None if clicked_first else at, submit=True)
    calls = does(Click(at=at), line) if clicked_first else does(line)
    run = await begin(calls, said("ok"), app=notes)
    task = asyncio.create_task(run.session.run())
    await run.until(lambda: bool(run.of(Asked)))
    question = run.of(Asked)[0].question
    assert question.surface is Surface.DIALOG
    assert question.assessment is not None
    assert question.assessment.categories == (Category.TERMINAL,)
    assert "shell" in question.text
    run.session.post(Answer(question_id=question.question_id, answer="no"))
    await asyncio.wait_for(task, 20)
    assert len(run.of(Granted)) == (1 if clicked_first else 0)
    assert not ran.exists()


async def declined(run: Run) -> list[str]:
    """Play it and answer each question with no; what the questions were asked about."""
    task = asyncio.create_task(run.session.run())
    answered = 0
    while not task.done():
        told = asyncio.ensure_future(run.told.news.wait())
        await asyncio.wait({task, told}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
        told.cancel()
        run.told.news.clear()
        for event in run.of(Asked)[answered:]:
            answer = None if event.question.about == "haste" else "no"
            run.session.post(Answer(question_id=event.question.question_id, answer=answer))
            answered += 1
    return [event.question.assessment.rule for event in run.of(Asked) if event.question.assessment is not None]


async def test_a_field_is_emptied_and_written_unasked(
    begin: Callable[..., Awaitable[Run]], tmp_path: Path, desktop: Desktop
) -> None:
    def first(observation: Observation) -> Proposal:
        return does(TypeText(text="new", at=NativePoint(*run.app.now().centre), clear=True), save)

    save = Chord(keys=(Key("ctrl"), Key("s")))
    run = await begin(first, said("saved"))
    assert await declined(run) == []
    await asyncio.to_thread(wait_until, lambda: (tmp_path / "note.txt").read_text().strip() == "new", "the file")


async def test_no_way_to_run_a_line_goes_past_a_terminal(
    desktop: Desktop, begin: Callable[..., Awaitable[Run]], tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    env = {"EDITOR": "true", "VISUAL": "true"}
    shell = launch(desktop, ["xterm", "-T", "shell", "-e", "bash", "--norc"], title="shell", env=env)
    ctrl = Key("ctrl")
    ways = (
        Chord(keys=(ctrl, Key("x"))), Chord(keys=(ctrl, Key("o"))), Chord(keys=(ctrl, Key("j"))),
        Chord(keys=(Key("alt"), Key("a"))), KeyDown(key=Key("enter")), HoldKeys(keys=(Key("enter"),), duration_s=0.5),
    )  # fmt: skip
    ordinary = Chord(keys=(Key("end"),))  # three refusals in a row would pause it
    run = await begin(
        does(TypeText(text=f"touch {ran}")), *(does(ordinary, way) for way in ways), said("no"), app=shell
    )
    rules = await declined(run)
    assert len(rules) == len(ways), rules
    assert [event.action for event in run.of(Granted)[1:]] == [ordinary] * len(ways)
    assert not ran.exists()


async def test_a_key_held_in_one_program_does_not_reach_the_next(
    desktop: Desktop, begin: Callable[..., Awaitable[Run]], tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    shell = launch(desktop, ["xterm", "-T", "shell", "-geometry", "50x12+20+20", "-e", "bash", "--norc"], title="shell")
    calculator = launch_galculator(desktop)
    desktop.move_window(calculator.window.xid, 700, 60)
    notes = launch_mousepad(desktop)
    desktop.move_window(notes.window.xid, 60, 420)
    desktop.activate(shell.window.xid)
    await asyncio.to_thread(desktop.xdo, "type", f"touch {ran}")
    desktop.activate(notes.window.xid)
    hold = KeyDown(key=Key("enter"))
    places = [NativePoint(*each.now().centre) for each in (shell, calculator)]
    # In one turn: a pause of a busy machine releases the key, and a click after it is no longer asked about.
    run = await begin(*(does(hold, Click(at=at)) for at in places), said("no"), app=notes)
    assert len(await declined(run)) == len(places)
    assert {type(event.action) for event in run.of(Granted)} == {KeyDown}
    assert not ran.exists()


@pytest.mark.full
@pytest.mark.slow
async def test_a_long_text_is_read_to_its_end_by_scrolling(
    desktop: Desktop, begin: Callable[..., Awaitable[Run]], tmp_path: Path
) -> None:
    """In each run: tests/engine/test_screen_text.py."""
    fruits = ("apple", "bread", "chair", "drum", "eagle", "flute", "grape")
    lines = [f"{fruit} costs {number + 10}" for number, fruit in enumerate(fruits * 5)]
    file = tmp_path / "prices.txt"
    # The caret stands in a line of its own: beside a letter it is read as one.
    file.write_text("\n" + "\n".join(lines) + "\n" * 7, encoding="utf-8")
    app = launch_mousepad(desktop, file)
    window = app.now()
    reader = OcrReader()
    regions: list[Rect] = []

    async def quote(observation: Observation) -> Proposal:
        found = await reader.read(observation.frame)
        top = next(box.box.y for box in found if box.text.startswith("apple")) - 4
        regions.append(Rect(window.x + 1, top, 240, window.y + window.height - 60 - top))
        return does(QuoteText(region=regions[0], variable="prices", auto_scroll=True))

    try:
        run = await begin(quote, app=app, reader=reader)
        await run.session.run()
    finally:
        await reader.close()
    (result,) = run.model.seen[1].results
    assert result.status is CallStatus.DONE, result
    read = [" ".join(line.split()) for line in result.output.splitlines()]
    assert read == lines, result
    assert "to its end. It was scrolled back." in result.text, result
