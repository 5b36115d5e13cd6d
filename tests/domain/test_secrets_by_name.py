"""Secrets by name: their placeholders, and the places that they are bound to."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.secrets_by_name import (
    ReceivingPlace,
    binding_text,
    checked_name,
    filled,
    fits,
    names_in,
    only_secret,
    parse_binding,
    parse_bindings,
    placeholder,
)


def page(url: str) -> ReceivingPlace:
    return ReceivingPlace(url=url, app="Chromium", title="My bank", browser=True)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{{secret:bank}}", "bank"), ("{{ secret : bank }}\n", "bank"), ("{{SECRET:bank}}", "bank"),
        ("x{{secret:bank}}", ""), ("{{secret:bank}}{{secret:bank}}", ""), ("tom\t{{secret:bank}}", ""), ("bank", ""),
    ],
)  # fmt: skip
def test_a_secret_is_the_whole_text_or_none(text: str, name: str) -> None:
    assert only_secret(text) == name


def test_names_are_found_in_any_text() -> None:
    assert names_in('{"a": "{{secret:bank}}, {{secret:mail}}"}') == ("bank", "mail")
    assert names_in("{{other:bank}}") == ()
    assert only_secret(placeholder("bank")) == "bank"
    assert filled("{{secret:bank}}\n", r"a\1{{b}}") == "a\\1{{b}}\n"


@pytest.mark.parametrize(
    ("binding", "text"),
    [
        ("site:bank.example", "site:https://bank.example"), ("site:https://Bank.example/", "site:https://bank.example"),
        ("site:http://bank.example", "site:http://bank.example"), ("site:localhost:8080", "site:http://localhost:8080"),
        ("app:XTerm", "app:XTerm"), ("window:Sign in: bank", "window:Sign in: bank"),
    ],
)  # fmt: skip
def test_a_place_is_read(binding: str, text: str) -> None:
    assert binding_text(parse_binding(binding)) == text
    assert parse_binding(text) == parse_binding(binding)


@pytest.mark.parametrize("text", ["", "bank.example", "site:", "site:ftp://x", "site:https://", "app: ", "window:"])
def test_anything_else_is_no_place(text: str) -> None:
    with pytest.raises(OperatorError) as caught:
        parse_binding(text)
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_secret_is_bound_to_something() -> None:
    with pytest.raises(OperatorError):
        parse_bindings(())


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://bank.example/login?next=1", True), ("https://BANK.example:443/", True),
        ("http://bank.example/", False), ("https://bank.example:8443/", False), ("https://bank.example.evil/", False),
        ("https://www.bank.example/", False), ("https://bank.example@evil.example/", False), ("", False),
        ("about:blank", False), ("file:///home/bank.example", False),
    ],
)  # fmt: skip
def test_a_site_is_one_origin(url: str, expected: bool) -> None:
    assert fits(parse_binding("site:bank.example"), page(url)) is expected


def test_a_page_is_neither_its_title_nor_its_browser() -> None:
    assert not fits(parse_binding("window:My bank"), page("https://evil.example/"))
    assert not fits(parse_binding("app:Chromium"), page("https://evil.example/"))
    assert not fits(parse_binding("site:bank.example"), ReceivingPlace(url="https://bank.example/", app="Notes"))


def test_applications_and_windows() -> None:
    place = ReceivingPlace(app="XTerm", title="Sign in — bank")
    assert fits(parse_binding("app:xterm"), place)
    assert not fits(parse_binding("app:term"), place)
    assert fits(parse_binding("window:sign in"), place)
    assert not any(fits(parse_binding(text), ReceivingPlace()) for text in ("app:x", "window:x", "site:x"))


def test_names() -> None:
    assert checked_name("bank-login_2.old") == "bank-login_2.old"
    for name in ("", "a b", "{x}", "-x", "x" * 41):
        with pytest.raises(OperatorError):
            checked_name(name)
