"""`mcp`: lists the MCP servers of the settings, tries one, and stores their keys in the keyring."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from operator_console.domain.translations import _

if TYPE_CHECKING:
    from collections.abc import Sequence

    from operator_console.domain.errors import OperatorError
    from operator_console.domain.tools import ToolSpec
    from operator_console.settings.model import McpServerOptions, Settings
    from operator_console.tools.mcp_servers import McpServer

LOGS = True


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
Servers are sections [mcp.servers.NAME] of the settings file. Keys that they name as ${NAME} are read
from the environment, or else from the system's keyring.

exit of check: 0 it works, 2 there is no such server, 5 it does not work""")
    parser.set_defaults(execute=_list)
    verbs = parser.add_subparsers(title=_("verbs"), metavar="VERB")
    listing = verbs.add_parser("list", help=_("list the servers of the settings (default)"))
    listing.set_defaults(execute=_list)
    check = verbs.add_parser("check", help=_("start a server and list its tools"))
    check.add_argument("name", metavar="NAME", help=_("a server of the settings"))
    check.set_defaults(execute=_check)
    key = verbs.add_parser("key", help=_("store a key, typed without echo or read from stdin"))
    key.add_argument("name", metavar="KEY", help=_("the name of the key: X where the settings say ${X}"))
    key.add_argument("--delete", action="store_true", help=_("delete the key from the keyring"))
    key.set_defaults(execute=_key)


def execute(args: argparse.Namespace) -> int:
    """Never called, because the default is `list`."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    settings = _settings().mcp
    if not settings.servers:
        print(_("There are no MCP servers in the settings."))
    for name, options in settings.servers.items():
        state = _("enabled") if name in settings.enabled else _("not enabled")
        print(f"{name:<11} {state}: {_where(options)}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from operator_console.app.mcp_setup import chosen_servers
    from operator_console.domain.message_texts import worded

    (server,) = chosen_servers(_settings().mcp, (args.name,)).servers
    tools, problems = try_servers((server,))
    for tool in tools:
        if tool.unasked:
            offered = _("{tool} (offered as {name}, runs without a question)")
        else:
            offered = _("{tool} (offered as {name})")
        print(offered.format(tool=tool.tool, name=tool.name))
    for problem in problems:
        print(worded(problem.text), file=sys.stderr)
    return 0


def _key(args: argparse.Namespace) -> int:
    from operator_console.app.mcp_setup import NamedKey
    from operator_console.cli.key_input import read_key
    from operator_console.settings.api_keys import delete_key, store_key

    owner = NamedKey(args.name)
    if args.delete:
        print(
            _("The key {name} was deleted.").format(name=args.name)
            if delete_key(owner)
            else _("There was no key {name}.").format(name=args.name)
        )
        return 0
    where = store_key(owner, read_key(_("Key for {name} (not shown): ").format(name=args.name)))
    print(_("The key {name} is stored in the keyring ({where}).").format(name=args.name, where=where))
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
