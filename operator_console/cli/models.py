"""`models`: lists models and providers, checks keys, and stores keys in the keyring."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operator_console.providers.spec import ProviderSpec

LOGS = True

_EPILOG = """\
Keys are read from the environment variables of the service, or else from the system's keyring;
never from a file or the command line.

exit of check: 0 it works, 1 the service refused, 5 there is no key"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.set_defaults(execute=_list, json=False)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    listing = verbs.add_parser("list", help="list models and providers (default)")
    listing.add_argument("--json", action="store_true", help="print a JSON list")
    listing.set_defaults(execute=_list)
    check = verbs.add_parser("check", help="test key and model with a request to the service")
    check.add_argument("name", metavar="NAME", help="a model or a provider")
    check.set_defaults(execute=_check)
    key = verbs.add_parser("key", help="store a key, typed without echo or read from stdin")
    key.add_argument("provider", metavar="PROVIDER", help="the provider that the key is for")
    key.add_argument("--delete", action="store_true", help="delete the key from the keyring")
    key.set_defaults(execute=_key)


def execute(args: argparse.Namespace) -> int:
    """Never called, because the default is `list`."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    from operator_console.providers.registry import broken, specs

    rows = [(spec, _source(spec)) for spec in specs()]
    if args.json:
        import json

        fields = [_fields(spec, source) for spec, source in rows]
        fields += [_without(one.name, one.problem) for one in broken()]
        print(json.dumps(fields, indent=2))
        return 0
    for spec, source in rows:
        print(f"{spec.name:<11} {spec.title}: {_state(spec, source)}")
        for model in spec.models:
            print(f"{'':<11}   {model}{' (default)' if model == spec.default_model else ''}")
    for found in broken():
        print(f"{found.name:<11} cannot be loaded: {found.problem}")
    return 0


def _check(args: argparse.Namespace) -> int:
    import asyncio

    from operator_console.providers.registry import check, is_name, options_of, resolve
    from operator_console.providers.spec import Ingredients
    from operator_console.settings.api_keys import find_key
    from operator_console.settings.file import load_settings
    from operator_console.settings.file_locations import find_paths

    spec, model = resolve(args.name, "") if is_name(args.name) else resolve("", args.name)
    key = find_key(spec)
    options = load_settings(find_paths().settings, options_of).section(spec.name)
    ingredients = Ingredients(api_key=key.value if key else None, options=options)
    print(asyncio.run(check(spec.name, model, ingredients)))
    return 0


def _key(args: argparse.Namespace) -> int:
    from operator_console.providers.registry import find
    from operator_console.settings.api_keys import delete_key, store_key

    spec = find(args.provider)
    if args.delete:
        gone = delete_key(spec)
        print(f"The key for {spec.title} was deleted." if gone else f"There was no key for {spec.title}.")
        return 0
    where = store_key(spec, _read_key(spec))
    print(f"The key for {spec.title} is stored in the keyring ({where}).")
    print(f"To test it, run operator-console models check {spec.name}.")
    return 0


def _read_key(spec: ProviderSpec) -> str:
    if not spec.key_env:
        return ""
    if sys.stdin is not None and sys.stdin.isatty():
        import getpass

        return getpass.getpass(f"Key for {spec.title} (not shown): ")
    return sys.stdin.readline() if sys.stdin is not None else ""


def _source(spec: ProviderSpec) -> str:
    from operator_console.settings.api_keys import KeyringUnusable, find_key

    try:
        key = find_key(spec)
    except KeyringUnusable:
        return ""
    return key.source if key else ""


def _state(spec: ProviderSpec, source: str) -> str:
    sends = f"sends pictures of the target and your task to {spec.sends_to}" if spec.sends_to else ""
    if not spec.needs_key and not source:
        return f"no key needed, {sends or 'nothing leaves this computer'}"
    return f"key from {source}; {sends}" if source else f"no key; {sends}"


def _fields(spec: ProviderSpec, source: str) -> dict[str, object]:
    return {
        "provider": spec.name,
        "title": spec.title,
        "available": True,
        "models": spec.models,
        "default_model": spec.default_model,
        "needs_key": spec.needs_key,
        "key": source or None,
        "sends_to": spec.sends_to or None,
    }


def _without(name: str, problem: str) -> dict[str, object]:
    return {"provider": name, "title": name, "available": False, "problem": problem}
