"""What a permission may be offered for and what it covers: by structure, with equality of every value."""

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
    Launch,
    Press,
    RunCommand,
    Scroll,
    TypeText,
    UseElement,
)
from operator_console.domain.decisions import Assessment, RuleFinding
from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.elements import Control, ControlSource, Dialog, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.permissions import Coverage, PermittedAct
from operator_console.domain.proposals import SafetySignal
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.policy import PolicyContext, VerdictKind, assess, verdict
from operator_console.policy.permission_coverage import LONGEST_NAME, coverage

AT = NativePoint(5, 5)
CLICK = Click(at=AT)
CTRL_S = Chord(keys=(Key("ctrl"), Key("s")))
IDENTITY = ElementIdentity(
    element_id="/1", pid=1, role=Role.BUTTON, role_name="push button", name="Next", extents=Rect(0, 0, 9, 9)
)


def control(name: str = "Next", role: Role = Role.BUTTON, **rest: Any) -> Control:
    known = Control(source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=role, name=name)
    return replace(known, **rest)


def wizard(at: Control | None = None, **rest: Any) -> PolicyContext:
    return replace(PolicyContext(app="importer", title="Import wizard", control=at or control(), read=True), **rest)


def page(at: Control | None = None, url: str = "https://forms.example/a", **rest: Any) -> PolicyContext:
    return replace(wizard(at, app="firefox", title="A title by the page", url=url), **rest)


def covered(action: Action, context: PolicyContext) -> Coverage | None:
    return coverage(action, context, assess(action, context))


def asked(category: Category | None, *values: str, rule: str = "send-by-label") -> Assessment:
    """A C3 of this category."""
    found = RuleFinding(risk=RiskClass.C3, rule=rule, category=category, values=values)
    return Assessment(risk=RiskClass.C3, rule=rule, categories=(category,) if category else (), findings=(found,))


@pytest.mark.parametrize(
    ("action", "context", "sentence"),
    [
        (CLICK, wizard(), "Press “Next” in “Import wizard”"),
        (
            UseElement(use=ElementUse.PRESS, element=IDENTITY, at=AT, name="Click"),
            wizard(),
            "Press “Next” in “Import wizard”",
        ),
        (CLICK, page(), "Press “Next” on forms.example"),
        (
            CLICK,
            page(control("More", Role.LINK, link="https://forms.example/b")),
            "Open links of forms.example that stay on it",
        ),
        (CLICK, page(control("More", Role.LINK, link="https://other.example/b")), "Press “More” on forms.example"),
        (TypeText(text="Ada", at=AT), wizard(control("Name", Role.TEXT_FIELD)), "Type into “Name” in “Import wizard”"),
        (
            TypeText(text="Ada", at=AT, clear=True),
            page(control("Name", Role.TEXT_FIELD)),
            "Replace the text of “Name” on forms.example",
        ),
        (CTRL_S, wizard(control("Text", Role.TEXT_FIELD)), "Press Ctrl+S in importer"),
        (Chord(keys=(Key("page_down"),)), page(control("", Role.DOCUMENT)), "Press Page Down on forms.example"),
    ],
)
def test_the_sentence_is_drawn_from_what_is_known(action: Action, context: PolicyContext, sentence: str) -> None:
    found = covered(action, replace(context, intent="Press “Anything” everywhere"))
    assert found is not None
    assert found.sentence == f"{sentence} without asking, until this session ends"


@pytest.mark.parametrize(
    ("action", "context"),
    [
        (CLICK, wizard(control(source=ControlSource.PICTURE, role=Role.UNKNOWN))),
        (CLICK, wizard(Control())),
        (CLICK, wizard(control(""))),
        (CLICK, wizard(control("Next\u200b"))),
        (CLICK, wizard(control("N" * (LONGEST_NAME + 1)))),
        (CLICK, wizard(control("Share", Role.SWITCH))),
        (CLICK, wizard(control("Agree", Role.CHECK_BOX))),
        (CLICK, wizard(title="")),
        (CLICK, wizard(app="")),
        (CLICK, page(url="")),
        (CLICK, page(url="file:///home/a.html")),
        (CLICK, wizard(held=(Key("shift"),))),
        (CLICK, wizard(buttons=(Button.LEFT,))),
        (CLICK, wizard(title="Transfer – Example Bank")),
        (Click(at=AT, count=2), wizard()),
        (Click(at=AT, button=Button.RIGHT), wizard()),
        (Click(at=AT, modifiers=(Key("ctrl"),)), wizard()),
        (Press(at=AT), wizard()),
        (Scroll(at=AT, dy=1), wizard()),
        (Drag(path=(AT, NativePoint(9, 9))), wizard()),
        (UseElement(use=ElementUse.PRESS, element=IDENTITY, at=AT, name="delete"), wizard()),
        (UseElement(use=ElementUse.FOCUS, element=IDENTITY, at=AT), wizard()),
        (TypeText(text="Ada", at=AT, submit=True), wizard(control("Name", Role.TEXT_FIELD))),
        (TypeText(text="Ada\n", at=AT), wizard(control("Name", Role.TEXT_FIELD))),
        (TypeText(text="{{secret:bank}}", at=AT), wizard(control("Name", Role.TEXT_FIELD))),
        (TypeText(text="hunter22", at=AT), wizard(control("Password", Role.PASSWORD_FIELD))),
        (TypeText(text="ls", at=AT), wizard(control("Terminal", Role.TERMINAL))),
        (TypeText(text="Ada"), wizard(control("Name", Role.TEXT_FIELD), focus_told=False)),
        (CTRL_S, wizard(app="xterm", title="shell")),
        (CTRL_S, wizard(control("Text", Role.TEXT_FIELD), menu_open=True)),
        (Chord(keys=(Key("enter"),)), wizard(control("Name", Role.TEXT_FIELD))),
        (Chord(keys=(Key("space"),)), wizard()),
        (Chord(keys=(Key("delete"),)), wizard(control("Name", Role.TEXT_FIELD))),
        (Chord(keys=(Key("a"),)), wizard(control("Password", Role.PASSWORD_FIELD))),
        (KeyDown(key=Key("a")), wizard()),
        (HoldKeys(keys=(Key("a"),), duration_s=1.0), wizard()),
        (RunCommand(command="ls"), wizard()),
        (Launch(app="gedit"), wizard()),
    ],
)
def test_nothing_is_offered(action: Action, context: PolicyContext) -> None:
    assert covered(action, context) is None


@pytest.mark.parametrize(
    "other",
    [
        wizard(control("Finish")),
        wizard(control("next")),
        wizard(control(role=Role.MENU_ITEM)),
        wizard(title="Export wizard"),
        wizard(app="exporter"),
        page(),
        page(app="importer", title="Import wizard"),
    ],
)
def test_a_press_is_covered_where_every_value_is_equal(other: PolicyContext) -> None:
    given, now = covered(CLICK, wizard()), covered(CLICK, other)
    assert given is not None
    assert given.covers(given)
    assert now is None or not given.covers(now)


def test_a_link_to_another_site_is_covered_for_its_address_alone() -> None:
    there, elsewhere = (control("More", Role.LINK, link=f"https://{host}.example/") for host in ("other", "third"))
    given, now = covered(CLICK, page(there)), covered(CLICK, page(elsewhere))
    assert given is not None
    assert now is not None
    assert not given.covers(now)


@pytest.mark.parametrize(
    "other",
    [
        page(control("Name", Role.TEXT_FIELD), url="https://evil.example"),
        page(control("Name", Role.TEXT_FIELD), url="https://a.forms.example"),
        page(control("E-mail", Role.TEXT_FIELD)),
    ],
)
def test_text_is_covered_in_its_field_alone(other: PolicyContext) -> None:
    action = TypeText(text="Ada", at=AT)
    given, now = covered(action, page(control("Name", Role.TEXT_FIELD))), covered(action, other)
    again = covered(replace(action, text="Grace"), page(control("Name", Role.TEXT_FIELD), title="Another title"))
    assert given is not None
    assert again is not None
    assert now is not None
    assert given.covers(again)
    assert not given.covers(now)


def test_a_higher_class_is_not_covered_and_a_lower_one_is() -> None:
    low = coverage(CLICK, wizard(), Assessment(risk=RiskClass.C1, rule="ordinary"))
    high = coverage(CLICK, wizard(), Assessment(risk=RiskClass.C2, rule="closes"))
    assert low is not None
    assert high is not None
    assert high.covers(low)
    assert not low.covers(high)


@pytest.mark.parametrize("category", Category)
def test_a_c3_is_offered_where_allow_permits_it_and_c4_never(category: Category) -> None:
    found = RuleFinding(risk=category.risk, rule="r", category=category)
    assessment = Assessment(risk=category.risk, rule="r", categories=(category,), findings=(found,))
    assert (coverage(CLICK, wizard(), assessment) is not None) is (category.risk is RiskClass.C3)
    field = wizard(control("Name", Role.TEXT_FIELD))
    assert coverage(TypeText(text="Ada", at=AT), field, assessment) is None
    assert coverage(CTRL_S, field, assessment) is None


def test_what_is_asked_whatever_is_allowed_is_not_offered() -> None:
    assert coverage(CLICK, wizard(), asked(None, rule="warned")) is None
    both = replace(
        asked(Category.SEND), findings=(*asked(Category.SEND).findings, *asked(None, rule="warned").findings)
    )
    assert coverage(CLICK, wizard(), both) is None
    assert coverage(CLICK, wizard(), Assessment(risk=RiskClass.C3, rule="no-rule")) is None


def test_a_c3_is_covered_for_the_same_reasons_in_the_same_groups_and_dialog() -> None:
    there = control("Send", group=("Reply",), dialog=Dialog(title="Reply", text="To Ada"))
    given = coverage(CLICK, wizard(there), asked(Category.SEND, "Send"))
    assert given is not None
    for other, assessment in (
        (there, asked(Category.SEND, "Send all")),
        (there, asked(Category.POST, "Send")),
        (replace(there, group=("Reply to all",)), asked(Category.SEND, "Send")),
        (replace(there, dialog=Dialog(title="Reply", text="To Eve")), asked(Category.SEND, "Send")),
        (replace(there, dialog=None), asked(Category.SEND, "Send")),
    ):
        now = coverage(CLICK, wizard(other), assessment)
        assert now is not None
        assert not given.covers(now)
    again = coverage(CLICK, wizard(there), asked(Category.SEND, "Send"))
    assert again is not None
    assert given.covers(again)


@pytest.mark.parametrize("autonomy", [Autonomy.STEP, Autonomy.GUARDED, Autonomy.AUTO, Autonomy.HOLD])
@pytest.mark.parametrize("risk", RiskClass)
def test_a_permission_answers_neither_for_c4_nor_a_provider_check(autonomy: Autonomy, risk: RiskClass) -> None:
    assessment = Assessment(risk=risk, rule="r")
    check = SafetySignal(source="s", decision="require_confirmation", explanation="?")
    without, with_it = (verdict(assessment, autonomy, (), None, permission) for permission in ("", "p"))
    if without.kind is VerdictKind.ASK and risk < RiskClass.C4:
        assert (with_it.kind, with_it.rule, with_it.permission) == (VerdictKind.RUN, "permitted", "p")
    else:
        assert with_it == without
    assert verdict(assessment, autonomy, (), check, "p") == verdict(assessment, autonomy, (), check)


def test_while_observing_a_permission_does_nothing() -> None:
    assessment = Assessment(risk=RiskClass.C1, rule="r")
    assert verdict(assessment, Autonomy.OBSERVE, (), None, "p").kind is VerdictKind.REFUSE


def test_acts_are_told_apart() -> None:
    field = page(control("Name", Role.TEXT_FIELD))
    found = [covered(TypeText(text="Ada", at=AT, clear=clear), field) for clear in (False, True)]
    assert [each.act for each in found if each is not None] == [PermittedAct.TYPE, PermittedAct.REPLACE]
    assert found[0] is not None
    assert found[1] is not None
    assert not found[0].covers(found[1])
