"""README and the help pages: every command, setting, event and category is described, and no link is dead.

The examples of runbooks and settings in the pages are read by the program itself.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import tomllib
import typing
from enum import StrEnum
from pathlib import Path

import pytest

import write_settings_help
from operator_console.cli import run
from operator_console.cli.subcommands import build_parser
from operator_console.domain.actions import Action
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind, Question
from operator_console.domain.events import EndedOutcome, Event, ProposedCall
from operator_console.domain.frames import SettleReason
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.providers import registry
from operator_console.providers.runbook.language import ROLES, parse
from operator_console.providers.scripted.provider import read_turns
from operator_console.settings.model import Settings
from operator_console.settings.profiles import Profile, ProfilePrice

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
HELP = ROOT / "resources" / "help"
PAGES = sorted(HELP.glob("*.md"))


def page(name: str) -> str:
    return (HELP / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """The text below a heading of the second level, in any case, to the next one."""
    flags = re.MULTILINE | re.DOTALL | re.IGNORECASE
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, flags)
    assert found, heading
    return found[1]


def first_cells(text: str) -> set[str]:
    """The names in backquotes in the first cell of each row of the tables."""
    cells = re.findall(r"^\|((?:\\\||[^|])*)\|", text, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """Headings as a page's viewer names them for links."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(path: Path) -> list[tuple[Path, str]]:
    """The local files that a page links to, pictures included, each with the place in it."""
    targets = re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))
    local = [target.partition("#") for target in targets if "://" not in target]
    return [((path.parent / name).resolve() if name else path, anchor) for name, _, anchor in local]


@pytest.mark.parametrize("path", [README, *PAGES], ids=lambda path: path.name)
def test_no_link_is_dead(path: Path) -> None:
    assert links(path) or path.parent == HELP
    for target, anchor in links(path):
        assert target.is_file(), target
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{target.name}#{anchor}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_help_page_links_only_to_what_ships_with_it(path: Path) -> None:
    assert {target.parent for target, _ in links(path)} <= {HELP}


def test_every_help_page_is_reached_from_the_index_and_the_index_from_readme() -> None:
    assert HELP / "index.md" in {target for target, _ in links(README)}
    assert {target for target, _ in links(HELP / "index.md")} == set(PAGES) - {HELP / "index.md"}


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("event", typing.get_args(Event), ids=lambda event: event.__name__)
def test_every_event_is_listed_with_its_fields(event: type) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section(page("events.md"), "Kinds"), re.MULTILINE))
    fields = {field.name: field.default for field in dataclasses.fields(event)}
    listed = {name.strip() for name in rows[str(fields["kind"])].split(",") if name.strip()}
    assert listed == set(fields) - {"kind", "step", "call"}


@pytest.mark.parametrize(("heading", "kind"), [("Calls", ProposedCall), ("Questions", Question)])
def test_every_field_inside_an_event_is_listed(heading: str, kind: type) -> None:
    listed = first_cells(section(page("events.md"), heading))
    assert listed == {field.name for field in dataclasses.fields(kind)}


@pytest.mark.parametrize("action", typing.get_args(Action), ids=lambda action: action.__name__)
def test_every_action_is_listed_with_its_fields(action: type) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", section(page("events.md"), "Actions"), re.MULTILINE))
    fields = {field.name: field.default for field in dataclasses.fields(action)}
    assert set(re.findall(r"`(\w+)`", rows[str(fields["kind"])])) == set(fields) - {"kind"}


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("decided.decision", DecisionKind), ("decided.by", DecidedBy), ("performed.result", ActResult),
        ("performed.status", CallStatus), ("settled.reason", SettleReason), ("paused.by", PauseCause),
        ("stopped.reason", StopCause), ("ended.outcome", EndedOutcome),
        ("snapshot.act", SnapshotAct),
    ],
)  # fmt: skip
def test_every_value_of_an_event_is_listed(field: str, values: type[StrEnum]) -> None:
    row = re.search(rf"^\| `{re.escape(field)}`[^|]*\| (.*) \|$", section(page("events.md"), "Values"), re.MULTILINE)
    assert row, field
    assert set(re.findall(r"`(\w+)`", row[1])) == {value.value for value in values}


def test_the_tables_of_settings_are_those_of_the_models() -> None:
    text = page("settings.md")
    assert write_settings_help.written(text) == text, "run packaging/write_settings_help.py"
    assert write_settings_help.tables(text) == set(write_settings_help.sections())


def test_every_setting_is_explained() -> None:
    for name, model in write_settings_help.sections().items():
        assert [field for field, about in model.model_fields.items() if not about.description] == [], name


def test_the_value_of_a_price_is_explained_by_its_fields() -> None:
    assert set(ProfilePrice.model_fields) <= set(
        re.findall(r"`(\w+)`", Profile.model_fields["price"].description or "")
    )


def test_every_command_is_shown() -> None:
    commands = re.findall(r"^\s{4}(\w+) {2,}", build_parser([]).format_help(), re.MULTILINE)
    assert {"run", "practice", "stop", "reset", "doctor", "sessions"} <= set(commands)
    synopsis = blocks(page("command-line.md"), "")[0]
    for command in commands:
        assert f"operator-console {command}" in synopsis or f"| {command}" in synopsis, command


def test_every_option_of_run_is_shown() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    run.configure(parser)
    options = set(re.findall(r"--[a-z-]+", parser.format_usage()))
    assert {"--target", "--allow", "--resume"} <= options
    assert options <= {name.split()[0] for name in first_cells(section(page("command-line.md"), "run"))}


def test_every_category_and_every_level_is_explained() -> None:
    assert {category.value for category in Category} <= first_cells(section(page("safety.md"), "Risk classes"))
    for level in Autonomy:
        assert f"**{level.value.capitalize()}**" in section(page("safety.md"), "Autonomy")
    assert set(run.ALLOWABLE) == {category.value for category in Category if category.risk == 3}


@pytest.mark.parametrize("path", [README, HELP / "models.md"], ids=lambda path: path.name)
def test_every_provider_is_listed(path: Path) -> None:
    rows = re.findall(r"^\|.*\|$", path.read_text(encoding="utf-8"), re.MULTILINE)
    for spec in registry.BUILT_IN:
        assert any(f"`{spec.name}`" in row.split("|")[1] for row in rows), spec.name


def test_runbooks_in_the_help_are_accepted_with_every_verb() -> None:
    steps = [step for text in blocks(page("runbook.md"), "runbook") for step in parse(text)]
    assert len({type(step) for step in steps}) == 13
    for path in PAGES:
        for text in blocks(path.read_text(encoding="utf-8"), "runbook"):
            assert parse(text)


def test_every_role_is_listed() -> None:
    listed = section(page("runbook.md"), "Roles").partition("The roles are")[2].partition(".")[0]
    assert sorted(re.findall(r"`([^`]+)`", listed)) == sorted(ROLES)


def test_the_steps_in_the_table_are_accepted() -> None:
    cells = re.findall(r"^\| (`.*?) \|", section(page("runbook.md"), "Steps"), re.MULTILINE)
    steps = [text for cell in cells for text in re.findall(r"`([^`]+)`", cell)]
    assert len(steps) >= 14
    for text in steps:
        assert len(parse(text)) == 1, text


def test_settings_and_scripts_in_the_help_are_accepted() -> None:
    for path in PAGES:
        for text in blocks(path.read_text(encoding="utf-8"), "toml"):
            example = tomllib.loads(text)
            if "project" in example:  # of a package that adds a provider
                assert example["project"]["entry-points"].keys() == {registry.ENTRY_POINTS}
            else:
                assert Settings.model_validate(example) != Settings()
    assert [read_turns(json.loads(text), Path("script.json")) for text in blocks(page("models.md"), "json")]
