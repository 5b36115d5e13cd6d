"""`models`: what can be asked, whether a key works, and putting a key into the keyring."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operator_console.providers.catalogue import ProviderInfo

LOGS = True

_EPILOG = """\
Keys are read from the service's own environment variables first, else from the system's
keyring; never from a file, never from the command line.

exit of check: 0 it works, 1 the service refused, 5 there is no key"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its verbs."""
    parser.epilog = _EPILOG
    parser.set_defaults(execute=_list, json=False)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    listing = verbs.add_parser("list", help="what there is (the default)")
    listing.add_argument("--json", action="store_true", help="as a JSON list")
    listing.set_defaults(execute=_list)
    check = verbs.add_parser("check", help="ask the service whether key and model work")
    check.add_argument("name", metavar="NAME", help="a model or a provider")
    check.set_defaults(execute=_check)
    key = verbs.add_parser("key", help="store a key: typed unseen, or read from stdin")
    key.add_argument("provider", metavar="PROVIDER", help="whose key")
    key.add_argument("--delete", action="store_true", help="remove it from the keyring instead")
    key.set_defaults(execute=_key)


def execute(args: argparse.Namespace) -> int:
    """Never called: the default is `list`."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    from operator_console.providers.catalogue import PROVIDERS
    from operator_console.settings.keys import KeyringUnusable, find_key

    rows: list[tuple[ProviderInfo, str]] = []
    for info in PROVIDERS:
        try:
            key = find_key(info.name) if info.needs_key and info.built else None
            source = key.source if key else ""
        except KeyringUnusable:
            source = ""
        rows.append((info, source))
    if args.json:
        import json

        print(json.dumps([_fields(info, source) for info, source in rows], indent=2))
        return 0
    for info, source in rows:
        print(f"{info.name:<11} {info.title}: {_state(info, source)}")
        for model in info.models:
            print(f"{'':<11}   {model}{' (default)' if model == info.default_model else ''}")
    return 0


def _check(args: argparse.Namespace) -> int:
    import asyncio

    from operator_console.providers.catalogue import PROVIDERS, Ingredients, check, resolve
    from operator_console.settings.keys import find_key

    named = any(info.name == args.name for info in PROVIDERS)
    info, model = resolve(args.name, "") if named else resolve("", args.name)
    key = find_key(info.name)
    print(asyncio.run(check(info.name, model, Ingredients(api_key=key.value if key else None))))
    return 0


def _key(args: argparse.Namespace) -> int:
    from operator_console.providers.catalogue import find
    from operator_console.settings.keys import delete_key, store_key

    info = find(args.provider)
    if args.delete:
        gone = delete_key(info.name)
        print(f"The key for {info.title} was removed." if gone else f"There was no key for {info.title}.")
        return 0
    where = store_key(info.name, _read_key(info))
    print(f"The key for {info.title} is stored in the keyring ({where}). `models check {info.name}` tries it.")
    return 0


def _read_key(info: ProviderInfo) -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        import getpass

        return getpass.getpass(f"Key for {info.title} (not shown): ")
    return sys.stdin.readline() if sys.stdin is not None else ""


def _state(info: ProviderInfo, source: str) -> str:
    if not info.built:
        return "not in this version"
    if not info.needs_key:
        return "no key needed, nothing leaves this machine"
    sends = f"sends pictures of the target and your task to {info.sends_to}"
    return f"key from {source}; {sends}" if source else f"no key; {sends}"


def _fields(info: ProviderInfo, source: str) -> dict[str, object]:
    return {
        "provider": info.name,
        "title": info.title,
        "available": info.built,
        "models": info.models,
        "default_model": info.default_model,
        "needs_key": info.needs_key,
        "key": source or None,
        "sends_to": info.sends_to or None,
    }
