"""Passwords and certificates of VNC machines: kept safely, and shown nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.redaction import without_secrets
from operator_console.settings.api_keys import KeyringUnusable
from operator_console.settings.vnc_machines import (
    PASSWORD_VARIABLE,
    USER_VARIABLE,
    accept_certificate,
    accepted_certificates,
    delete_password,
    find_password,
    find_user,
    store_password,
)
from tests.settings.memory_keyring import memory_keyring

ONE, OTHER = "machine:5900", "[::1]:5901"


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    monkeypatch.delenv(USER_VARIABLE, raising=False)
    with memory_keyring():
        yield


@pytest.mark.usefixtures("keyring")
def test_each_machine_has_its_own_password() -> None:
    assert find_password(ONE) == ""
    store_password(ONE, "with space ż\n")
    assert (find_password(ONE), find_password(OTHER)) == ("with space ż", "")
    assert "with space" not in without_secrets("it is: with space ż")
    assert delete_password(ONE)
    assert not delete_password(ONE)
    assert find_password(ONE) == ""


@pytest.mark.usefixtures("keyring")
def test_a_user_is_kept_beside_the_password_and_goes_with_it() -> None:
    store_password(ONE, "first", "anna")
    store_password(ONE, "second")
    assert (find_user(ONE), find_user(OTHER)) == ("anna", "")
    assert delete_password(ONE)
    assert find_user(ONE) == ""


@pytest.mark.usefixtures("keyring")
def test_the_environment_goes_before_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    store_password(ONE, "from-keyring", "kept")
    monkeypatch.setenv(PASSWORD_VARIABLE, "from-environment")
    monkeypatch.setenv(USER_VARIABLE, "of-environment")
    assert (find_password(ONE), find_user(ONE)) == ("from-environment", "of-environment")


@pytest.mark.usefixtures("keyring")
@pytest.mark.parametrize("text", ["", "\n", "two\nlines", "bell\a"])
def test_what_cannot_be_a_password_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(OperatorError) as refused:
        store_password(ONE, text)
    assert refused.value.exit_code == ExitCode.USAGE
    assert "lines" not in str(refused.value)


def test_without_a_keyring_there_is_none_and_none_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    assert find_password(ONE) == ""
    with pytest.raises(KeyringUnusable):
        store_password(ONE, "password")


def test_accepted_certificates_are_kept_by_machine(tmp_path: Path) -> None:
    file = tmp_path / "settings" / "vnc-certificates.json"
    assert accepted_certificates(file) == {}
    accept_certificate(file, ONE, "AB:" * 31 + "cd")
    accept_certificate(file, OTHER, "0" * 64)
    accept_certificate(file, OTHER, "1" * 64)
    assert accepted_certificates(file) == {ONE: "ab" * 31 + "cd", OTHER: "1" * 64}
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(OperatorError, match="no SHA-256"):
        accept_certificate(file, ONE, "yes")
    file.write_text("[")
    assert accepted_certificates(file) == {}
