"""Passwords that are typed are not in the record, wherever a model or this program repeats them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from operator_console.domain.actions import Chord, Click, TypeText
from operator_console.domain.codec import canonical
from operator_console.domain.elements import Element, Role
from operator_console.domain.events import Asked, Granted, Proposed
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.intents import Answer, Approve
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Proposal
from operator_console.domain.redaction import HIDDEN
from operator_console.engine.hidden_texts import HiddenTexts, as_meant, passwords_of
from tests.engine.rig import Rig, call, quiet, rig
from tests.fakes.elements import FakeElements

FORM = WindowInfo(window_id=5, title="Sign in", app="Gnome-form", pid=1, rect=Rect(0, 0, 400, 300))
USER, PASSWORD = Rect(20, 20, 200, 30), Rect(20, 120, 200, 30)
IN_USER, IN_PASSWORD = NativePoint(60, 35), NativePoint(60, 135)
SECRET = 'corre"ct horse\\battery'
FIELDS = (
    Element(element_id="/user", role=Role.TEXT_FIELD, name="User", box=USER, pid=1),
    Element(element_id="/password", role=Role.PASSWORD_FIELD, name="Password", box=PASSWORD, pid=1),
)


def proposal(*actions: object, narration: str = "") -> Proposal:
    """A turn whose raw answer has the arguments as text in JSON, as some services give them."""
    calls = []
    for index, action in enumerate(actions):
        arguments = json.dumps({"text": action.text}) if isinstance(action, TypeText) else "{}"
        calls.append(replace(call(action, index), arguments_json=arguments))  # type: ignore[arg-type]
    raw = json.dumps({"output": [{"name": each.name, "arguments": each.arguments_json} for each in calls]})
    return Proposal(calls=tuple(calls), raw=raw.encode(), narration=narration)


def a_form(*turns: Proposal, focus: Element | None = None) -> Rig:
    made = rig(*turns, elements=FakeElements(*FIELDS, focus=focus))
    made.computer.windows, made.computer.focus = [FORM], FORM
    return made


async def to_the_end(made: Rig) -> None:
    """Run it, with every question answered yes."""
    await made.start()
    answered: set[str] = set()
    for _ in range(60):
        await quiet()
        for asked in made.of(Asked):
            question = asked.question
            if question.question_id not in answered:
                answered.add(question.question_id)
                yes = Answer(question_id=question.question_id, answer="yes")
                await made.post(yes if question.surface == "dialog" else Approve(question_id=question.question_id))
        if made.task is not None and made.task.done():
            return
        if deadlines := made.clock.deadlines():
            await made.clock.advance(deadlines[0])


def everything(made: Rig) -> str:
    """All that is recorded, as text, also unescaped."""
    stored = b"\n".join((*(canonical(event) for event in made.events), *made.journal.data.values()))
    text = stored.decode("utf-8", "replace")
    return text + text.replace("\\\\", "\\").replace('\\"', '"') + text.replace("\\", "")


@pytest.mark.parametrize(
    ("actions", "focus"),
    [
        ((TypeText(text=SECRET, at=IN_PASSWORD),), None),
        ((TypeText(text=SECRET),), FIELDS[1]),
        ((Click(at=IN_PASSWORD), TypeText(text=SECRET, submit=True)), FIELDS[0]),
        ((TypeText(text="tom", at=IN_USER), Chord(keys=(Key("tab"),)), TypeText(text=SECRET)), None),
        ((TypeText(text=f"tom\t{SECRET}\n", at=IN_USER),), None),
    ],
)
async def test_a_password_is_typed_and_not_recorded(actions: tuple[object, ...], focus: Element | None) -> None:
    made = a_form(proposal(*actions, narration=f"I type {SECRET} there."), focus=focus)
    await to_the_end(made)
    assert any(SECRET in sent.text for sent in made.injector.actions if isinstance(sent, TypeText))
    stored = everything(made)
    assert SECRET not in stored
    assert "battery" not in stored
    assert HIDDEN in stored
    assert made.of(Granted)
    (proposed, *_) = made.of(Proposed)
    assert json.loads(made.journal.data[proposed.raw])["output"][0]["name"] == actions[0].kind  # type: ignore[attr-defined]


async def test_a_question_does_not_show_it() -> None:
    made = a_form(proposal(TypeText(text=SECRET, at=IN_PASSWORD)))
    await to_the_end(made)
    (asked,) = made.of(Asked)
    assert isinstance(asked.question.action, TypeText)
    assert asked.question.action.text == HIDDEN
    assert SECRET not in asked.question.text


def test_an_edit_that_leaves_the_hidden_text_types_the_original() -> None:
    original = TypeText(text=SECRET, at=IN_PASSWORD)
    moved = TypeText(text=HIDDEN, at=IN_USER)
    assert as_meant(moved, original) == TypeText(text=SECRET, at=IN_USER)
    assert as_meant(replace(moved, text="other"), original).text == "other"  # type: ignore[union-attr]


async def test_other_texts_stay() -> None:
    made = a_form(proposal(TypeText(text="tom the cat", at=IN_USER)))
    await to_the_end(made)
    assert "tom the cat" in everything(made)
    assert HIDDEN not in everything(made)


def test_short_texts_are_replaced_where_they_stand_alone() -> None:
    hidden = HiddenTexts()
    hidden.add("ab12")
    assert hidden.without("cab123 has ab12.") == f"cab123 has {HIDDEN}."
    hidden.add("7")
    assert hidden.without("step 7") == "step 7"
    assert json.loads(hidden.without_in_json(b'{"args": {"text": "7"}, "id": "7"}')) == {
        "args": {"text": HIDDEN},
        "id": "7",
    }


def test_a_sentence_says_what_its_values_say() -> None:
    hidden = HiddenTexts()
    hidden.add("hunter2-hunter2")
    text = notice(NoticeCode.OPERATOR_SAYS, text="not hunter2-hunter2!")
    assert hidden.without_in(text) == notice(NoticeCode.OPERATOR_SAYS, text=f"not {HIDDEN}!")


def test_without_password_fields_nothing_counts_as_one() -> None:
    assert passwords_of(proposal(TypeText(text="x")), (), focused=None) == ()
