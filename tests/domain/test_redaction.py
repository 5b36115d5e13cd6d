"""A key is hidden in whatever form a library shows it, whole, cut or broken into lines."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from urllib.parse import quote

import h11
import pytest

from operator_console.domain.errors import OperatorError, ProviderRejected, ProviderTransient
from operator_console.domain.message_texts import joined, notice, notices_of, worded
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import HIDDEN, hide, hide_key, redact, without_secrets
from tests.malformed_keys import MALFORMED, left_of

KEY = "Zq7vXk2+pLm9w5/Rt4yHb'8nQd3s\\\"Jw6cVf5=gMzTx1"
KEYS = {"signs": KEY, "plain": "sk-Zq7vXk2pLm9wRt4yHb8nQd3s", **MALFORMED}


def header_error(key: str) -> str:
    """What h11 says of a header that cannot be sent."""
    headers = [(b"Host", b"a"), (b"Authorization", f"Bearer {key}\n".encode())]
    with pytest.raises(h11.LocalProtocolError) as caught:
        h11.Request(method="GET", target="/", headers=headers)
    return str(caught.value)


FORMS: Mapping[str, Callable[[str], str]] = {
    "as it is": str,
    "repr": repr,
    "ascii": ascii,
    "bytes": lambda key: repr(key.encode("utf-8", "surrogateescape")),
    "h11": lambda key: header_error(key.encode("utf-8", "replace").decode()),
    "JSON": json.dumps,
    "JSON, readable": lambda key: json.dumps(key, ensure_ascii=False),
    "JSON in JSON": lambda key: json.dumps(json.dumps({"key": key})),
    "an address": lambda key: f"https://a.test/?key={quote(key.encode('utf-8', 'replace'), safe='')}&x=1",
    "an address, lower case": lambda key: quote(key.encode("utf-8", "replace"), safe="~").replace("%2B", "%2b"),
    "wrapped": lambda key: textwrap.fill(f"the key is {key}", 20),
    "cut": lambda key: f"the key {key[:15]}",
    "its end": lambda key: f"the key ...{key[-13:]}",
    "its lines": lambda key: " and ".join(key.splitlines()),
}


@pytest.mark.parametrize("kind", KEYS)
def test_no_form_of_a_key_is_shown(kind: str) -> None:
    key = KEYS[kind]
    hide_key(key)
    for form, shown_as in FORMS.items():
        text = f"It says: {shown_as(key)}."
        assert left_of(key, text) != [], f"the test would see it {form}"
        assert left_of(key, without_secrets(text)) == [], form
        assert without_secrets(text).startswith("It says: "), form
        assert left_of(key, redact(text)) == [], form


@pytest.mark.parametrize("width", range(1, 12))
def test_a_key_that_is_broken_into_short_lines_is_hidden_whole(width: int) -> None:
    key = "Zq7vXk2pLm9wRt4yHb8nQd3s"
    hide_key(key)
    for between in ("\n", "\r\n  ", "\\r\\n"):
        broken = between.join(textwrap.wrap(key, width))
        assert without_secrets(f"key: {broken}!") == f"key: {HIDDEN}!"


def test_ordinary_words_and_other_secrets_stay_legible() -> None:
    hide_key("abc")
    hide_key("sk-1")
    hide("hunter")
    hide("/home/someone/secret.json")
    assert without_secrets("abc in /home/someone, sk-12, task-1x") == "abc in /home/someone, sk-12, task-1x"
    assert without_secrets("(sk-1) hunter2 /home/someone/secret.json") == f"({HIDDEN}) {HIDDEN}2 {HIDDEN}"


@pytest.mark.parametrize("kind", [OperatorError, ProviderTransient, ProviderRejected])
def test_no_error_shows_a_key_whoever_phrased_it(kind: type[OperatorError | ProviderTransient]) -> None:
    hide_key(KEY)
    ours = notice(NoticeCode.SERVICE_HAS_NO_MODEL, service="Qwen", model=KEY)
    error = kind(f"It failed: {KEY!r}", detail=joined("401:", f"bad key {KEY}"), remedy=ours)
    shown = (error.title, error.detail, error.remedy, error.text, str(error), repr(error), repr(error.args))
    assert [left_of(KEY, text) for text in shown] == [[]] * len(shown)
    recorded = notices_of(error.text)
    assert left_of(KEY, repr(recorded)) == []
    assert worded(error.remedy) == error.remedy == f"Qwen has no model '{HIDDEN}' for this key."
