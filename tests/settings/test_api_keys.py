"""API keys come from the environment or a safe keyring, and never appear in a repr or in the log."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keyring
import pytest
import secretstorage
from keyring.backend import KeyringBackend
from keyring.backends import SecretService, chainer, fail, null

from operator_console.domain import redaction
from operator_console.domain.api_keys import KeyPlace, KeyUnusable
from operator_console.domain.errors import OperatorError
from operator_console.settings import api_keys
from operator_console.settings.api_keys import (
    KeyringSilent,
    KeyringUnusable,
    checks,
    delete_key,
    delete_profile_key,
    find_key,
    find_profile_key,
    find_secret,
    keep_for_session,
    own_profile_key,
    refusal,
    store_key,
    store_profile_key,
)
from operator_console.settings.logs import start_logging, stop_logging
from tests.malformed_keys import MALFORMED, ONE_OF_EACH_SORT, left_of
from tests.settings.memory_keyring import MemoryKeyring, memory_keyring


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The owner of a key."""

    name: str
    key_env: tuple[str, ...] = ()


GEMINI = Owner(name="gemini", key_env=("GOOGLE_API_KEY", "GEMINI_API_KEY"))
ANTHROPIC = Owner(name="anthropic", key_env=("ANTHROPIC_API_KEY",))
RUNBOOK = Owner(name="runbook")
KEY = "AIzaSyTestKeyOfNobody0123456789abcdefgh"
ODD_KEY = "a-key-of-no-known-shape-42"


def made(kind: Any) -> Any:
    """An instance; keyring's constructors carry no types."""
    return kind()


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    with memory_keyring() as backend:
        yield backend


def test_the_environment_comes_first_in_the_vendors_order(
    memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_key(GEMINI) is None
    store_key(GEMINI, "from-the-keyring")
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, f"value-of-{name}")
        found = find_key(GEMINI)
        assert found is not None
        assert (found.value, name in found.source) == (f"value-of-{name}", True)
        assert found.value not in repr(found)
    monkeypatch.setenv("GOOGLE_API_KEY", "  ")
    monkeypatch.delenv("GEMINI_API_KEY")
    found = find_key(GEMINI)
    assert found is not None
    assert found.source == "the keyring"


def test_stored_found_and_deleted(memory: MemoryKeyring) -> None:
    assert store_key(ANTHROPIC, f" {ODD_KEY}\n") == "Memory keyring"
    found = find_key(ANTHROPIC)
    assert found is not None
    assert found.value == ODD_KEY
    assert delete_key(ANTHROPIC)
    assert not delete_key(ANTHROPIC)
    assert find_key(ANTHROPIC) is None
    assert checks()[0].ok


def test_a_profile_has_its_own_key_or_that_of_its_provider(
    memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_profile_key("work", GEMINI) is None
    monkeypatch.setenv("GEMINI_API_KEY", "of-the-provider")
    assert own_profile_key("work") is None
    shared = find_profile_key("work", GEMINI)
    assert shared is not None
    assert (shared.value, shared.source) == ("of-the-provider", "GEMINI_API_KEY in the environment")
    store_profile_key("work", GEMINI, ODD_KEY)
    own = find_profile_key("work", GEMINI)
    assert own is not None
    assert (own.value, "profile" in own.source) == (ODD_KEY, True)
    assert own_profile_key("work") == own
    assert find_profile_key("home", GEMINI) == find_key(GEMINI) == shared
    assert redaction.redact(f"the key {ODD_KEY}") == "the key [hidden]"
    assert delete_profile_key("work")
    assert not delete_profile_key("work")
    with pytest.raises(OperatorError) as caught:
        store_profile_key("work", RUNBOOK, ODD_KEY)
    assert caught.value.exit_code == 2
    assert find_profile_key("work", RUNBOOK) is None


@pytest.mark.parametrize("value", ["", "  ", "two words", "tab\tbed", "nul\x00", "esc\x1b[0m"])
def test_what_is_no_key_is_refused(memory: MemoryKeyring, value: str) -> None:
    with pytest.raises(OperatorError) as caught:
        store_key(GEMINI, value)
    assert caught.value.exit_code == 2


WAYS = ("to the keyring", "to this process", "to a profile", "environment", "keyring")


@pytest.mark.parametrize(
    ("way", "kind"),
    [
        pytest.param(way, kind, marks=() if way == WAYS[0] or kind in ONE_OF_EACH_SORT else pytest.mark.full)
        for way in WAYS
        for kind in MALFORMED
    ],
)
def test_what_cannot_be_a_key_is_refused_where_it_enters_and_not_shown(
    memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, kind: str, way: str
) -> None:
    key = MALFORMED[kind]
    monkeypatch.setattr(api_keys, "_session_keys", {})
    entering = {
        "to the keyring": lambda: store_key(GEMINI, key),
        "to this process": lambda: keep_for_session(GEMINI, key),
        "to a profile": lambda: store_profile_key("work", GEMINI, key),
    }
    if way == "environment":
        monkeypatch.setenv("GEMINI_API_KEY", key)
    elif way == "keyring":
        keyring.set_password("operator-console", "gemini", key)
    with pytest.raises(KeyUnusable) as caught:
        entering.get(way, lambda: find_key(GEMINI))()
    entered = way in entering
    assert caught.value.exit_code == (2 if entered else 5)
    assert ("GEMINI_API_KEY" in caught.value.text) is (way == "environment")
    assert left_of(key, repr(caught.value) + caught.value.text) == []
    assert "no line breaks" in caught.value.detail
    assert "Copy the key again" in caught.value.remedy
    if entered:
        assert MemoryKeyring.kept == {}
        assert find_key(GEMINI) is find_profile_key("work", GEMINI) is None


@pytest.mark.parametrize("ending", ["\r\n", "\n", " ", "\t\n", "\u00a0"])
def test_white_space_around_a_key_is_no_part_of_it(
    memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", f"{ending}{KEY}{ending}")
    assert getattr(find_key(GEMINI), "value", None) == KEY
    store_key(ANTHROPIC, f"{ending}{ODD_KEY}{ending}")
    assert getattr(find_key(ANTHROPIC), "value", None) == ODD_KEY


def test_what_is_not_sent_in_a_header_may_be_any_text(memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "two\nlines")
    assert getattr(find_key(GEMINI, any_text=True), "value", None) == "two\nlines"


def test_an_unknown_provider_is_a_usage_error(memory: MemoryKeyring) -> None:
    with pytest.raises(OperatorError) as caught:
        store_key(RUNBOOK, ODD_KEY)
    assert caught.value.exit_code == 2
    assert find_key(RUNBOOK) is None


class PlaintextKeyring(MemoryKeyring):
    """Replaces the keyring of keyrings.alt, which is not installed."""


PlaintextKeyring.__module__ = "keyrings.alt.file"


def chained(*backends: KeyringBackend) -> KeyringBackend:
    class Chained(chainer.ChainerBackend):
        """Create a chainer with these backends."""

    Chained.__module__ = "keyring.backends.chainer"
    Chained.backends = list(backends)  # type: ignore[assignment]
    chain: KeyringBackend = made(Chained)
    return chain


@pytest.mark.parametrize(
    ("backend", "word"),
    [
        (made(null.Keyring), "null"),
        (made(fail.Keyring), "No keyring"),
        (made(PlaintextKeyring), "readable file"),
        (chained(made(PlaintextKeyring), made(MemoryKeyring)), "readable file"),
        (chained(), "No keyring"),
    ],
    ids=["null", "fail", "plaintext", "chained plaintext", "empty chain"],
)
def test_keyrings_that_keep_no_secrets_are_refused(memory: MemoryKeyring, backend: KeyringBackend, word: str) -> None:
    keyring.set_keyring(backend)
    reason = refusal()
    assert reason is not None
    assert word in reason
    with pytest.raises(KeyringUnusable) as caught:
        store_key(GEMINI, KEY)
    assert "GEMINI_API_KEY" in caught.value.remedy
    assert KEY not in str(caught.value)
    assert find_key(GEMINI) is None
    assert MemoryKeyring.kept == {}
    assert not checks()[0].ok


def test_a_chain_with_a_good_first_is_used(memory: MemoryKeyring) -> None:
    keyring.set_keyring(chained(memory))
    assert refusal() is None


def test_a_service_without_a_keyring_is_not_made_to_ask_for_one_before_something_is_kept(
    memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new keyring is made, and its password asked for, when a key is stored and at no look for one."""
    asked: list[str] = []

    def missing(_bus: object, *_path: str) -> object:
        raise secretstorage.ItemNotFoundException("no such collection")

    def make(*_args: object) -> object:
        asked.append("a new keyring's password")
        raise secretstorage.PromptDismissedException("dismissed")

    for part in (secretstorage, secretstorage.collection):
        monkeypatch.setattr(part, "Collection", missing)
        monkeypatch.setattr(part, "create_collection", make)
    monkeypatch.setattr(secretstorage, "dbus_init", io.StringIO)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    for backend in (made(SecretService.Keyring), chained(made(SecretService.Keyring), memory)):
        keyring.set_keyring(backend)
        assert find_key(GEMINI) is None
        assert find_profile_key("lab", GEMINI) is None
        assert find_secret("vnc:lab") is None
    keyring.set_keyring(made(SecretService.Keyring))
    assert not delete_key(GEMINI)
    assert asked == []
    with pytest.raises(KeyringUnusable):
        store_key(GEMINI, KEY)
    assert asked == ["a new keyring's password"]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    root, ours = logging.getLogger(), logging.getLogger("operator_console")
    levels = root.level, ours.level
    yield tmp_path / "logs" / "one.log"
    stop_logging()
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def test_the_log_never_holds_a_key(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", ODD_KEY)
    assert start_logging(log, verbose=True) == ""
    logger = logging.getLogger("operator_console.somewhere")
    logger.debug("key %s and %s", ODD_KEY, {"x-goog-api-key": KEY})
    logger.info("GET https://example.invalid/v1?key=plainpassedkey&x=1 Authorization: Bearer abc.def")
    try:
        raise RuntimeError(f"the service said {ODD_KEY}")
    except RuntimeError:
        logger.exception("it failed")
    for text in (log.read_text("utf-8"), capsys.readouterr().err):
        assert "it failed" in text
        assert "RuntimeError" in text
        for secret in (ODD_KEY, KEY, "plainpassedkey", "abc.def"):
            assert secret not in text
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_log_rotates(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_console.settings.logs._FILE_BYTES", 2_000)
    start_logging(log, verbose=False)
    for number in range(300):
        logging.getLogger("operator_console").info("line %d %s", number, "x" * 50)
    files = list(log.parent.iterdir())
    assert len(files) == 6
    assert all(file.stat().st_size <= 2_000 for file in files)


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path, log: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    assert "cannot be written" in start_logging(log, verbose=False)


def test_a_key_kept_for_the_session_needs_no_keyring_and_comes_first(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(api_keys, "_session_keys", {})
    monkeypatch.setattr(api_keys, "refusal", lambda: "No keyring was found.")
    monkeypatch.setenv("GEMINI_API_KEY", "from-the-environment")
    keep_for_session(GEMINI, f" {ODD_KEY} ")
    found = find_key(GEMINI)
    assert found is not None
    assert (found.value, found.place) == (ODD_KEY, KeyPlace.SESSION)
    assert find_profile_key("Mine", GEMINI) == found
    assert ODD_KEY not in repr(found)
    assert redaction.redact(f"sent {ODD_KEY}") == f"sent {redaction.HIDDEN}"
    keep_for_session(GEMINI, KEY, "Mine")
    assert getattr(find_profile_key("Mine", GEMINI), "value", None) == KEY
    assert delete_profile_key("Mine")
    assert delete_key(GEMINI)
    assert getattr(find_key(GEMINI), "place", None) is KeyPlace.ENVIRONMENT


def test_a_key_stored_later_replaces_that_of_the_session(
    monkeypatch: pytest.MonkeyPatch, memory: MemoryKeyring
) -> None:
    monkeypatch.setattr(api_keys, "_session_keys", {})
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    keep_for_session(ANTHROPIC, ODD_KEY)
    store_key(ANTHROPIC, KEY)
    assert getattr(find_key(ANTHROPIC), "value", None) == KEY
    assert delete_key(ANTHROPIC)
    assert find_key(ANTHROPIC) is None


class SilentKeyring(MemoryKeyring):
    """Answers nobody until it is let."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.asked = 0
        self.free = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.asked += 1
        self.free.wait()
        return super().get_password(service, username)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentKeyring]:
    monkeypatch.setattr(api_keys, "ANSWERS_WITHIN_S", 0.05)
    backend, before = SilentKeyring(), keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield backend
    finally:
        backend.free.set()
        for thread in threading.enumerate():
            if thread.name == "keyring":
                thread.join()
        keyring.set_keyring(before)


def test_a_keyring_that_does_not_answer_is_told_and_not_asked_again_meanwhile(silent: SilentKeyring) -> None:
    for _ in range(3):
        with pytest.raises(KeyringSilent, match="does not answer"):
            find_key(GEMINI)
    assert silent.asked == 1
    (check,) = checks()
    assert not check.ok


def test_a_key_of_the_environment_works_while_the_keyring_does_not_answer(
    silent: SilentKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyringSilent):
        find_profile_key("cheap", GEMINI)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    found = find_profile_key("cheap", GEMINI)
    assert found is not None and found.value == KEY


def test_a_keyring_is_asked_anew_once_it_has_answered(silent: SilentKeyring) -> None:
    with pytest.raises(KeyringSilent):
        find_key(GEMINI)
    silent.free.set()
    for thread in threading.enumerate():
        if thread.name == "keyring":
            thread.join()
    assert find_key(GEMINI) is None
