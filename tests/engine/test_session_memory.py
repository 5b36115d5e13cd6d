"""What a session has met: what its task names, where it began, where the agent acted, and what the operator let in."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.actions import Chord, Drag, TypeText
from operator_console.domain.decisions import Assessment, RuleFinding
from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.events import Asked, SessionStarted
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.intents import Answer
from operator_console.domain.keys import Key
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.domain.session_request import SessionRequest
from operator_console.engine.session_memory import SessionMemory
from operator_console.policy import PolicyContext
from operator_console.policy.reasons import TEXT_FOR_SITE
from tests.engine.rig import Rig, click, does, rig

ONLY_CALCULATOR = SessionRequest(task="do it", apps=("galculator",))
EDITOR = WindowInfo(window_id=3, title="notes.txt", app="mousepad", pid=1, rect=Rect(0, 0, 640, 480))


def rules(r: Rig) -> list[str]:
    return [asked.question.assessment.rule for asked in r.of(Asked) if asked.question.assessment is not None]


def test_sites_that_the_task_names_are_known() -> None:
    task = "Compare https://shop.example/a?b=1 with www.Other.example, then write to ann@mail.example (see notes.txt)."
    sites = SessionMemory(SessionRequest(task=task)).met.sites
    assert {"shop.example", "www.other.example"} <= sites
    assert "mail.example" not in sites


def test_in_a_managed_browser_sites_out_of_scope_are_out_of_reach_and_not_asked_about() -> None:
    request = SessionRequest(task="t", target="browser:shop.example", sites=("shop.example",))
    assert SessionMemory(request).scope.has_site("bank.example")
    assert not SessionMemory(replace(request, target="monitor:1")).scope.has_site("bank.example")


async def test_another_application_is_asked_about_once() -> None:
    r = rig(does(click()), does(click()), request=ONLY_CALCULATOR)
    r.computer.focus = EDITOR
    await r.start()
    assert rules(r) == ["app-out-of-scope"]
    await r.post(Answer(question_id=r.of(Asked)[0].question.question_id, answer="yes"))
    await r.end()
    assert len(r.injector.grants) == 2
    assert rules(r) == ["app-out-of-scope"]


async def test_an_application_that_was_refused_is_asked_about_again() -> None:
    r = rig(does(click()), does(click()), request=ONLY_CALCULATOR)
    r.computer.focus = EDITOR
    await r.start()
    await r.post(Answer(question_id=r.of(Asked)[0].question.question_id, answer="no"))
    await r.clock.advance(5)
    assert rules(r) == ["app-out-of-scope"] * 2
    await r.post(Answer(question_id=r.of(Asked)[1].question.question_id, answer="no"))
    await r.end()
    assert r.injector.grants == []


async def test_an_effect_out_of_scope_is_asked_about_once_although_it_is_allowed() -> None:
    allowed = (Category.TERMINAL,)
    request = SessionRequest(task="t", autonomy=Autonomy.AUTO, allow=allowed, effects=(Category.SEND,))
    r = rig(does(TypeText(text="ls", submit=True)), does(TypeText(text="pwd", submit=True)), request=request)
    r.computer.focus = replace(EDITOR, app="xterm", title="xterm")
    await r.start()
    assert rules(r) == ["terminal-command"]
    assessment = r.of(Asked)[0].question.assessment
    assert assessment is not None
    assert "“run commands” is not among the kinds of effect of this session." in assessment.reasons
    await r.post(Answer(question_id=r.of(Asked)[0].question.question_id, answer="yes"))
    await r.end()
    assert len(r.injector.grants) == 2
    assert rules(r) == ["terminal-command"]
    assert r.of(SessionStarted)[0].effects == (Category.SEND,)


def test_a_window_stays_below_a_hidden_folder_until_it_shows_a_known_one_or_a_path() -> None:
    memory = SessionMemory(SessionRequest(task="t"))

    def shows(title: str, window_id: int = 9) -> bool:
        window = WindowInfo(window_id=window_id, title=title, app="thunar", pid=1, rect=Rect(0, 0, 640, 480))
        return memory.shown(window)

    assert [shows(each) for each in ("ann - Thunar", ".config - Thunar", "autostart - Thunar")] == [False, True, True]
    assert not shows("ann - Thunar", window_id=10)
    assert [shows(each) for each in ("Documents - Thunar", "plans - Thunar")] == [False, False]
    assert [shows(each) for each in ("/home/ann/.config/autostart - Thunar", "/home/ann/plans - Thunar")] == [
        True,
        False,
    ]
    assert not memory.shown(EDITOR)
    assert not memory.shown(None)


def test_files_that_were_moved_copied_named_or_downloaded_came_in_the_session() -> None:
    memory = SessionMemory(SessionRequest(task="t"))
    entry = Control(source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.LIST_ITEM, name="weather")
    archive = PolicyContext(app="file-roller", control=entry, from_control=replace(entry, name="tool"))
    memory.acted(Chord(keys=(Key("ctrl"), Key("c"))), archive)
    memory.acted(Drag(path=(NativePoint(1, 1), NativePoint(9, 9))), archive)
    memory.acted(TypeText(text="/tmp/x/script"), PolicyContext(app="mousepad", title="Save As"))
    memory.arrived("setup")
    memory.arrived("")
    assert memory.met.files == {"weather", "tool", "script", "setup"}


def test_a_site_is_named_by_the_task_by_the_operator_and_by_a_yes_to_a_text_for_it() -> None:
    memory = SessionMemory(SessionRequest(task="See shop.example", sites=("*.pad.example:8443",)))
    assert all(map(memory.met.is_named, ("shop.example", "a.pad.example")))
    other = PolicyContext(app="chromium", url="https://other.example/a")
    memory.acted(TypeText(text="x"), other)
    assert memory.met.knows_site("other.example")
    assert not memory.met.is_named("other.example")
    asked = RuleFinding(risk=RiskClass.C3, rule=TEXT_FOR_SITE, category=Category.SEND, values=("other.example",))
    memory.let_in(Assessment(risk=RiskClass.C3, rule=TEXT_FOR_SITE, findings=(asked,)))
    assert memory.met.is_named("other.example")
