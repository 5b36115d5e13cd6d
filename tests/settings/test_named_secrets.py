"""Secrets by name in the keyring."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.redaction import redact
from operator_console.domain.secrets_by_name import NamedSecret, parse_bindings
from operator_console.settings.named_secrets import (
    StoredSecret,
    delete_named_secret,
    list_secrets,
    load_secrets,
    store_named_secret,
)
from tests.settings.memory_keyring import MemoryKeyring, memory_keyring


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    with memory_keyring() as made:
        yield made


BANK, TERMINAL = parse_bindings(["site:bank.example"]), parse_bindings(["app:XTerm", "window:root@"])


def test_a_secret_is_kept_with_its_places(ring: MemoryKeyring) -> None:
    assert list_secrets() == ()
    store_named_secret("sudo", "pass word ä\n", TERMINAL)
    store_named_secret("bank", "first", BANK)
    store_named_secret("bank", "second-one", BANK)
    assert list_secrets() == (
        NamedSecret(name="bank", bound_to=BANK), NamedSecret(name="sudo", bound_to=TERMINAL),
    )  # fmt: skip
    assert [each.value for each in load_secrets()] == ["second-one", "pass word ä"]
    assert "second-one" not in repr(load_secrets())
    assert redact("it is second-one") == "it is [hidden]"
    assert delete_named_secret("sudo")
    assert not delete_named_secret("sudo")
    assert [each.name for each in list_secrets()] == ["bank"]
    assert delete_named_secret("bank")
    assert ring.kept == {}


@pytest.mark.parametrize("value", ["", "  \n", "two\nlines", "with {{ in it", "x" * 1001])
def test_what_cannot_be_typed_is_no_secret(ring: MemoryKeyring, value: str) -> None:
    with pytest.raises(OperatorError) as caught:
        store_named_secret("bank", value, BANK)
    assert caught.value.exit_code is ExitCode.USAGE
    assert value.strip() == "" or value.strip() not in str(caught.value)
    assert ring.kept == {}


def test_an_entry_that_somebody_changed_is_left_out(ring: MemoryKeyring) -> None:
    store_named_secret("bank", "second-one", BANK)
    for entry in ("", "{", json.dumps({"value": "x"}), json.dumps({"value": "x", "bound_to": [{"kind": "moon"}]})):
        ring.kept["operator-console", "secret:bank"] = entry
        assert load_secrets() == ()
    assert isinstance(store_named_secret("bank", "again-ok", BANK), str)
    assert load_secrets() == (
        StoredSecret(secret=NamedSecret(name="bank", bound_to=BANK), value="again-ok"),
    )  # fmt: skip
