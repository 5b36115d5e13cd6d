"""Controls in whole sessions: what policy, questions, grants and the record are told about them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    Move,
    Press,
    Release,
    Screenshot,
    TypeText,
)
from operator_console.domain.decisions import Assessment, DecidedBy, Outcome
from operator_console.domain.elements import (
    UNKNOWN_CONTROL,
    Control,
    ControlSource,
    Element,
    Exposure,
    Role,
    TextKnowledge,
)
from operator_console.domain.events import Asked, Decided, Observed, Performed, Proposed, Stopped, Warned
from operator_console.domain.frames import Frame, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint
from operator_console.domain.intents import Answer, Approve
from operator_console.domain.keys import Key
from operator_console.domain.pages import Page
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, RiskClass
from operator_console.engine.screen_text import READ_AGAIN_S, READ_WITHIN_S
from operator_console.engine.turn import assess as turn_assess
from operator_console.engine.turn.locate import CARET_LOOKS, CARET_STEP_S
from operator_console.policy import PolicyContext
from operator_console.policy import assess as real_assess
from tests.engine.rig import Rig, Words, click, does, quiet, rig, said
from tests.fakes.elements import FakeElements

DIARY = WindowInfo(window_id=5, title="Plant diary", app="Gnome-diary", pid=1, rect=Rect(0, 0, 400, 300))
TRASH = WindowInfo(window_id=6, title="Trash", app="Nautilus", pid=2, rect=Rect(200, 0, 200, 300))
FILE, BIN = Rect(20, 20, 100, 30), Rect(250, 200, 100, 50)
ON_FILE, ON_BIN = NativePoint(30, 30), NativePoint(300, 220)
ENTER = Chord(keys=(Key("enter"),))


def element(name: str, box: Rect, role: Role = Role.BUTTON, **rest: Any) -> Element:
    return Element(element_id=rest.pop("element_id", name), role=role, name=name, box=box, **rest)


FILES = (element("notes.txt", FILE, Role.LIST_ITEM), element("Trash", BIN, Role.LIST_ITEM))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Action, PolicyContext]]:
    """What policy is asked, in order; everything is ordinary to it."""
    asked: list[tuple[Action, PolicyContext]] = []

    def assess(action: Action, context: PolicyContext) -> Assessment:
        asked.append((action, context))
        return Assessment(risk=RiskClass.C1, rule="ordinary", label=context.label)

    monkeypatch.setattr(turn_assess, "assess", assess)
    return asked


def decided(seen: list[tuple[Action, PolicyContext]], kind: type) -> list[PolicyContext]:
    """The contexts of the decisions about actions of a kind: the second half, after those of the glances. One of which
    no more became known than at the glance is not asked about again."""
    found = [context for action, context in seen if isinstance(action, kind)]
    return found[len(found) // 2 :]


def on_diary(r: Rig) -> Rig:
    r.computer.windows, r.computer.focus = [DIARY], DIARY
    return r


async def test_a_decision_records_the_control_and_its_window() -> None:
    r = on_diary(rig(does(click()), elements=FakeElements(element("Save", Rect(90, 90, 60, 30)))))
    await r.run()
    control = Control(
        source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.BUTTON, name="Save",
        extent=Rect(90, 90, 60, 30), app="Gnome-diary", window="Plant diary",
    )  # fmt: skip
    assessment = r.of(Decided)[0].assessment
    assert assessment is not None
    assert (assessment.control, assessment.label, assessment.from_control) == (control, "Save", None)


async def test_an_action_that_hits_nothing_has_no_control() -> None:
    r = on_diary(rig(does(Screenshot()), elements=FakeElements(element("Save", Rect(0, 0, 400, 300)))))
    await r.run()
    assessment = r.of(Decided)[0].assessment
    assert assessment is not None
    assert assessment.control is None


async def test_the_question_names_the_control_and_the_window_that_is_hit() -> None:
    elements = FakeElements(element("Delete", Rect(210, 90, 60, 30)))
    r = rig(does(click(220, 100)), elements=elements)
    r.computer.windows, r.computer.focus = [DIARY, TRASH], DIARY
    await r.start()
    assert r.of(Asked)[0].question.text == ("Allow the model to click button “Delete” in “Trash” at 220, 100?")
    await r.post(Answer(question_id=r.of(Asked)[0].question.question_id, answer="no"))
    await r.end()


async def test_what_is_proposed_and_what_a_stop_cuts_off_names_what_was_known_at_once() -> None:
    r = on_diary(rig(does(click(), click(20, 20)), reader=Words(("Save", Rect(90, 90, 60, 30)))))
    r.injector.hold()
    await r.start()
    glances = [call.assessment for call in r.of(Proposed)[0].calls]
    assert [g.control.text for g in glances if g is not None and g.control is not None] == ["Save", ""]
    r.guard.press_stop()
    await r.end()
    event = r.of(Stopped)[0]
    assert event.in_flight == "click “Save” in “Plant diary” at 100, 100"
    assert event.cancelled[-1] == "click at 20, 20 in “Plant diary”"


async def test_text_with_a_point_is_judged_by_the_control_at_the_point(
    seen: list[tuple[Action, PolicyContext]],
) -> None:
    elements = FakeElements(*FILES, focus=element("Name", FILE, Role.TEXT_FIELD))
    r = on_diary(rig(does(TypeText(text="old"), TypeText(text="x", at=ON_BIN)), elements=elements))
    await r.run()
    first, second = decided(seen, TypeText)
    assert (first.control.name, second.control.name) == ("Name", "Trash")
    assert (first.typed, second.typed) == ("", "")


async def test_keys_are_judged_by_the_control_that_has_the_focus_now(
    seen: list[tuple[Action, PolicyContext]],
) -> None:
    names = [element("Keep", FILE), element("Delete", BIN)]
    elements = FakeElements(*names, focus=names[0])
    r = on_diary(rig(does(click(30, 30), Chord(keys=(Key("tab"),)), ENTER), elements=elements))

    def press(action: Action) -> None:
        elements.focus = names[1] if isinstance(action, Chord) else elements.focus

    r.injector.on_act = press
    await r.run()
    assert [context.control.name for context in decided(seen, Chord)] == ["Keep", "Delete"]
    assert [context.label for context in decided(seen, Chord)] == ["Keep", "Delete"]


@pytest.mark.parametrize("action", [TypeText(text="739204"), ENTER, Chord(keys=(Key("ctrl"), Key("v")))])
async def test_where_a_page_is_told_as_focused_its_riskiest_field_decides(action: Action) -> None:
    page = element("Sign in", DIARY.rect, Role.DOCUMENT)
    fields = (element("Find", FILE, Role.SEARCH_FIELD), element("Password", BIN, Role.PASSWORD_FIELD))
    r = on_diary(rig(does(action), elements=FakeElements(page, *fields, focus=page)))
    await r.start()
    (asked,) = r.of(Asked)
    await r.post(Answer(question_id=asked.question.question_id, answer="yes"))
    await r.end()
    assert r.injector.actions == [action]
    assessment = asked.question.assessment
    assert assessment is not None and assessment.control is not None
    assert assessment.control.name == "Password"
    assert "Its application does not tell which field has the focus. It may be this one." in assessment.reasons


@pytest.mark.parametrize("focus", ["Find", "Sign in"])
async def test_other_fields_make_no_difference_to_harmless_text_and_where_the_focus_is_told(focus: str) -> None:
    page = element("Sign in", DIARY.rect, Role.DOCUMENT)
    find, password = element("Find", FILE, Role.SEARCH_FIELD), element("Password", BIN, Role.PASSWORD_FIELD)
    shown = [page, find, password] if focus == "Find" else [page, find]
    told = next(each for each in shown if each.name == focus)
    r = on_diary(rig(does(TypeText(text="tomatoes")), elements=FakeElements(*shown, focus=told)))
    await r.run()
    (decided_,) = r.of(Decided)
    assert decided_.assessment is not None and decided_.assessment.control is not None
    assert (decided_.assessment.rule, decided_.assessment.control.name) == ("ordinary-typing", focus)


async def test_without_accessibility_the_clicked_control_counts_until_the_focus_may_have_moved() -> None:
    r = on_diary(rig(does(click(30, 30), ENTER, ENTER), reader=Words(("Keep", FILE), boxes=[FILE])))
    await r.run()
    _, first, second = [event.assessment.control if event.assessment else None for event in r.of(Decided)]
    assert first is not None
    assert (first.text, first.knowledge) == ("Keep", TextKnowledge.READ)
    assert second is not None
    assert (second.text, second.knowledge, second.window) == ("", TextKnowledge.UNREADABLE, "Plant diary")


@pytest.mark.parametrize(
    ("before", "shown", "boxes", "judged_by"),
    [
        (click(30, 30), "Plant diary", [FILE], "Keep"),
        (click(30, 30), "Bank", [FILE], ""),
        (click(30, 30), "Plant diary", [BIN], ""),
        (click(30, 30), "Plant diary", [DIARY.rect], ""),
        (TypeText(text="x", at=ON_FILE), "*Plant diary", [FILE], "Keep"),
        (TypeText(text="x", at=ON_FILE), "*Plant diary", [BIN], ""),
        (TypeText(text="x", at=ON_FILE, submit=True), "Bank", [FILE], ""),
    ],
)
async def test_by_the_picture_alone_a_clicked_field_counts_as_long_as_it_is_shown(
    seen: list[tuple[Action, PolicyContext]], before: Action, shown: str, boxes: list[Rect], judged_by: str
) -> None:
    reader = Words(("Keep", FILE), boxes=[FILE])
    r = on_diary(rig(does(before), does(ENTER), reader=reader))

    def change(_: Action) -> None:
        r.computer.focus = replace(DIARY, title=shown)
        r.computer.windows, reader.boxes = [r.computer.focus], boxes

    r.injector.on_act = change
    await r.run()
    assert decided(seen, Chord)[0].label == judged_by


@pytest.mark.parametrize(
    ("first", "judged_by"),
    [
        ((), "PIN"),
        ((click(30, 30),), "PIN"),
        ((TypeText(text="a"),), ""),  # the caret may have been seen before it
    ],
)
async def test_without_accessibility_the_field_in_which_the_caret_blinks_gets_the_keys(
    seen: list[tuple[Action, PolicyContext]], first: tuple[Action, ...], judged_by: str
) -> None:
    reader = Words(("Next", FILE), ("PIN", Rect(250, 184, 30, 14)), boxes=[FILE, BIN])
    r = on_diary(
        rig(does(*first), does(ENTER), reader=reader) if judged_by else rig(does(*first, ENTER), reader=reader)
    )
    r.computer.focus = DIARY
    reader.blinks = Rect(258, 220, 1, 18)
    await r.run()
    assert decided(seen, Chord)[0].label == judged_by


async def test_a_caret_is_not_waited_for_twice_on_the_same_picture(seen: list[tuple[Action, PolicyContext]]) -> None:
    r = on_diary(rig(does(ENTER), reader=Words()))
    began_s = r.clock.now
    await r.run()
    assert decided(seen, Chord)[0].control.source is ControlSource.NONE
    looking_s = (CARET_LOOKS - 1) * CARET_STEP_S
    assert looking_s <= r.clock.now - began_s < 2 * looking_s


@pytest.mark.parametrize(("size", "texts"), [(Rect(50, 50, 200, 100), ("Delete 3 files?", "OK")), (DIARY.rect, ())])
async def test_what_a_small_window_says_counts_for_enter_where_no_control_is_known(
    seen: list[tuple[Action, PolicyContext]], size: Rect, texts: tuple[str, ...]
) -> None:
    asks = replace(DIARY, rect=size)
    r = rig(does(ENTER), reader=Words(("Delete 3 files?", Rect(60, 60, 120, 16)), ("OK", Rect(60, 120, 20, 16))))
    r.computer.windows, r.computer.focus = [asks], asks
    await r.run()
    assert decided(seen, Chord)[0].nearby == texts


async def test_a_silent_application_delays_no_key(seen: list[tuple[Action, PolicyContext]]) -> None:
    r = on_diary(rig(does(ENTER), elements=FakeElements(silent=True)))
    began_s = r.clock.now
    await r.run()
    assert decided(seen, Chord)[0].control.knowledge is TextKnowledge.NOT_YET
    assert r.of(Performed)[0].status is CallStatus.DONE
    assert r.clock.now - began_s < 1.0


CHAT = WindowInfo(window_id=5, title="Family", app="Telegram", pid=1, rect=Rect(0, 0, 400, 300))


@pytest.mark.parametrize("read", [True, False])
async def test_what_was_not_read_in_time_is_looked_at_once_more_before_a_question(read: bool) -> None:
    reader = Words(("Search", FILE), boxes=[FILE], slow=True)
    r = rig(does(click(30, 30)), reader=reader)
    r.computer.windows, r.computer.focus = [CHAT], CHAT
    await r.start()
    reader.slow = not read
    await r.clock.advance(READ_WITHIN_S)
    assert not r.of(Asked)
    if not read:
        await r.clock.advance(READ_AGAIN_S)
        (asked,) = r.of(Asked)
        await r.post(Answer(question_id=asked.question.question_id, answer="yes"))
    await r.end()
    assessment = r.of(Decided)[-1].assessment
    assert assessment is None or (assessment.rule == "unknown-control") is not read


class _LateElements(FakeElements):
    """Does not answer the first question for the focus."""

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        self.silent = not self.focus_asked
        return await super().focused(frame, unhurried=unhurried)


class _ManyElements(FakeElements):
    """Takes longer to tell what has the focus than a decision waits at first."""

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        self.silent = not unhurried
        return await super().focused(frame, unhurried=unhurried)


@pytest.mark.parametrize("elements", [_LateElements, _ManyElements])
@pytest.mark.parametrize(
    "action",
    [ENTER, TypeText(text="heron"), Chord(keys=(Key("ctrl"), Key("v"))), KeyDown(key=Key("a")),
     HoldKeys(keys=(Key("enter"),), duration_s=0.1)],
)  # fmt: skip
async def test_text_and_keys_wait_for_a_second_answer_about_the_focus_with_the_time_of_many_elements(
    seen: list[tuple[Action, PolicyContext]], action: Action, elements: type[FakeElements]
) -> None:
    password = element("Password", FILE, Role.PASSWORD_FIELD)
    r = on_diary(rig(does(action), elements=elements(password, focus=password)))
    await r.run()
    assert decided(seen, type(action))[-1].control.name == "Password"


async def test_what_runs_unasked_is_not_looked_at_again() -> None:
    r = on_diary(rig(does(click(30, 30)), reader=Words(slow=True)))
    began_s = r.clock.now
    await r.start()
    await r.clock.advance(READ_WITHIN_S)
    assert r.of(Decided) and r.clock.now - began_s < 2 * READ_WITHIN_S
    await r.end()


async def test_a_drag_knows_where_it_begins_and_where_it_ends(seen: list[tuple[Action, PolicyContext]]) -> None:
    r = rig(does(Drag(path=(ON_FILE, ON_BIN))), elements=FakeElements(*FILES))
    r.computer.windows, r.computer.focus = [DIARY, TRASH], DIARY
    await r.run()
    for context, window in zip(decided(seen, Drag), (DIARY, TRASH), strict=True):
        assert (context.from_control.name, context.control.name) == ("notes.txt", "Trash")
        assert (context.from_control.window, context.control.window) == ("Plant diary", "Trash")
        assert (context.app, context.label, context.nearby[0]) == (window.app, "notes.txt", "Trash")
    assessment = r.of(Decided)[0].assessment
    assert assessment is not None
    assert assessment.from_control is not None
    assert assessment.from_control.name == "notes.txt"


async def test_a_release_is_judged_where_the_pointer_is_and_with_where_it_was_pressed(
    seen: list[tuple[Action, PolicyContext]],
) -> None:
    r = on_diary(rig(does(Press(at=ON_FILE), Move(at=ON_BIN), Release()), elements=FakeElements(*FILES)))
    r.injector.on_act = lambda action: None
    real = r.injector.perform

    async def perform(grant: Any, secret: str = "") -> Outcome:
        outcome = await real(grant, secret)
        at = getattr(grant.action, "at", None)
        return replace(outcome, pointer=(at.x, at.y)) if at is not None else outcome

    r.injector.perform = perform  # type: ignore[method-assign]
    await r.run()
    glanced, dragging = (context for action, context in seen if isinstance(action, Move))
    assert (glanced.from_control, glanced.buttons) == (UNKNOWN_CONTROL, ())  # before anything was pressed
    for drop in (dragging, *decided(seen, Release)):
        assert (drop.from_control.name, drop.control.name, drop.label) == ("notes.txt", "Trash", "Trash")
        assert drop.buttons == (Button.LEFT,)
    assert len(decided(seen, Release)) == 1
    assert [p.at for p in r.computer.prepared] == [ON_FILE, ON_BIN, None]


async def test_a_move_with_a_button_down_is_asked_about_before_the_drop() -> None:
    elements = FakeElements(FILES[0], element("Delete", BIN))
    r = on_diary(rig(does(Press(at=ON_FILE), Move(at=ON_BIN), Release()), elements=elements))
    await r.start()
    await r.settled()
    question = r.of(Asked)[0].question
    assert (question.action, r.injector.actions) == (Move(at=ON_BIN), [Press(at=ON_FILE)])
    await r.post(Answer(question_id=question.question_id, answer="no"))
    await r.end()
    assert r.injector.actions == [Press(at=ON_FILE)]


async def test_held_keys_and_what_was_typed_go_with_every_later_key(
    seen: list[tuple[Action, PolicyContext]],
) -> None:
    shell = replace(DIARY, app="XTerm", title="shell")
    turn = does(TypeText(text="rm "), TypeText(text="-rf ~"), KeyDown(key=Key("ctrl")), TypeText(text="j"), ENTER)
    r = rig(turn)
    r.computer.windows, r.computer.focus = [shell], shell
    await r.run()
    text, chord = decided(seen, TypeText), decided(seen, Chord)
    assert [context.typed for context in text] == ["", "rm ", "rm -rf ~"]
    assert [context.held for context in (*text, *chord)] == [(), (), ("ctrl",), ("ctrl",)]
    assert [context.typed_known for context in (*text, *chord)] == [True, True, True, False]


async def test_history_makes_the_command_unknown(seen: list[tuple[Action, PolicyContext]]) -> None:
    shell = replace(DIARY, app="XTerm", title="shell")
    r = rig(does(TypeText(text="ls"), Chord(keys=(Key("up"),)), ENTER))
    r.computer.windows, r.computer.focus = [shell], shell
    await r.run()
    contexts = decided(seen, Chord)
    assert [(c.typed, c.typed_known) for c in contexts] == [("ls", True), ("ls", False)]


async def approved_after(r: Rig, elements: FakeElements, now: Element | None, wait_s: float = 5.0) -> CallStatus:
    """The session, started here unless it is, whose question is approved once `now` stands in the place."""
    if r.task is None:
        await r.start()
    question = r.session.question
    assert question is not None
    await r.clock.advance(wait_s)
    elements.shown = [now] if now is not None else []
    elements.focus = now
    await r.post(Approve(question_id=question.question_id))
    await r.end()
    return r.model.seen[1].results[0].status


SAVE = element("Save", Rect(90, 90, 60, 30), element_id="1")


@pytest.mark.parametrize("action", [click(), ENTER, TypeText(text="x"), Press(at=NativePoint(100, 100))])
@pytest.mark.parametrize(
    ("now", "done"),
    [
        (SAVE, True),
        (None, True),
        (replace(SAVE, name="Delete"), False),
        (replace(SAVE, box=Rect(90, 99, 60, 30)), False),
        (replace(SAVE, value="other", states=()), True),
    ],
)
async def test_what_was_asked_about_must_still_be_there(action: Action, now: Element | None, done: bool) -> None:
    elements = FakeElements(SAVE, focus=SAVE)
    r = on_diary(rig(does(action), autonomy=Autonomy.STEP, elements=elements))
    status = await approved_after(r, elements, now)
    assert status is (CallStatus.DONE if done else CallStatus.NOT_DONE)
    assert bool(r.injector.grants) is done
    if not done:
        assert r.of(Performed)[0].reason == "stale"
        assert "“Delete”" in r.model.seen[1].results[0].text or now is None or now.name == "Save"
        assert r.of(Decided)[0].by is DecidedBy.HUMAN


async def test_an_application_that_went_silent_does_not_hold_back_what_was_approved() -> None:
    elements = FakeElements(SAVE)
    r = on_diary(rig(does(click()), autonomy=Autonomy.STEP, elements=elements))
    await r.start()
    question = r.session.question
    assert question is not None
    await r.clock.advance(5.0)
    elements.silent = True
    await r.post(Approve(question_id=question.question_id))
    await r.end()
    assert r.injector.actions == [click()]


async def test_what_the_application_tells_is_recorded_with_each_picture() -> None:
    elements = FakeElements()
    elements.told = Exposure.NOTHING
    r = on_diary(rig(does(click()), elements=elements))
    await r.run()
    assert [event.exposure for event in r.of(Observed)] == ["nothing", "nothing"]
    silent = on_diary(rig(does(click()), elements=FakeElements(silent=True)))
    await silent.run()
    assert [event.exposure for event in silent.of(Observed)] == ["", ""]
    without = on_diary(rig(does(click())))
    await without.run()
    assert without.of(Observed)[0].exposure == ""


@pytest.mark.parametrize("told", list(Exposure))
async def test_it_is_said_once_that_an_application_would_tell_its_controls_after_a_restart(told: Exposure) -> None:
    elements = FakeElements()
    elements.told = told
    r = on_diary(rig(does(click()), does(click()), elements=elements))
    await r.run()
    warned = [event for event in r.of(Warned) if event.pid is not None]
    assert [(event.step, event.pid) for event in warned] == [(1, DIARY.pid)] * (told is Exposure.SWITCHED_OFF)
    assert all(DIARY.app in event.title for event in warned)


@pytest.mark.parametrize(("told", "reads"), [(Exposure.FULL, 0), (Exposure.NOTHING, 1)])
async def test_the_whole_picture_is_read_only_where_the_application_does_not_tell(told: Exposure, reads: int) -> None:
    elements, reader = FakeElements(SAVE), Words()
    elements.told = told
    r = on_diary(rig(said("done"), elements=elements, reader=reader))
    await r.run()
    assert reader.reads == reads


async def test_a_click_on_a_control_is_still_judged_by_the_rules() -> None:
    assert real_assess(click(), PolicyContext(label="Delete", read=True)).risk is RiskClass.C3
    elements = FakeElements(element("Delete", Rect(90, 90, 200, 30)))
    r = on_diary(rig(does(Click(at=NativePoint(280, 100), button=Button.LEFT)), elements=elements))
    await r.start()
    assert r.of(Asked)[0].question.assessment is not None
    r.computer.pointer = ScreenPoint(0, 0)
    await r.post(Answer(question_id=r.of(Asked)[0].question.question_id, answer="no"))
    await quiet()
    await r.end()
    assert r.injector.grants == []


@pytest.mark.parametrize(
    ("action", "url"),
    [(click(), "https://pay.example/embedded"), (Click(at=NativePoint(10, 10)), "https://shop.example/")],
)
async def test_a_control_in_a_frame_is_judged_by_the_address_of_that_frame(
    seen: list[tuple[Action, PolicyContext]], monkeypatch: pytest.MonkeyPatch, action: Click, url: str
) -> None:
    pay = element("Continue", Rect(90, 90, 60, 30), url="https://pay.example/embedded")
    r = rig(does(action), elements=FakeElements(pay))
    framed = r.computer._frame
    page = Page(document="d", url="https://shop.example/")
    monkeypatch.setattr(r.computer, "_frame", lambda needs: replace(framed(needs), page=page))
    await r.run()
    assert decided(seen, Click)[0].url == url


async def test_what_no_more_becomes_known_of_is_assessed_once(seen: list[tuple[Action, PolicyContext]]) -> None:
    r = rig(does(click()), elements=FakeElements())
    await r.run()
    assert len(seen) == 1
    assert r.of(Decided)[0].assessment == r.of(Proposed)[0].calls[0].assessment
