"""The host that a browser would contact for an address."""

from __future__ import annotations

import pytest

from operator_console.policy.web_addresses import is_script, site


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://example.org/", "example.org"),
        ("example.org", "example.org"),
        ("EXAMPLE.org.:8080/x", "example.org"),
        ("localhost:8000", "localhost"),
        ("  https://example.org\t/", "example.org"),
        ("https://me:secret@example.org/", "example.org"),
        ("https://good.example@evil.example/", "evil.example"),
        ("https://evil.example\\@good.example/", "evil.example"),
        ("https:\\\\evil.example\\x", "evil.example"),
        ("https:evil.example", "evil.example"),
        ("//evil.example/", "evil.example"),
        ("http://[::1]:8000/", "::1"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://ｅｖｉｌ.example/", "evil.example"),
        ("https://evil。example/", "evil.example"),
        ("/cart", ""),
        ("http://[::1/", ""),
        ("about:blank", ""),
        ("file:///etc/passwd", ""),
        ("javascript://example.org/%0Aalert(1)", ""),
        ("", ""),
    ],
)
def test_the_host_of_an_address(address: str, host: str) -> None:
    assert site(address) == host


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://apple.example/", "https://аpple.example/"),  # a Cyrillic letter
        ("https://fass.example/", "https://faß.example/"),
        ("http://127.0.0.1/", "http://127.0.0.1.evil.example/"),
    ],
)
def test_hosts_that_look_alike_are_different_sites(one: str, other: str) -> None:
    assert site(one) != site(other)


def test_an_international_name_and_its_ascii_form_are_the_same_site() -> None:
    assert site("https://BÜCHER.example/") == site("https://xn--bcher-kva.example/")


@pytest.mark.parametrize(
    "text", ["javascript:alert(1)", " JavaScript :x y", "java\tscript:1", "data:text/html,a b", "BLOB:x"]
)
def test_an_address_that_runs_code_is_one_in_any_spelling(text: str) -> None:
    assert is_script(text)


@pytest.mark.parametrize("text", ["javascript", "https://a/javascript:", "what is javascript: an answer", ""])
def test_a_text_that_only_names_it_is_none(text: str) -> None:
    assert not is_script(text)
