"""The MCP servers of a session: which, whether required, and their keys from the environment or the keyring."""

from __future__ import annotations

from collections.abc import Iterator

import keyring
import pytest

from operator_console.app.mcp_setup import NamedKey, chosen_servers
from operator_console.domain.errors import OperatorError
from operator_console.domain.redaction import redact
from operator_console.settings.api_keys import delete_key, store_key
from operator_console.settings.model import Mcp, McpServerOptions
from tests.settings.memory_keyring import MemoryKeyring

SETTINGS = Mcp(
    enabled=("time", "rooms"),
    servers={
        "time": McpServerOptions(command="mcp-server-time", args=("--local-timezone", "UTC")),
        "rooms": McpServerOptions(
            url="https://rooms.example.test/mcp", headers={"Authorization": "Bearer ${ROOMS_PASS}", "X-Team": "qa"}
        ),
        "other": McpServerOptions(command="other"),
    },
)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    made = MemoryKeyring()  # type: ignore[no-untyped-call]
    keyring.set_keyring(made)
    yield made
    delete_key(NamedKey("ROOMS_PASS"))
    keyring.set_keyring(before)


def test_the_enabled_ones_are_used_with_their_keys(monkeypatch: pytest.MonkeyPatch, memory: MemoryKeyring) -> None:
    monkeypatch.setenv("ROOMS_PASS", "sesame-open-42")
    time, rooms = chosen_servers(SETTINGS).servers
    assert (time.name, time.command, time.required) == ("time", "mcp-server-time", False)
    assert rooms.headers == {"Authorization": "Bearer sesame-open-42", "X-Team": "qa"}
    assert "sesame" not in repr(rooms)
    assert redact("it said sesame-open-42") == "it said [hidden]"
    monkeypatch.delenv("ROOMS_PASS")
    store_key(NamedKey("ROOMS_PASS"), "from-the-keyring")
    assert chosen_servers(SETTINGS).servers[1].headers["Authorization"] == "Bearer from-the-keyring"


def test_a_missing_key_is_told_and_leaves_the_others(memory: MemoryKeyring) -> None:
    chosen = chosen_servers(SETTINGS)
    assert [server.name for server in chosen.servers] == ["time"]
    (problem,) = chosen.problems
    assert "ROOMS_PASS" in problem.detail
    assert "operator-console mcp key ROOMS_PASS" in problem.remedy
    with pytest.raises(OperatorError, match="rooms"):
        chosen_servers(SETTINGS, ("rooms",))


def test_those_that_a_session_names_replace_the_enabled_ones_and_are_required() -> None:
    (other,) = chosen_servers(SETTINGS, ("other", "other")).servers
    assert (other.name, other.required) == ("other", True)
    assert chosen_servers(SETTINGS, ()).servers == ()
    with pytest.raises(OperatorError, match="no MCP server “nobody”") as caught:
        chosen_servers(SETTINGS, ("nobody",))
    assert caught.value.exit_code == 2
