"""`models` and `run --profile`: profiles in the settings file, their keys, and what a check says."""

from __future__ import annotations

import argparse
import io
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from operator_console.cli import doctor, run
from operator_console.cli.subcommands import build_parser, run_command_line
from operator_console.domain.errors import OperatorError
from operator_console.domain.prices import Price
from operator_console.providers import registry
from operator_console.settings.file import load_settings
from operator_console.settings.file_locations import find_paths
from operator_console.settings.model import Settings
from operator_console.settings.profiles import Profile, ProfilePrice
from tests.providers.installed import forget_installed
from tests.providers.test_third_party import install
from tests.servers.chat_server import ChatServer
from tests.servers.scripted_server import ServerThread
from tests.settings.memory_keyring import MemoryKeyring, memory_keyring

MODEL = "Qwen/Qwen3-VL-8B-Instruct"
CALL = {"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [320, 200]}}
ANSWER = {"content": f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>"}
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    with memory_keyring() as backend:
        yield backend


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command in this process: its exit code and output."""

    def made(*words: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        code = run_command_line(words)
        out, err = capsys.readouterr()
        return code, out, err

    return made


def settings() -> Settings:
    return load_settings(find_paths().settings, registry.options_of)


def parsed(*words: str) -> argparse.Namespace:
    return build_parser(["run"]).parse_args(["run", *words])


def test_a_profile_is_made_shown_changed_and_deleted(command: Command) -> None:
    words = ("--model", "gemini-3.5-flash", "--option", "thinking_level=LOW", "--option", "keep_screenshots=2")
    limits = ("--max-steps", "40", "--max-minutes", "2.5", "--max-cost", "0.5")
    price = ("--price-input", "0.1", "--price-output", "0.4", "--price-cached", "0.01", "--currency", "EUR")
    assert command("models", "profile", "add", "Cheap one", *words, *limits, *price)[0] == 0
    expected = Profile(
        provider="gemini", model="gemini-3.5-flash", options={"thinking_level": "LOW", "keep_screenshots": 2},
        max_steps=40, max_minutes=2.5, max_cost=Decimal("0.5"),
        price=ProfilePrice(input=Decimal("0.1"), output=Decimal("0.4"), cached=Decimal("0.01"), currency="EUR"),
    )  # fmt: skip
    assert settings().profiles == {"Cheap one": expected}
    assert command("models", "profile")[1] == "Cheap one: gemini, gemini-3.5-flash\n"
    shown = command("models", "profile", "show", "Cheap one")[1]
    assert 'thinking_level = "LOW"' in shown
    assert "            Cheap one: gemini, gemini-3.5-flash\n" in command("models")[1]
    unset = ("--unset", "max-cost", "--unset", "price", "--unset", "thinking_level", "--unset", "model")
    assert command("models", "profile", "set", "Cheap one", *unset, "--max-steps", "7")[0] == 0
    assert settings().profiles["Cheap one"] == Profile(
        provider="gemini", options={"keep_screenshots": 2}, max_steps=7, max_minutes=2.5
    )
    assert command("models", "profile", "delete", "Cheap one")[0] == 0
    assert settings().profiles == {}


def test_options_are_read_as_their_type(command: Command) -> None:
    words = ("--model", "qwen-x", "--option", "generation=3", "--option", "temperature=1", "--option", "base_url=x")
    assert command("models", "profile", "add", "a", "--provider", "qwen", *words)[0] == 0
    assert settings().profiles["a"].options == {"generation": "3", "temperature": 1, "base_url": "x"}
    others = ("--option", "excluded_functions=['zoom']", "--option", "stored_by_service=true")
    assert command("models", "profile", "set", "a", "--provider", "openai", *others)[0] == 0
    assert settings().profiles["a"] == Profile(
        provider="openai", options={"excluded_functions": ["zoom"], "stored_by_service": True}
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("add", "a"), 2, "“a” already"),
        (("add", "gemini", "--provider", "gemini"), 2, "name of a provider"),
        (("add", "b", "--provider", "nobody"), 5, "not installed"),
        (("add", "b/c", "--provider", "qwen"), 2, "name a profile"),
        (("add", "b", "--model", "mystery-7"), 2, "not known"),
        (("add", "b", "--provider", "qwen", "--option", "keep_turns=x"), 2, "keep_turns"),
        (("add", "b", "--provider", "qwen", "--option", "keep_turns"), 2, "no value"),
        (("add", "b", "--provider", "qwen", "--option", "api_key=k"), 2, "keyring"),
        (("add", "b", "--provider", "qwen", "--max-steps", "many"), 2, "max_steps"),
        (("add", "b", "--provider", "qwen", "--max-cost", "1"), 2, "needs a price"),
        (("add", "b", "--provider", "qwen", "--price-input", "1"), 2, "price.output"),
        (("add", "b", "--provider", "qwen", "--base-url", "localhost:8000"), 2, "https://"),
        (("set", "b", "--max-steps", "3"), 2, "no model profile “b”"),
        (("set", "a", "--unset", "colour"), 2, "colour"),
        (("set", "a", "--option", "spede=3"), 2, "spede"),
        (("show", "b"), 2, "no model profile “b”"),
        (("delete", "b"), 2, "no model profile “b”"),
    ],
)
def test_what_is_refused_is_explained_and_changes_nothing(
    command: Command, words: tuple[str, ...], code: int, said: str
) -> None:
    command("models", "profile", "add", "a", "--provider", "gemini")
    before = find_paths().settings.read_text()
    got, out, err = command("models", "profile", *words)
    assert (got, out) == (code, "")
    assert said in err
    assert len(err.splitlines()) >= 2, "there is a remedy"
    assert find_paths().settings.read_text() == before


def test_a_check_of_a_profile_uses_its_endpoint_its_options_and_its_own_key(
    command: Command,
    memory: MemoryKeyring,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QWEN_API_KEY", "of-the-provider")
    monkeypatch.setenv("QWEN_BASE_URL", "http://127.0.0.1:9/v1")
    with ServerThread(lambda: ChatServer([ANSWER] * 2, models=["other"], api_key="its-own")) as server:
        words = ("--provider", "qwen", "--model", "other", "--option", "generation=2.5")
        price = ("--price-input", "100", "--price-output", "100")
        assert command("models", "profile", "add", "bench", *words, *price, "--base-url", server.base_url)[0] == 0
        code, _, err = command("models", "check", "bench")
        assert (code, "did not accept the key" in err) == (1, True)
        code, out, _ = command("models", "key", "bench", stdin="its-own\n")
        assert (code, "its-own" in out) == (0, False)
        code, out, err = command("models", "check", "bench")
        assert (code, "other answered the first two requests" in out, " USD." in out) == (0, True, True), err
        assert re.search(r"It took \d+\.\d s\.$", out.strip())
        assert server.received[0].headers["authorization"] == "Bearer of-the-provider"
    assert "its-own" not in find_paths().settings.read_text()
    assert memory.kept == {("operator-console", "profile:bench"): "its-own"}
    assert command("models", "profile", "delete", "bench")[1] == "The model profile bench and its key were deleted.\n"
    assert memory.kept == {}


def test_a_check_of_a_model_that_only_talks_says_so_and_does_not_fail(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ServerThread(lambda: ChatServer([{"content": "A button."}] * 2, models=[MODEL])) as server:
        monkeypatch.setenv("QWEN_BASE_URL", server.base_url)
        code, out, err = command("models", "check", "qwen")
    assert (code, err) == (0, "")
    assert out.startswith("It answered in words, without a call: “A button.”. A session would ask you here.")
    assert "choose the provider and the options" in out


def test_a_providers_name_means_the_provider(command: Command, memory: MemoryKeyring) -> None:
    find_paths().settings.parent.mkdir(parents=True)
    find_paths().settings.write_text("[profiles.gemini]\nprovider = 'runbook'\n")
    assert command("models", "key", "gemini", stdin="abc-def\n")[0] == 0
    assert memory.kept == {("operator-console", "gemini"): "abc-def"}
    find_paths().settings.write_text("spoilt")
    assert command("models", "key", "gemini", "--delete")[0] == 0


def test_a_key_for_what_needs_none_is_refused(command: Command, memory: MemoryKeyring) -> None:
    command("models", "profile", "add", "steps", "--provider", "runbook")
    assert command("models", "key", "steps", stdin="abc-def\n")[0] == 2
    assert memory.kept == {}
    assert command("models", "check", "steps")[0] == 0


def test_a_profile_whose_provider_is_not_installed(command: Command, tmp_path: Path) -> None:
    find_paths().settings.parent.mkdir(parents=True)
    find_paths().settings.write_text("[profiles.a]\nprovider = 'acme'\noptions = {x = 1}\n")
    for words in (("models", "check", "a"), ("run", "t", "--profile", "a")):
        code, _, err = command(*words)
        assert (code, "“acme” of the model profile “a” is not installed" in err, "Install" in err) == (5, True, True)
    assert "a: cannot be used: The provider “acme”" in command("models")[1]
    rows = {row["provider"]: row for row in json.loads(command("models", "list", "--json")[1])}
    assert (rows["acme"]["available"], rows["acme"]["problem"]) == (False, "not installed")
    assert [each["name"] for each in rows["acme"]["profiles"]] == ["a"]
    assert rows["gemini"]["profiles"] == []
    (told,) = doctor._profiles(find_paths())
    assert (told.ok, "“acme”" in told.detail, "Install" in told.remedy) == (False, True, True)


def test_a_profile_of_another_packages_provider(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(__file__).parents[1] / "providers" / "third_party" / "acme_provider.py"
    install(tmp_path, "acme", "acme_provider", source.read_text(encoding="utf-8"))
    monkeypatch.syspath_prepend(tmp_path)
    forget_installed()
    try:
        words = ("--model", "acme-1", "--option", "answers=['1 2']")
        assert command("models", "profile", "add", "a", *words)[0] == 0
        request = run.request_of(parsed("t", "--profile", "a"), settings())
        assert (request.provider, request.model, request.profile) == ("acme", "acme-1", "a")
        assert command("models", "profile", "set", "a", "--option", "answers=3")[0] == 2
    finally:
        forget_installed()


CHEAP = Profile(
    provider="gemini", max_steps=9, max_minutes=1.5, max_cost=Decimal(2),
    price=ProfilePrice(input=Decimal("0.1"), output=Decimal("0.4")),
)  # fmt: skip


def test_run_takes_model_limits_and_price_from_the_profile() -> None:
    kept = Settings(profiles={"cheap": CHEAP, "plain": Profile(provider="runbook")})
    request = run.request_of(parsed("t", "--profile", "cheap"), kept)
    assert (request.provider, request.model, request.profile) == ("gemini", "gemini-3.8-flash", "cheap")
    assert (request.max_steps, request.max_minutes, request.max_cost) == (9, 1.5, Decimal(2))
    assert request.price == Price(input=Decimal("0.1"), output=Decimal("0.4"))
    own = run.request_of(parsed("t", "--profile", "cheap", "--max-steps", "3", "--max-minutes", "4"), kept)
    assert (own.max_steps, own.max_minutes) == (3, 4.0)
    plain = run.request_of(parsed("t", "--profile", "plain"), kept)
    assert (plain.provider, plain.max_steps, plain.max_minutes, plain.price) == ("runbook", 100, 30.0, None)


@pytest.mark.parametrize("words", [("--model", "gemini-3.5-flash"), ("--provider", "gemini")])
def test_a_profile_and_a_model_are_not_both_given(words: tuple[str, ...]) -> None:
    with pytest.raises(OperatorError, match=words[0]) as caught:
        run.request_of(parsed("t", "--profile", "cheap", *words), Settings(profiles={"cheap": CHEAP}))
    assert (caught.value.exit_code, bool(caught.value.remedy)) == (2, True)
