"""README keeps the outside contract's promises: every event with its fields, every command, every exit code."""

from __future__ import annotations

import dataclasses
import re
import typing
from pathlib import Path

import pytest

from operator_console.cli.entry import build_parser
from operator_console.domain.events import Event
from operator_console.domain.risk import Category
from operator_console.settings.model import Settings

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
ROWS = {row[0]: row[1] for row in re.findall(r"^\| `(\w+)` \| ([^|]*) \|", README, re.MULTILINE)}


@pytest.mark.parametrize("event", typing.get_args(Event), ids=lambda event: event.__name__)
def test_every_event_is_listed_with_its_fields(event: type) -> None:
    fields = {field.name: field.default for field in dataclasses.fields(event)}
    listed = {name.strip() for name in ROWS[str(fields["kind"])].split(",") if name.strip()}
    assert listed == set(fields) - {"kind", "step", "call"}


@pytest.mark.parametrize("section", Settings.model_fields)
def test_every_setting_is_listed(section: str) -> None:
    row = re.search(rf"^\| `\[{section}\]` \| (.*) \|$", README, re.MULTILINE)
    assert row, section
    names = Settings.model_fields[section].annotation.model_fields  # type: ignore[union-attr]
    assert set(names) <= set(re.findall(r"`(\w+)`", row[1]))


def test_every_command_is_shown() -> None:
    commands = re.findall(r"^\s{4}(\w+) {2,}", build_parser([]).format_help(), re.MULTILINE)
    assert {"run", "practice", "stop", "reset", "doctor", "sessions"} <= set(commands)
    for command in commands:
        assert f"operator-console {command}" in README or f"| {command}" in README, command


def test_every_category_is_in_the_table_of_risks() -> None:
    for category in Category:
        assert category.value in README
