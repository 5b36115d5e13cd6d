"""`mcp` and `mcp check`: the servers of the settings, and what one offers or lacks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from operator_console.settings.file_locations import find_paths
from tests.cli.command import command

SERVER = Path(__file__).parents[1] / "servers" / "plain_mcp_server.py"


@pytest.fixture
def servers() -> None:
    """Servers of the settings: one that works and one that does not start."""
    paths = find_paths()
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(
        f"""
        [mcp]
        enabled = ["sums"]
        [mcp.servers.sums]
        command = {json.dumps(sys.executable)}
        args = [{json.dumps(str(SERVER))}]
        tools = ["add", "hangs"]
        unasked = ["add"]
        [mcp.servers.absent]
        command = "no-such-program"
        """
    )


def test_settings_without_servers_say_so() -> None:
    assert command("mcp").out == "There are no MCP servers in the settings.\n"


@pytest.mark.usefixtures("servers")
def test_servers_are_listed_with_what_starts_them() -> None:
    assert command("mcp", "list").out.splitlines() == [
        f"sums        enabled: {sys.executable} {SERVER}",
        "absent      not enabled: no-such-program",
    ]


@pytest.mark.usefixtures("servers")
def test_a_check_lists_the_tools_and_says_which_run_without_a_question() -> None:
    checked = command("mcp", "check", "sums")
    assert (checked.code, checked.out.splitlines()) == (0, [
        "add (offered as sums__add, runs without a question)",
        "hangs (offered as sums__hangs)",
    ])  # fmt: skip


@pytest.mark.usefixtures("servers")
def test_a_check_says_what_does_not_start_and_which_server_is_unknown() -> None:
    absent = command("mcp", "check", "absent")
    assert (absent.code, absent.out) == (5, "")
    assert "no program 'no-such-program'" in absent.err
    assert command("mcp", "check", "nobody").code == 2


def test_a_check_names_the_tools_that_are_told_otherwise_or_left_out() -> None:
    paths = find_paths()
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    args = json.dumps([str(SERVER.with_name("bad_mcp_server.py")), "odd"])
    paths.settings.write_text(f"[mcp.servers.odd]\ncommand = {json.dumps(sys.executable)}\nargs = {args}\n")
    checked = command("mcp", "check", "odd")
    assert checked.code == 0
    assert len(checked.out.splitlines()) == 7
    assert "The tool “brackets” of the MCP server “odd” is told to the model in a simpler form" in checked.err
    assert "uids[] → uids_" in checked.err
    assert "“words”" in checked.err
