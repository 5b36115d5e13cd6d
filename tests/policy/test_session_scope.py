"""Where an action lands: in scope or not, and met in this session or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from operator_console.domain.actions import Click, Navigate, Screenshot
from operator_console.domain.elements import Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.domain.scope import Met, Scope
from operator_console.policy import PolicyContext, VerdictKind, assess, verdict
from operator_console.policy.session_scope import site_of
from tests.policy.control_examples import PAGE, control, on

CLICK = Click(at=NativePoint(5, 5))
MET = Met(apps=frozenset({"galculator"}), sites=frozenset({"shop.example"}))


@pytest.mark.parametrize(
    ("app", "named", "inside"),
    [
        ("Galculator", ("galculator",), True),
        ("firefox-esr", ("firefox",), True),
        ("org.gnome.TextEditor", ("texteditor", "mousepad"), True),
        ("xfce4-terminal", ("term",), False),
        ("firefox", ("firefox esr",), False),
        ("anything", (), True),
        ("anything", ("",), False),
    ],
)
def test_an_application_is_in_scope_by_whole_words_of_its_name(app: str, named: tuple[str, ...], inside: bool) -> None:
    assert Scope(apps=named).has_app(app) is inside


@pytest.mark.parametrize(
    ("host", "named", "inside"),
    [
        ("shop.example", "shop.example", True),
        ("shop.example", "Shop.Example:8443", True),
        ("a.shop.example", "*.shop.example", True),
        ("shop.example", "*.shop.example", False),
        ("evilshop.example", "*.shop.example", False),
        ("a.shop.example", "shop.example", False),
        ("[::1]", "[::1]", True),
    ],
)
def test_a_site_is_in_scope_by_its_host(host: str, named: str, inside: bool) -> None:
    assert Scope(sites=(named,)).has_site(host) is inside


def test_what_is_first_met_in_a_session_is_worth_seeing_and_then_ordinary() -> None:
    first = assess(CLICK, PolicyContext(app="mousepad", met=MET, read=True, label="Notes"))
    assert (first.risk, "first-app" in {each.rule for each in first.findings}) == (RiskClass.C2, True)
    assert "first-app" not in {each.rule for each in assess(CLICK, PolicyContext(app="Galculator", met=MET)).findings}
    there = assess(Navigate(url="https://shop.example/a"), PolicyContext(app="galculator", met=MET))
    assert "first-site" not in {each.rule for each in there.findings}
    assert assess(Screenshot(), PolicyContext(app="mousepad", met=MET)).risk is RiskClass.C0


@pytest.mark.parametrize(
    "context",
    [
        PolicyContext(app="mousepad", met=MET, scope=Scope(apps=("galculator",))),
        PolicyContext(app="galculator", url="https://news.example/a", met=MET, scope=Scope(sites=("shop.example",))),
    ],
)
def test_what_is_not_in_scope_is_asked_about_whatever_is_allowed_and_only_once(context: PolicyContext) -> None:
    found = assess(CLICK, context)
    assert found.rule.endswith("-out-of-scope")
    every = tuple(category for category in Category if category.risk is RiskClass.C3)
    assert verdict(found, Autonomy.AUTO, every, None).kind is VerdictKind.ASK
    assert context.met is not None
    again = PolicyContext(
        app=context.app, url=context.url, scope=context.scope, met=context.met.also(context.app, "news.example")
    )
    assert assess(CLICK, again).risk < found.risk


def deleting(**changed: Any) -> PolicyContext:
    return on(control(Role.BUTTON, "Delete"), app="galculator", met=MET, **changed)


@pytest.mark.parametrize(
    ("effects", "outside"),
    [(None, False), ((), True), ((Category.SEND,), True), ((Category.DELETE, Category.SEND), False)],
)
def test_an_effect_out_of_scope_asks_whatever_is_allowed(effects: tuple[Category, ...] | None, outside: bool) -> None:
    found = assess(CLICK, deleting(scope=Scope(effects=effects)))
    assert ("effect-out-of-scope" in {each.rule for each in found.findings}) is outside
    assert found.categories == (Category.DELETE,)
    kind = verdict(found, Autonomy.AUTO, (Category.DELETE,), None).kind
    assert kind is (VerdictKind.ASK if outside else VerdictKind.RUN)
    assert verdict(found, Autonomy.GUARDED, (), None).kind is VerdictKind.ASK


def test_an_effect_that_was_let_in_is_asked_about_only_as_ever() -> None:
    let_in = deleting(scope=Scope(effects=()))
    let_in = replace(let_in, met=replace(MET, effects=frozenset({Category.DELETE})))
    assert verdict(assess(CLICK, let_in), Autonomy.AUTO, (Category.DELETE,), None).kind is VerdictKind.RUN
    assert verdict(assess(CLICK, let_in), Autonomy.GUARDED, (), None).kind is VerdictKind.ASK


def test_what_is_not_known_is_no_effect_that_could_be_out_of_scope() -> None:
    found = assess(CLICK, on(control(Role.BUTTON, "Qwxyz"), **PAGE, met=MET, scope=Scope(effects=())))
    assert found.categories == (Category.UNKNOWN,)
    assert "effect-out-of-scope" not in {each.rule for each in found.findings}


def test_ordinary_work_is_not_asked_about_where_no_effect_is_in_scope() -> None:
    assert assess(CLICK, PolicyContext(app="galculator", met=MET, scope=Scope(effects=()))).risk < RiskClass.C3


def test_a_page_whose_site_the_browser_does_not_tell_is_asked_about_once_where_sites_are_in_scope() -> None:
    page = PolicyContext(app="Chromium", met=MET.also("chromium", ""), scope=Scope(sites=("shop.example",)))
    every = tuple(category for category in Category if category.risk is RiskClass.C3)
    found = assess(CLICK, page)
    assert found.rule == "site-not-told"
    assert verdict(found, Autonomy.AUTO, every, None).kind is VerdictKind.ASK
    assert page.met is not None
    for other in (
        replace(page, met=page.met.also("chromium", site_of(CLICK, page))), replace(page, scope=Scope()),
        replace(page, url="https://shop.example/a"), replace(page, app="galculator"),
        replace(page, control=control(Role.TAB, "New tab")),
    ):  # fmt: skip
        assert "site-not-told" not in {each.rule for each in assess(CLICK, other).findings}
