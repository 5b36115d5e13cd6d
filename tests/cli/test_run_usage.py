"""What `run` refuses before it starts, and the request it builds from a command line."""

from __future__ import annotations

import argparse
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from operator_console.cli import run
from operator_console.cli.subcommands import build_parser
from operator_console.domain.errors import OperatorError
from operator_console.domain.prices import Price
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.tools import SandboxTool
from operator_console.settings.file_locations import find_paths
from operator_console.settings.model import Mcp, McpServerOptions, SessionDefaults, Settings, Timing
from operator_console.settings.profiles import Profile
from tests.cli.command import command
from tests.journal.conftest import Place
from tests.journal.samples import started, write_session


def parsed(*words: str) -> argparse.Namespace:
    return build_parser(["run"]).parse_args(["run", *words])


def test_defaults_are_the_documented_ones() -> None:
    kept = SessionDefaults(target="monitor:2", autonomy=Autonomy.AUTO, allow=(Category.DELETE,), max_steps=5)
    request = run.request_of(parsed("a task"), Settings(session=kept, timing=Timing(lead_time_run_s=0.25)))
    assert (request.target, request.provider, request.autonomy) == ("monitor:1", "gemini", Autonomy.GUARDED)
    assert (request.max_steps, request.max_minutes, request.allow) == (100, 30.0, ())
    assert (request.lead_time_s, request.record, request.resume) == (0.25, None, None)
    assert request.model


def test_allowed_categories_join_those_of_the_settings() -> None:
    kept = SessionDefaults(allow=(Category.DELETE,))
    words = ("a task", "--autonomy", "auto", "--allow", "send", "--allow", "delete")
    request = run.request_of(parsed(*words), Settings(session=kept))
    assert request.allow == (Category.SEND, Category.DELETE)


def test_the_provider_follows_from_the_model() -> None:
    assert run.request_of(parsed("t", "--model", "gemini-3-flash-preview"), Settings()).provider == "gemini"
    assert run.request_of(parsed("t", "--model", "turns.json"), Settings()).provider == "scripted"


def test_mcp_servers_of_the_command_line_replace_those_of_the_settings() -> None:
    rooms = McpServerOptions(command="rooms")
    kept = Settings(mcp=Mcp(enabled=("rooms",), servers={"rooms": rooms, "time": rooms}))
    assert run.request_of(parsed("t"), kept).mcp_servers is None
    assert run.request_of(parsed("t", "--mcp", "time", "--mcp", "time"), kept).mcp_servers == ("time",)
    assert run.request_of(parsed("t", "--mcp", "none"), kept).mcp_servers == ()


def test_sandboxed_tools_of_the_command_line_replace_those_of_the_settings(tmp_path: Path) -> None:
    assert run.request_of(parsed("t"), Settings()).sandbox_tools is None
    request = run.request_of(parsed("t", "--sandbox", "bash", "--folder", str(tmp_path)), Settings())
    assert (request.sandbox_tools, request.sandbox_folder) == ((SandboxTool.BASH,), tmp_path)
    assert run.request_of(parsed("t", "--sandbox", "none"), Settings()).sandbox_tools == ()


def test_sites_are_what_the_browser_of_this_run_may_reach() -> None:
    words = ("t", "--target", "browser:example.org", "--site", "*.example.org", "--site", "[::1]:8080")
    request = run.request_of(parsed(*words, "--site", "*.example.org"), Settings())
    assert request.sites == ("*.example.org", "[::1]:8080")
    assert run.request_of(parsed("t"), Settings()).sites == ()


@pytest.mark.parametrize(
    ("words", "price"),
    [
        (("--price", "0.30/2.50"), Price(input=Decimal("0.30"), output=Decimal("2.50"))),
        (
            ("--price", "5/25/0.5", "--currency", "EUR"),
            Price(input=Decimal(5), output=Decimal(25), cached=Decimal("0.5"), currency="EUR"),
        ),
        (
            ("--price", "5/25/0.5/10"),
            Price(input=Decimal(5), output=Decimal(25), cached=Decimal("0.5"), cache_write=Decimal(10)),
        ),
    ],
)
def test_a_price_and_a_cost_limit_are_read_exactly(words: tuple[str, ...], price: Price) -> None:
    request = run.request_of(parsed("t", *words, "--max-cost", "1.10"), Settings())
    assert (request.price, request.max_cost) == (price, Decimal("1.10"))
    assert run.request_of(parsed("t"), Settings()).price is None


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("task", "--allow", "send"), "--autonomy auto"),
        (("task", "--autonomy", "auto", "--allow", "pay"), "always needs your confirmation"),
        (("task", "--autonomy", "auto", "--allow", "everything"), "no such category"),
        (("  ",), "task is empty"),
        (("task", "--max-steps", "0"), "--max-steps"),
        (("task", "--max-minutes", "nan"), "--max-minutes"),
        (("task", "--max-minutes", "-1"), "--max-minutes"),
        (("task", "--max-cost", "0.0.1"), "not an amount"),
        (("task", "--max-cost", "-1"), "not an amount"),
        (("task", "--price", "3"), "not a price"),
        (("task", "--price", "1/2/3/4/5"), "not a price"),
        (("task", "--price", "1/two"), "not an amount"),
        (("task", "--price", "1/2", "--currency", "a b"), "not a currency"),
        (("task", "--session", "/nowhere/at/all/new.ocsession"), "folder"),
        (("task", "--resume", "no-such-session"), "not a session file"),
        (("task", "--provider", "nobody"), "provider"),
        (("task", "--model", "unheard-of"), "provider of the model"),
        (("task", "--mcp", "rooms"), "no MCP server “rooms”"),
        (("task", "--target", "moon:1"), "not a target"),
        (("task", "--target", "window:("), "regular expression"),
        (("task", "--target", "browser", "--site", "https://example.org/"), "not a site"),
    ],
)
def test_a_usage_error_exits_with_2_and_names_a_remedy(words: tuple[str, ...], named: str) -> None:
    result = command("run", *words)
    assert result.code == 2
    assert named in result.err
    assert result.out == ""
    assert len(result.err.strip().splitlines()) >= 2


def test_a_mistake_in_a_runbook_is_reported_before_the_run_begins() -> None:
    result = command("run", 'click "OK"\nplease pay', "--provider", "runbook")
    assert result.code == 2
    assert "line 2, column 1" in result.err
    assert "Working on" not in result.err
    assert not find_paths().sessions.exists()


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "mine.ocsession"
    mine.write_text("mine")
    assert command("run", "task", "--session", str(mine)).code == 2
    assert mine.read_text() == "mine"
    assert command("run", "task", "--resume", str(mine)).code == 2


def test_resume_accepts_a_name_from_the_list() -> None:
    paths = find_paths()
    place = Place(file=paths.new_session(), anchors=paths.anchors)
    with place.create() as journal:
        write_session(journal)
    request = run.request_of(parsed("go on", "--resume", place.file.stem), Settings())
    assert request.resume == place.file


def test_a_continued_session_keeps_its_model_unless_one_is_named(tmp_path: Path) -> None:
    place = Place(file=tmp_path / "before.ocsession", anchors=tmp_path)
    with place.create() as journal:
        journal.append(replace(started(), provider="anthropic", model="claude-opus-5", profile="Bench"))
    settings = Settings(profiles={"Bench": Profile(provider="anthropic", model="claude-opus-5-5")})
    kept = run.request_of(parsed("go on", "--resume", str(place.file)), settings)
    assert (kept.provider, kept.model, kept.profile) == ("anthropic", "claude-opus-5-5", "Bench")
    named = run.request_of(parsed("go on", "--resume", str(place.file), "--provider", "openai"), settings)
    assert (named.provider, named.profile) == ("openai", "")
    with pytest.raises(OperatorError, match="Bench"):
        run.request_of(parsed("go on", "--resume", str(place.file)), Settings())


def test_a_continued_session_reaches_its_own_sites_unless_some_are_named(tmp_path: Path) -> None:
    place = Place(file=tmp_path / "before.ocsession", anchors=tmp_path)
    with place.create() as journal:
        journal.append(replace(started(), sites=("shop.example",)))
    words = ("go on", "--resume", str(place.file))
    browser = (*words, "--target", "browser:shop.example")
    assert run.request_of(parsed(*browser), Settings()).sites == ("shop.example",)
    assert run.request_of(parsed(*browser, "--site", "*.example"), Settings()).sites == ("*.example",)
    assert run.request_of(parsed(*words), Settings()).sites == ("shop.example",)
    assert run.request_of(parsed(*words, "--app", "galculator"), Settings()).apps == ("galculator",)


def test_invalid_settings_exit_with_5_and_are_kept(tmp_path: Path) -> None:
    file = find_paths().settings
    file.parent.mkdir(parents=True)
    file.write_text("[timing\n")
    result = command("run", "task")
    assert result.code == 5
    assert str(file) in result.err
    assert file.read_text() == "[timing\n"


def test_the_usage_check_runs_before_the_settings_are_read() -> None:
    with pytest.raises(OperatorError) as caught:
        run.execute(parsed(" "))
    assert caught.value.exit_code == 2
