"""Where an action lands: in scope or not, and met in this session or not."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Click, Navigate, Screenshot
from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.domain.scope import Met, Scope
from operator_console.policy import PolicyContext, VerdictKind, assess, verdict

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
