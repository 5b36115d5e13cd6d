"""Actions that are not plain input: browser actions by keys, launching, functions; each needs a grant."""

from __future__ import annotations

import asyncio

import pytest

from operator_console.domain.actions import (
    Action,
    AskModel,
    Back,
    CallFunction,
    Chord,
    Click,
    CloseTab,
    Launch,
    Navigate,
    OpenBrowser,
    QuoteClipboard,
    QuoteText,
    RunCommand,
    Search,
    SwitchTab,
    TypeText,
)
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ProviderTransient
from operator_console.domain.events import Asked, Granted, Paused, Performed
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint
from operator_console.domain.grants import Grant
from operator_console.domain.intents import Answer, Pause, Stop, TakeOver
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus
from operator_console.domain.stopping import PauseCause, StopCause, WaitsFor
from operator_console.domain.tools import ToolSpec
from tests.engine.rig import Rig, Words, click, does, quiet, rig
from tests.fakes.guard import FakeGuard

BROWSER = WindowInfo(window_id=3, title="Page — Chromium", app="Chromium", pid=1, rect=Rect(0, 0, 9, 9))


class Launches:
    """An effect port that launches nothing, but checks its grants like a real one."""

    def __init__(self) -> None:
        self.grants: list[Grant] = []
        self.guard: FakeGuard | None = None
        self.hangs = False
        self.cancelled = False
        self._going_on = asyncio.Event()

    def go_on(self) -> None:
        """What hangs ends."""
        self._going_on.set()

    problems = ()

    async def describe(self) -> tuple[ToolSpec, ...]:
        return ()

    async def close(self) -> None:
        return None

    def handles(self, action: Action) -> bool:
        return isinstance(action, Launch | OpenBrowser)

    async def perform(self, grant: Grant) -> Outcome:
        assert self.guard is not None
        assert grant.genuine(self.guard.grant_key)
        assert grant.epoch == self.guard.epoch
        self.grants.append(grant)
        try:
            if self.hangs:
                await self._going_on.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return Outcome(result=ActResult.DONE, detail="Started.")


async def run(r: Rig) -> list[CallStatus]:
    await r.run()
    return [result.status for result in r.model.seen[1].results]


async def test_navigate_is_keys_under_grants_of_their_own() -> None:
    r = rig(does(Navigate(url="https://example.com/a")))
    r.computer.focus = BROWSER
    assert await run(r) == [CallStatus.DONE]
    assert r.injector.actions == [
        Chord(keys=(Key("ctrl"), Key("l"))), TypeText(text="https://example.com/a", submit=True),
    ]  # fmt: skip
    assert len(r.of(Granted)) == len(r.of(Performed)) == 2
    assert len({grant.grant_id for grant in r.injector.grants}) == 2


async def test_navigate_stops_at_the_first_part_that_fails() -> None:
    r = rig(does(Navigate(url="https://example.com/a")))
    r.computer.focus = BROWSER
    r.injector.answer = lambda _g: Outcome(result=ActResult.FAILED, detail="“Mail” has the focus.")
    assert await run(r) == [CallStatus.FAILED]
    assert len(r.injector.grants) == 1


async def test_without_a_browser_the_model_is_told() -> None:
    for action in (Navigate(url="x.example"), Search(query="x"), Back(), SwitchTab(number=2), CloseTab()):
        r = rig(does(action))
        r.computer.focus = WindowInfo(window_id=3, title="a.txt", app="mousepad", pid=1, rect=Rect(0, 0, 9, 9))
        assert await run(r) == [CallStatus.FAILED]
        assert "No browser has the focus" in r.model.seen[1].results[0].text
        assert r.injector.grants == []


async def test_back_and_search() -> None:
    r = rig(does(Back(), Search(query="otters")))
    r.computer.focus = BROWSER
    assert await run(r) == [CallStatus.DONE, CallStatus.DONE]
    assert r.injector.actions == [
        Chord(keys=(Key("alt"), Key("left"))), Chord(keys=(Key("ctrl"), Key("t"))),
        TypeText(text="otters", submit=True),
    ]  # fmt: skip


async def test_launching_goes_to_its_port_under_a_grant() -> None:
    port = Launches()
    r = rig(does(Launch(app="galculator"), OpenBrowser()), effects=(port,))
    port.guard = r.guard
    assert await run(r) == [CallStatus.DONE, CallStatus.DONE]
    assert [grant.action for grant in port.grants] == [Launch(app="galculator"), OpenBrowser()]
    assert r.injector.grants == []
    assert r.model.seen[1].results[0].text == "Started. "[:-1]


async def test_a_session_that_is_cancelled_cancels_what_it_had_started() -> None:
    launches = Launches()
    launches.hangs = True
    r = rig(does(Launch(app="gedit")), effects=(launches,))
    launches.guard = r.guard
    await r.start()
    assert launches.grants
    assert r.task is not None
    r.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await r.task
    await quiet()
    assert launches.cancelled


async def test_a_pause_cancels_what_runs_before_it_waits_for_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    launches = Launches()
    launches.hangs = True
    r = rig(does(Launch(app="gedit")), effects=(launches,))
    launches.guard = r.guard
    await r.start()
    assert launches.grants
    shut = r.guard.set_gate
    cancelled: list[bool] = []

    async def set_gate(*, open_: bool, why: PauseCause | WaitsFor = PauseCause.HUMAN) -> None:
        cancelled.append(launches.cancelled)
        await shut(open_=open_, why=why)

    monkeypatch.setattr(r.guard, "set_gate", set_gate)
    await r.post(Pause())
    assert cancelled
    assert cancelled[0]
    await r.post(Stop(reason=StopCause.BUTTON))


@pytest.mark.parametrize("ends", ["before it", "after it"])
async def test_a_console_that_was_briefly_busy_cancels_nothing_that_runs_and_looks_again(ends: str) -> None:
    launches = Launches()
    launches.hangs = True
    r = rig(does(Launch(app="gedit"), click()), effects=(launches,))
    launches.guard = r.guard
    await r.start()
    r.guard.lease_silent()
    await quiet()
    assert not launches.cancelled
    if ends == "before it":
        r.guard.lease_answered()
        await quiet()
    launches.go_on()
    await r.settled()
    assert [(each.result, each.detail) for each in r.of(Performed)] == [(ActResult.DONE, "Started.")]
    r.guard.lease_answered()
    await r.end()
    assert [result.status for result in r.model.seen[1].results] == [CallStatus.DONE, CallStatus.NOT_DONE]
    assert [event.by for event in r.of(Paused)] == [PauseCause.LEASE]
    assert r.injector.grants == []


@pytest.mark.parametrize("other", [Pause(), TakeOver()])
async def test_a_person_who_pauses_while_the_console_is_briefly_busy_cancels_what_runs(other: Pause | TakeOver) -> None:
    launches = Launches()
    launches.hangs = True
    r = rig(does(Launch(app="gedit")), effects=(launches,))
    launches.guard = r.guard
    await r.start()
    r.guard.lease_silent()
    await r.post(other)
    assert launches.cancelled
    assert r.of(Performed)[0].result is ActResult.UNKNOWN
    await r.post(Stop(reason=StopCause.BUTTON))
    await r.end()


async def test_what_is_not_offered_is_said_and_granted_nothing() -> None:
    for action in (Launch(app="x"), OpenBrowser(), QuoteClipboard(variable="v"), AskModel(prompt="p", variable="v"),
                   QuoteText(region=Rect(0, 0, 5, 5), variable="v")):  # fmt: skip
        r = rig(does(action))
        assert await run(r) == [CallStatus.FAILED]
        assert "not available" in r.model.seen[1].results[0].text
        assert r.of(Granted) == []


async def test_a_prompt_is_answered_by_a_provider_that_can_and_needs_no_grant(monkeypatch: pytest.MonkeyPatch) -> None:
    prompts: list[str] = []

    async def answer(prompt: str) -> str:
        prompts.append(prompt)
        return "Cheap."

    r = rig(does(AskModel(prompt="Shorten: 17.00", variable="v")))
    monkeypatch.setattr(r.model, "answer", answer, raising=False)
    assert await run(r) == [CallStatus.DONE]
    assert prompts == ["Shorten: 17.00"]
    assert r.model.seen[1].results[0].output == "Cheap."
    assert r.of(Granted) == []


async def test_a_prompt_that_gets_no_answer_is_a_failed_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(prompt: str) -> str:
        raise ProviderTransient("The service is busy.")

    r = rig(does(AskModel(prompt="Shorten: 17.00", variable="v")))
    monkeypatch.setattr(r.model, "answer", answer, raising=False)
    assert await run(r) == [CallStatus.FAILED]
    assert "busy" in r.model.seen[1].results[0].text


async def test_tools_are_asked_even_where_none_is_there() -> None:
    for action in (RunCommand(command="ls"), CallFunction(name="f")):
        r = rig(does(action))
        await r.start()
        question = r.of(Asked)[0].question
        await r.post(Answer(question_id=question.question_id, answer="yes"))
        await r.end()
        assert r.model.seen[1].results[0].status is CallStatus.FAILED


async def test_text_is_read_off_the_screen() -> None:
    words = Words(("Total", Rect(5, 5, 30, 10)), ("12.00", Rect(40, 5, 30, 10)), ("far", Rect(300, 200, 9, 9)))
    r = rig(does(QuoteText(region=Rect(0, 0, 100, 100), variable="v")), reader=words)
    await r.run()
    result = r.model.seen[1].results[0]
    assert (result.status, result.output) == (CallStatus.DONE, "Total 12.00")


async def test_a_click_where_the_pointer_is_means_the_agents_pointer() -> None:
    r = rig(does(click(40, 30)), does(Click(at=None)))
    r.injector.on_act = lambda _a: setattr(r.computer, "pointer", ScreenPoint(300, 200))
    await r.run()
    grant = r.injector.grants[1]
    assert grant.pointer == (40, 30)
    assert grant.checks[0].region == Rect.around(NativePoint(40, 30), 48, grant.geometry.native)
