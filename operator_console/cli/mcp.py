"""`mcp`: lists the MCP servers of the settings, tries one, and stores their keys in the keyring."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from operator_console.domain.errors import OperatorError
    from operator_console.domain.tools import ToolSpec
    from operator_console.settings.model import McpServerOptions, Settings
    from operator_console.tools.mcp_servers import McpServer

LOGS = True

_EPILOG = """\
Servers are sections [mcp.servers.NAME] of the settings file. Keys that they name as ${NAME} are read
from the environment, or else from the system's keyring.

exit of check: 0 it works, 2 there is no such server, 5 it does not work"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.set_defaults(execute=_list)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    listing = verbs.add_parser("list", help="list the servers of the settings (default)")
    listing.set_defaults(execute=_list)
    check = verbs.add_parser("check", help="start a server and list its tools")
    check.add_argument("name", metavar="NAME", help="a server of the settings")
    check.set_defaults(execute=_check)
    key = verbs.add_parser("key", help="store a key, typed without echo or read from stdin")
    key.add_argument("name", metavar="KEY", help="the name of the key: X where the settings say ${X}")
    key.add_argument("--delete", action="store_true", help="delete the key from the keyring")
    key.set_defaults(execute=_key)


def execute(args: argparse.Namespace) -> int:
    """Never called, because the default is `list`."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    settings = _settings().mcp
    if not settings.servers:
        print("There are no MCP servers in the settings.")
    for name, options in settings.servers.items():
        state = "enabled" if name in settings.enabled else "not enabled"
        print(f"{name:<11} {state}: {_where(options)}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from operator_console.app.mcp_setup import chosen_servers

    (server,) = chosen_servers(_settings().mcp, (args.name,)).servers
    tools, problems = try_servers((server,))
    for tool in tools:
        unasked = ", runs without a question" if tool.unasked else ""
        print(f"{tool.tool} (offered as {tool.name}{unasked})")
    for problem in problems:
        print(problem.text, file=sys.stderr)
    return 0


def _key(args: argparse.Namespace) -> int:
    from operator_console.app.mcp_setup import NamedKey
    from operator_console.cli.key_input import read_key
    from operator_console.settings.api_keys import delete_key, store_key

    owner = NamedKey(args.name)
    if args.delete:
        print(f"The key {args.name} was deleted." if delete_key(owner) else f"There was no key {args.name}.")
        return 0
    where = store_key(owner, read_key(args.name))
    print(f"The key {args.name} is stored in the keyring ({where}).")
    return 0


def try_servers(servers: Sequence[McpServer]) -> tuple[Sequence[ToolSpec], Sequence[OperatorError]]:
    """Start servers and list their tools; end them. Raises ServerUnusable for a required one."""
    import asyncio

    from operator_console.domain.admission import Admission
    from operator_console.tools.mcp_servers import McpServers
    from operator_console.tools.worker_process import KillableGroups

    async def no_guard(groups: Sequence[int]) -> None:
        """Nothing is called here."""

    async def tried() -> tuple[Sequence[ToolSpec], Sequence[OperatorError]]:
        admission = Admission(lambda: b"", lambda: 0)
        effect = McpServers(admission, servers, killable=KillableGroups(no_guard))
        try:
            return await effect.describe(), effect.problems
        finally:
            await effect.close()

    return asyncio.run(tried())


def _where(options: McpServerOptions) -> str:
    return options.url or " ".join((options.command, *options.args))


def _settings() -> Settings:
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings
    from operator_console.settings.file_locations import find_paths

    return load_settings(find_paths().settings, options_of)
