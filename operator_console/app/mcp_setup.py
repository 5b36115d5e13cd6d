"""The MCP servers of a session, from the settings and the request, with their keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from operator_console.domain.api_keys import filled
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.settings.api_keys import find_key
from operator_console.settings.model import Mcp, McpServerOptions
from operator_console.tools.mcp_servers import McpServer, ServerUnusable


@dataclass(frozen=True, slots=True)
class NamedKey:
    """A key that the settings of an MCP server name: the owner of a key, as of `settings.api_keys`."""

    variable: str

    @property
    def name(self) -> str:
        """Its name in the keyring."""
        return f"mcp:{self.variable}"

    @property
    def key_env(self) -> tuple[str, ...]:
        """Its name in the environment."""
        return (self.variable,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenServers:
    """The servers of a session, and why others that it would use cannot be used."""

    servers: tuple[McpServer, ...]
    problems: tuple[OperatorError, ...] = ()


def chosen_servers(settings: Mcp, named: tuple[str, ...] | None = None) -> ChosenServers:
    """The servers that the request names, all required, or else those that are enabled. Blocks: it reads the keyring.

    Raises:
        OperatorError: A server is not in the settings (exit code 2), or a required one lacks a key.
    """
    servers: list[McpServer] = []
    problems: list[OperatorError] = []
    for name in dict.fromkeys(settings.enabled if named is None else named):
        options = settings.servers.get(name)
        if options is None:
            known = ", ".join(sorted(settings.servers)) or "none"
            raise OperatorError(
                notice(NoticeCode.MCP_SERVER_UNKNOWN, server=name),
                detail=notice(NoticeCode.MCP_SERVERS_KNOWN, names=known),
                remedy=notice(NoticeCode.WRITE_MCP_SECTION, server=name),
                exit_code=ExitCode.USAGE,
            )
        try:
            server = _server(name, options)
        except OperatorError as error:
            if named is not None or options.required:
                raise
            problems.append(error)
        else:
            servers.append(replace(server, required=named is not None or options.required))
    return ChosenServers(servers=tuple(servers), problems=tuple(problems))


def _server(name: str, options: McpServerOptions) -> McpServer:
    return McpServer(
        name=name, command=options.command, args=options.args, env=_filled(name, options.env, any_text=True),
        cwd=options.cwd, url=options.url, headers=_filled(name, options.headers), tools=options.tools,
        unasked=options.unasked, required=options.required, start_timeout_s=options.start_timeout_s,
        timeout_s=options.timeout_s,
    )  # fmt: skip


def _filled(server: str, values: Mapping[str, str], *, any_text: bool = False) -> dict[str, str]:
    """The values with their keys. Raises ServerUnusable, KeyUnusable."""

    def key_of(variable: str) -> str:
        found = find_key(NamedKey(variable), any_text=any_text)
        if found is None:
            raise ServerUnusable(
                notice(NoticeCode.MCP_SERVER_UNUSABLE, server=server),
                detail=notice(NoticeCode.MCP_KEY_MISSING, key=variable),
                remedy=notice(NoticeCode.MCP_KEY_REMEDY, key=variable),
            )
        return found.value

    return filled(values, key_of)
