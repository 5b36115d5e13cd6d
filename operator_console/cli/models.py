"""`models`: lists models, providers and profiles, checks them, and stores keys in the keyring."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from operator_console.cli import model_profiles
from operator_console.domain.translations import _

if TYPE_CHECKING:
    from operator_console.providers.spec import ProviderSpec
    from operator_console.settings.model import Settings

LOGS = True


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
Keys are read from the environment variables of the service, or else from the system's keyring;
never from a file or the command line. A profile may have a key of its own, which goes before them.

exit of check: 0 a session gets through its first two requests, 1 it would fail there, 5 there is no key, or none that
can be one""")
    parser.set_defaults(execute=_list, json=False)
    verbs = parser.add_subparsers(title=_("verbs"), metavar="VERB")
    listing = verbs.add_parser("list", help=_("list models and providers (default)"))
    listing.add_argument("--json", action="store_true", help=_("print a JSON list"))
    listing.set_defaults(execute=_list)
    check = verbs.add_parser("check", help=_("try key and model with the first two requests of a session"))
    check.add_argument("name", metavar="NAME", help=_("a provider, a profile or a model"))
    check.set_defaults(execute=_check)
    key = verbs.add_parser("key", help=_("store a key, typed without echo or read from stdin"))
    key.add_argument("provider", metavar="PROVIDER", help=_("the provider or the profile that the key is for"))
    key.add_argument("--delete", action="store_true", help=_("delete the key from the keyring"))
    key.set_defaults(execute=_key)
    profile = verbs.add_parser("profile", help=_("list, show, make, change or delete model profiles"))
    model_profiles.configure(profile)


def execute(args: argparse.Namespace) -> int:
    """Never called, because the default is `list`."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    from operator_console.app.model_choices import proxies
    from operator_console.domain.message_texts import worded
    from operator_console.providers.registry import broken, specs

    rows = [(spec, _source(spec)) for spec in specs()]
    if args.json:
        import json

        settings = model_profiles.load()
        fields = [_fields(spec, source) for spec, source in rows]
        fields += [_without(one.name, one.problem) for one in broken()]
        print(json.dumps(_with_profiles(fields, settings), indent=2))
        return 0
    settings = model_profiles.load()
    for spec, source in rows:
        print(f"{spec.name:<11} {spec.worded_title}: {_state(spec, source, proxies(settings, spec))}")
        for model in spec.models:
            # Translators: after the name of a model. The space at the beginning stays.
            print(f"{'':<11}   {model}{_(' (default)') if model == spec.default_model else ''}")
        for cloud in spec.clouds:
            at = _("also at {service}, with the option cloud={name}").format(service=_(cloud.title), name=cloud.name)
            print(f"{'':<11}   {at}")
    for found in broken():
        print(_("{name:<11} cannot be loaded: {problem}").format(name=found.name, problem=worded(found.problem)))
    profiles = settings.profiles
    if profiles:
        print(_("profiles"))
    for name, profile in profiles.items():
        print(f"{'':<11} {name}: {model_profiles.described(name, profile)}")
    return 0


def _check(args: argparse.Namespace) -> int:
    import asyncio

    from operator_console.app.model_check import check_model
    from operator_console.app.profile_setup import find_profile, ingredients_for, provider_of
    from operator_console.providers.registry import is_name, resolve
    from operator_console.ui.view.check_words import check_advice

    settings = model_profiles.load()
    price = None
    # The name of a provider always means the provider.
    if args.name in settings.profiles and not is_name(args.name):
        profile = find_profile(settings, args.name)
        spec, model = resolve(provider_of(args.name, profile).name, profile.model)
        ingredients = ingredients_for(settings, spec, args.name)
        price = profile.price.as_price() if profile.price is not None else None
    else:
        spec, model = resolve(args.name, "") if is_name(args.name) else resolve("", args.name)
        ingredients = ingredients_for(settings, spec)
    report = asyncio.run(check_model(spec.name, model, ingredients, price))
    took = _("It took {seconds:.1f} s.").format(seconds=report.seconds) if report.seconds else ""
    print(" ".join(filter(None, (report.said, took, check_advice(report)))))
    return 0


def _key(args: argparse.Namespace) -> int:
    from operator_console.cli.key_input import read_key
    from operator_console.providers.registry import find, is_name
    from operator_console.settings.api_keys import delete_key, store_key

    # A provider's key can be stored whatever is wrong with the settings.
    if not is_name(args.provider) and args.provider in (settings := model_profiles.load()).profiles:
        return _profile_key(args, settings)
    spec = find(args.provider)
    if args.delete:
        gone = delete_key(spec)
        print(
            _("The key for {title} was deleted.").format(title=spec.worded_title)
            if gone
            else _("There was no key for {title}.").format(title=spec.worded_title)
        )
        return 0
    where = store_key(
        spec, read_key(_("Key for {title} (not shown): ").format(title=spec.worded_title)) if spec.key_env else ""
    )
    print(_("The key for {title} is stored in the keyring ({where}).").format(title=spec.worded_title, where=where))
    print(_("To test it, run operator-console models check {name}.").format(name=spec.name))
    return 0


def _profile_key(args: argparse.Namespace, settings: Settings) -> int:
    import shlex

    from operator_console.app.profile_setup import find_profile, provider_of
    from operator_console.cli.key_input import read_key
    from operator_console.settings.api_keys import delete_profile_key, store_profile_key

    name = args.provider
    if args.delete:
        print(
            _("The key for the profile {name} was deleted.").format(name=name)
            if delete_profile_key(name)
            else _("There was no key for the profile {name}.").format(name=name)
        )
        return 0
    spec = provider_of(name, find_profile(settings, name))
    prompt = _("Key for the profile {name} (not shown): ").format(name=name)
    where = store_profile_key(name, spec, read_key(prompt) if spec.key_env else "")
    said = _("The key for the profile {name} is stored in the keyring ({where}).")
    print(said.format(name=name, where=where))
    print(_("To test it, run operator-console models check {name}.").format(name=shlex.quote(name)))
    return 0


def _source(spec: ProviderSpec) -> str:
    from operator_console.domain.api_keys import KeyUnusable
    from operator_console.settings.api_keys import find_key

    try:
        key = find_key(spec)
    except KeyUnusable:
        return ""
    return key.source if key else ""


def _state(spec: ProviderSpec, source: str, proxies: str) -> str:
    leaves = _("nothing leaves this computer")
    if spec.sends_to and proxies:
        leaves = _("sends pictures of the target and your task to {service}, through the proxy {proxies}").format(
            service=spec.recipient, proxies=proxies
        )
    elif spec.sends_to:
        leaves = _("sends pictures of the target and your task to {service}").format(service=spec.recipient)
    if source:
        # Translators: {leaves} is a part of the sentence: what is sent to whom, or that nothing is.
        return _("key from {source}; {leaves}").format(source=source, leaves=leaves)
    if spec.needs_key:
        # Translators: {leaves} is a part of the sentence: what is sent to whom, or that nothing is.
        return _("no key; {leaves}").format(leaves=leaves)
    # Translators: {leaves} is a part of the sentence: what is sent to whom, or that nothing is.
    return _("no key needed, {leaves}").format(leaves=leaves)


def _fields(spec: ProviderSpec, source: str) -> dict[str, object]:
    return {
        "provider": spec.name,
        "title": spec.title,
        "available": True,
        "models": spec.models,
        "clouds": [cloud.name for cloud in spec.clouds],
        "default_model": spec.default_model,
        "needs_key": spec.needs_key,
        "key": source or None,
        "sends_to": spec.sends_to or None,
    }


def _without(name: str, problem: str) -> dict[str, object]:
    return {"provider": name, "title": name, "available": False, "problem": problem}


def _with_profiles(fields: list[dict[str, object]], settings: Settings) -> list[dict[str, object]]:
    """The rows, each with the profiles of its provider; a row more for each provider that is not installed."""
    known = [row["provider"] for row in fields]
    missing = dict.fromkeys(each.provider for each in settings.profiles.values() if each.provider not in known)
    rows = [*fields, *(_without(name, "not installed") for name in missing)]
    return [{**row, "profiles": _profiles(str(row["provider"]), settings)} for row in rows]


def _profiles(provider: str, settings: Settings) -> list[dict[str, object]]:
    return [
        {"name": name, **profile.model_dump(mode="json", exclude={"provider"}, exclude_none=True)}
        for name, profile in settings.profiles.items()
        if profile.provider == provider
    ]
