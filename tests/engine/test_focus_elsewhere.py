"""Keys for a target that does not have the keyboard focus are judged, asked about and recorded for what gets them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Chord, HoldKeys, KeyDown, TypeText
from operator_console.domain.codec import canonical
from operator_console.domain.decisions import DecidedBy, DecisionKind, Surface
from operator_console.domain.elements import Control, Element, Role
from operator_console.domain.errors import ComputerRejected, RejectedReason
from operator_console.domain.events import Asked, Decided, Performed
from operator_console.domain.frames import Frame, ImageNeeds, KeyboardFocus, WindowInfo, WindowTarget
from operator_console.domain.geometry import Rect
from operator_console.domain.grants import FocusRule
from operator_console.domain.intents import Answer, Approve, Edit, Intent, Skip
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.session_request import SessionRequest
from operator_console.providers.structured.numbered_elements import Screen
from operator_console.providers.structured.prompt import screen_text
from tests.engine.rig import Rig, Turn, does, rig, said
from tests.fakes.computer import FakeComputer
from tests.fakes.elements import FakeElements

TARGET_ID, DIALOG_ID, FOREIGN_ID = 77, 78, 5
AREA = Rect(0, 0, 400, 300)
DIALOG = WindowInfo(window_id=DIALOG_ID, title="Delete the order?", app="Orders", pid=4, rect=AREA)
FOREIGN = WindowInfo(window_id=FOREIGN_ID, title="Your bank", app="Bank", pid=9, rect=AREA)
CONSOLE = replace(FOREIGN, title="Operator console", app="operator-console", own=True)
ENTER, SPACE = Chord(keys=(Key("enter"),)), Chord(keys=(Key("space"),))
PAY = Element(element_id="pay", role=Role.BUTTON, name="Pay now", box=AREA)
NOTE = Element(element_id="note", role=Role.TEXT_FIELD, name="Note", box=AREA)
DELETE = Element(element_id="delete", role=Role.BUTTON, name="Delete", box=AREA)


class ByWindow(FakeElements):
    """Tells the element that has the focus in each window; as most toolkits do, only while the window has it, except in
    the windows of `always`."""

    def __init__(self, told_of: dict[int, Element]) -> None:
        super().__init__()
        self.told_of = told_of
        self.always = {FOREIGN_ID}
        self.computer: FakeComputer | None = None

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        self.focus_asked.append(frame)
        computer, window = self.computer, frame.focus
        if computer is None or window is None:
            return None
        has_it = computer.focus is not None and computer.focus.window_id == window.window_id
        told = (has_it and computer.focus_in_target) or window.window_id in self.always
        return self.told_of.get(window.window_id) if told else None


def orders(
    *turns: Turn,
    target: Element | None = NOTE,
    autonomy: Autonomy = Autonomy.GUARDED,
    holder: WindowInfo | None = FOREIGN,
    app: str = "Orders",
    lead_s: float = 0.0,
) -> tuple[Rig, ByWindow]:
    """A session on the window “Orders of May” while `holder` has the focus, and what applications tell.

    `target` has the focus in the target once that has it, and a button “Pay now” in the foreign window.
    """
    elements = ByWindow({FOREIGN_ID: PAY} if target is None else {FOREIGN_ID: PAY, TARGET_ID: target})
    request = SessionRequest(task="do it", lead_time_s=lead_s)
    r = rig(*turns, autonomy=autonomy, elements=elements, request=request)
    elements.computer = computer = r.computer
    computer._target = WindowTarget(spec=f"window:{TARGET_ID:#x}", title="", window_id=TARGET_ID, app=app)
    computer.title = "Orders of May"
    computer.focus, computer.focus_in_target = holder, False
    return r, elements


def gave_focus(r: Rig) -> int:
    return sum(prepared.needs_focus for prepared in r.computer.prepared)


async def until_asked(r: Rig) -> Asked:
    await r.start()
    while not (found := r.of(Asked)):
        await r.clock.advance(r.clock.deadlines()[0])
    return found[0]


async def say(r: Rig, answer: str) -> None:
    """Answer the open question, and run to the end."""
    assert r.session.question is not None
    await r.post(Answer(question_id=r.session.question.question_id, answer=answer))
    await r.end()


def last_control(r: Rig) -> Control:
    assessment = r.of(Decided)[-1].assessment
    assert assessment is not None
    assert assessment.control is not None
    return assessment.control


KEYS = [
    TypeText(text="hello"), ENTER, SPACE, Chord(keys=(Key("alt"), Key("d"))), KeyDown(key=Key("a")),
    HoldKeys(keys=(Key("a"),), duration_s=0.1),
]  # fmt: skip


@pytest.mark.parametrize("action", KEYS)
async def test_nothing_of_the_window_that_has_the_focus_is_in_any_decision(action: Action) -> None:
    r, elements = orders(does(action))
    await r.run()
    assert r.injector.actions == [action]
    for event in (*r.of(Decided), *r.of(Asked)):
        assert b"bank" not in canonical(event).lower()
        assert b"Pay now" not in canonical(event)
    assert (last_control(r).name, last_control(r).window) == ("Note", "Orders of May")
    assert {frame.focus and frame.focus.window_id for frame in elements.focus_asked} == {TARGET_ID}
    assert r.injector.grants[0].focus == FocusRule(window_id=TARGET_ID)


async def test_what_gets_the_keys_is_asked_about_before_the_first_key_where_it_turns_out_riskier() -> None:
    r, _ = orders(does(ENTER), target=DELETE)
    asked = await until_asked(r)
    assert asked.question.surface is Surface.DIALOG
    assert "“Delete” in “Orders of May”" in asked.question.text
    assert r.injector.grants == []
    assert [event.decision for event in r.of(Decided)] == [DecisionKind.APPROVE]  # of keys for what was not known
    await say(r, "no")
    assert r.injector.grants == []
    assert r.of(Decided)[-1].decision is DecisionKind.DENY
    assert r.model.seen[1].results[0].status is CallStatus.DECLINED


async def test_a_yes_to_that_sends_them() -> None:
    r, _ = orders(does(ENTER), target=DELETE)
    await until_asked(r)
    r.computer.focus, r.computer.focus_in_target = CONSOLE, False  # by the click on Allow
    await say(r, "yes")
    assert r.injector.actions == [ENTER]
    assert len(r.of(Asked)) == 1
    assert r.of(Decided)[-1].by is DecidedBy.HUMAN


async def test_a_target_that_tells_its_control_without_the_focus_is_judged_by_it_at_once() -> None:
    r, elements = orders(does(ENTER), target=DELETE)
    elements.always.add(TARGET_ID)
    asked = await until_asked(r)
    assert "“Delete” in “Orders of May”" in asked.question.text
    assert gave_focus(r) == 0  # a person works in the other window
    await say(r, "no")


async def test_the_focus_is_given_before_a_question_only_where_that_takes_it_from_nobody() -> None:
    delete = Chord(keys=(Key("delete"),))
    r, _ = orders(does(delete), app="Chromium")
    await until_asked(r)
    assert gave_focus(r) == 0
    await say(r, "no")
    for holder in (None, CONSOLE):
        r, _ = orders(does(delete), holder=holder, app="Chromium")
        await r.run()
        assert r.of(Asked) == []
        assert r.injector.actions == [delete]


async def test_a_person_keeps_the_focus_while_an_edit_is_judged_and_during_the_lead_time() -> None:
    r, _ = orders(does(TypeText(text="hello")), holder=CONSOLE, lead_s=0.5)
    await r.start()
    [decided] = r.of(Decided)
    assert decided.lead_s == 0.5
    assert await r.session.judged(1, 0, ENTER) is not None
    assert gave_focus(r) == 0
    await r.end()
    assert r.injector.actions == [TypeText(text="hello")]


async def test_in_step_the_person_keeps_the_focus_until_the_answer_and_the_record_names_the_control_then() -> None:
    r, _ = orders(does(TypeText(text="hello")), autonomy=Autonomy.STEP, holder=CONSOLE)
    asked = await until_asked(r)
    assert gave_focus(r) == 0
    assert asked.question.window == "Orders of May — Orders"
    await r.post(Approve(question_id=asked.question.question_id))
    await r.end()
    assert r.injector.actions == [TypeText(text="hello")]
    assert [(event.decision, event.by) for event in r.of(Decided)] == [(DecisionKind.APPROVE, DecidedBy.HUMAN)] * 2
    assert last_control(r).name == "Note"


async def test_what_was_approved_for_one_window_is_asked_again_for_the_dialog_that_gets_the_focus() -> None:
    r, _ = orders(does(TypeText(text="hello")), autonomy=Autonomy.STEP)
    r.computer.on_focus = lambda: dialog_comes(r, DIALOG)
    first = await until_asked(r)
    await r.post(Approve(question_id=first.question.question_id))
    second = r.of(Asked)[1]
    assert second.question.window == "Delete the order? — Orders"
    await r.post(Approve(question_id=second.question.question_id))
    await r.end()
    [grant] = r.injector.grants
    assert (grant.focus, grant.holder and grant.holder.window_id) == (FocusRule(window_id=DIALOG_ID), None)


def dialog_comes(r: Rig, dialog: WindowInfo) -> None:
    """It has the focus instead of the target's main window."""
    r.computer.focus, r.computer.focus_in_target = dialog, True


async def test_another_kind_of_effect_than_was_approved_is_asked_about_though_it_is_no_riskier() -> None:
    r, _ = orders(does(ENTER), target=DELETE, app="Chromium")
    r.computer.title = "Order form - Chromium"
    asked = await until_asked(r)
    assert asked.question.assessment is not None
    assert asked.question.assessment.categories == (Category.UNKNOWN,)
    await r.post(Answer(question_id=asked.question.question_id, answer="yes"))
    second = r.of(Asked)[1].question
    assert second.assessment is not None
    assert second.assessment.risk is asked.question.assessment.risk
    assert second.assessment.categories == (Category.DELETE,)
    assert r.injector.grants == []
    await say(r, "no")


async def test_an_action_that_is_edited_in_the_second_question_is_looked_at_again_too() -> None:
    r, elements = orders(does(TypeText(text="hello")), autonomy=Autonomy.STEP)
    r.computer.on_focus = lambda: dialog_comes(r, DIALOG)
    first = await until_asked(r)
    await r.post(Approve(question_id=first.question.question_id))
    second = r.of(Asked)[1].question
    r.computer.focus, r.computer.focus_in_target = CONSOLE, False  # by the click on Edit
    elements.told_of[DIALOG_ID] = DELETE
    await r.post(Approve(question_id=second.question_id, action=ENTER))
    third = r.of(Asked)[2].question
    assert "“Delete” in “Delete the order?”" in third.text
    assert r.injector.grants == []
    await say(r, "no")
    assert r.injector.grants == []


async def test_a_target_that_cannot_be_given_the_focus_gets_nothing() -> None:
    r, _ = orders(does(TypeText(text="hello")))
    r.computer.refuse_next_input(ComputerRejected("“Your bank” has it.", reason=RejectedReason.NO_FOCUS))
    await r.run()
    assert r.injector.grants == []
    [performed] = r.of(Performed)
    assert (performed.reason, performed.detail) == (RejectedReason.NO_FOCUS.value, "“Your bank” has it.")


async def test_a_target_that_loses_the_focus_at_once_gets_nothing() -> None:
    r, _ = orders(does(TypeText(text="hello")))
    r.computer.on_focus = lambda: None
    await r.run()
    assert r.injector.grants == []
    [performed] = r.of(Performed)
    assert "did not stay" in performed.detail


@pytest.mark.parametrize("edit", [None, TypeText(text="other")])
async def test_a_skip_or_an_edit_that_comes_while_the_control_is_looked_at_counts(edit: TypeText | None) -> None:
    r, _ = orders(does(TypeText(text="hello")))
    intent = Skip(step=1, call=0) if edit is None else Edit(step=1, call=0, action=edit)
    posted: list[Intent] = []

    def give() -> None:
        r.computer.focus, r.computer.focus_in_target = replace(FOREIGN, window_id=TARGET_ID), True
        if not posted:
            posted.append(intent)
            r.session.post(intent)

    r.computer.on_focus = give
    await r.run()
    assert r.injector.actions == ([] if edit is None else [edit])
    assert r.of(Decided)[-1].decision is (DecisionKind.SKIP if edit is None else DecisionKind.MODIFY)


async def test_a_window_of_a_monitor_that_gets_the_focus_back_from_the_console_is_looked_at_again() -> None:
    elements = ByWindow({TARGET_ID: DELETE})
    r = rig(does(ENTER), elements=elements)
    window = WindowInfo(window_id=TARGET_ID, title="Orders of May", app="Orders", pid=4, rect=AREA)
    r.computer.windows, r.computer.focus = [window], window  # it had the focus before the console
    r.computer.keyboard = KeyboardFocus.NOBODY

    def give() -> None:
        r.computer.keyboard = KeyboardFocus.TARGET
        elements.computer = r.computer

    r.computer.on_focus = give
    asked = await until_asked(r)
    assert "“Delete” in “Orders of May”" in asked.question.text
    assert r.injector.grants == []
    await say(r, "no")


async def test_the_model_is_not_told_of_the_foreign_window() -> None:
    r, _ = orders(said("done"))
    await r.run()
    frame = r.model.seen[0].frame
    assert frame.focus == FOREIGN
    assert "bank" not in screen_text(frame, Screen()).lower()


async def test_what_an_application_tells_at_all_is_asked_of_the_target() -> None:
    r, _ = orders(said("done"))
    window = WindowInfo(window_id=TARGET_ID, title="Orders of May", app="Orders", pid=4, rect=AREA)
    r.computer.windows = [window]
    frame = await r.computer.observe(ImageNeeds())
    assert frame.front == window
    assert replace(frame, focus=DIALOG, focus_in_target=True).front == DIALOG
    assert replace(frame, focus=CONSOLE, stack=None).front is None
