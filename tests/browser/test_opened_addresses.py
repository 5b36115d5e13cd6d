"""Which addresses a managed browser goes to."""

from __future__ import annotations

import pytest

from operator_console.browser.site_rules import may_open, preferences


@pytest.mark.parametrize("url", ["http://a.org", "HTTPS://a.org/x", "data:text/html,x", "about:blank"])
def test_pages_are_opened(url: str) -> None:
    assert may_open(url, "https://a.org")


@pytest.mark.parametrize("url", [
    "javascript:alert(1)", "java\nscript:alert(1)", " javascript:1", "chrome://settings", "view-source:http://a.org",
    "about:flags", "mailto:a@b.c", "devtools://x", "filesystem:http://a.org/x", "a.org", "",
])  # fmt: skip
def test_scripts_and_the_browsers_own_pages_are_not(url: str) -> None:
    assert not may_open(url, "https://a.org")
    assert not may_open(url, "file:///home/kim/page.html")


def test_files_are_opened_only_where_the_session_began_with_one() -> None:
    assert may_open("file:///etc/hosts", "file:///home/kim/page.html")
    assert not may_open("file:///etc/hosts", "https://a.org")
    assert not may_open("file:///etc/hosts", "")
    assert "file:///*" in preferences("file:///x")["policy"]["url_allowlist"]
    assert "file:///*" not in preferences("https://a.org")["policy"]["url_allowlist"]
