"""The verbs of `models profile`: list, show, make, change and delete model profiles in the settings file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from operator_console.domain.translations import _

if TYPE_CHECKING:
    from pydantic import BaseModel

    from operator_console.settings.model import Settings
    from operator_console.settings.profiles import Profile

_PRICES = ("input", "output", "cached", "cache_write")
_REMOVABLE = ("model", "base-url", "max-steps", "max-minutes", "max-cost", "price", "price-cached", "price-cache-write")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    parser.epilog = _(
        """\
examples:
  operator-console models profile add cheap --provider gemini --model gemini-3.5-flash-lite \\
      --option thinking_level=LOW --option keep_screenshots=2 --max-steps 40
  operator-console models profile add bench --provider qwen --base-url http://localhost:8000/v1
  operator-console models profile set cheap --price-input 0.1 --price-output 0.4 --max-cost 0.50
  operator-console models key bench
  operator-console models check bench
  operator-console run "Tidy the list" --profile bench

A profile's options are those of its provider; those that it does not name are as in the provider's
section of the settings. Prices are those of a million tokens."""
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(execute=_list)
    verbs = parser.add_subparsers(title=_("verbs"), metavar="VERB")
    listing = verbs.add_parser("list", help=_("list the profiles (default)"))
    listing.set_defaults(execute=_list)
    show = verbs.add_parser("show", help=_("show a profile as it stands in the settings file"))
    show.add_argument("name", metavar="NAME")
    show.set_defaults(execute=_show)
    add = verbs.add_parser("add", help=_("make a profile"))
    _configure_values(add)
    add.set_defaults(execute=_add)
    change = verbs.add_parser("set", help=_("change a profile"))
    _configure_values(change)
    change.add_argument(
        "--unset",
        action="append",
        default=[],
        metavar="WHAT",
        help=_("remove a value: {names}, or the name of an option (repeatable)").format(names=", ".join(_REMOVABLE)),
    )
    change.set_defaults(execute=_set)
    delete = verbs.add_parser("delete", help=_("delete a profile and its own key"))
    delete.add_argument("name", metavar="NAME")
    delete.set_defaults(execute=_delete)


def _configure_values(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help=_("the name of the profile"))
    parser.add_argument("--provider", metavar="P", help=_("its provider (default: the one that --model implies)"))
    parser.add_argument("--model", metavar="M", help=_("its model (default: that of the provider)"))
    parser.add_argument("--base-url", metavar="URL", help=_("the endpoint's address (default: that of the provider)"))
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=_("an option of the provider, as in its section of the settings (repeatable)"),
    )
    parser.add_argument("--max-steps", metavar="N", help=_("steps before a session asks whether to continue"))
    parser.add_argument("--max-minutes", metavar="N", help=_("minutes of work before it asks"))
    parser.add_argument("--max-cost", metavar="X", help=_("cost before it asks, in the currency of the price"))
    parser.add_argument("--price-input", metavar="X", help=_("price of a million input tokens"))
    parser.add_argument("--price-output", metavar="X", help=_("price of a million output tokens"))
    parser.add_argument("--price-cached", metavar="X", help=_("price of a million cached input tokens"))
    parser.add_argument("--price-cache-write", metavar="X", help=_("price of a million cache-written input tokens"))
    parser.add_argument("--currency", metavar="C", help=_("currency of the prices (default: USD)"))


def _list(args: argparse.Namespace) -> int:
    settings = load()
    if not settings.profiles:
        print(_("There are no model profiles in the settings."))
    for name, profile in settings.profiles.items():
        print(f"{name}: {described(name, profile)}")
    return 0


def _show(args: argparse.Namespace) -> int:
    import tomlkit

    from operator_console.app.profile_setup import find_profile

    profile = find_profile(load(), args.name)
    values = profile.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    print(tomlkit.dumps({"profiles": {args.name: values}}).strip())
    return 0


def _add(args: argparse.Namespace) -> int:
    from operator_console.app.profile_setup import profile_from, with_profile
    from operator_console.providers.registry import resolve

    settings = load()
    values = _given(args, {})
    if not args.provider:
        values["provider"] = resolve("", args.model or "")[0].name
    made = with_profile(settings, args.name, profile_from(args.name, **values))
    _save(made, settings)
    told = described(args.name, made.profiles[args.name])
    print(_("The model profile {name} was made: {profile}").format(name=args.name, profile=told))
    return 0


def _set(args: argparse.Namespace) -> int:
    from operator_console.app.profile_setup import find_profile, profile_from, with_profile

    settings = load()
    present = find_profile(settings, args.name).model_dump(exclude_unset=True)
    for what in args.unset:
        _remove(present, what)
    made = with_profile(settings, args.name, profile_from(args.name, **_given(args, present)), before=args.name)
    _save(made, settings)
    told = described(args.name, made.profiles[args.name])
    print(_("The model profile {name} was changed: {profile}").format(name=args.name, profile=told))
    return 0


def _delete(args: argparse.Namespace) -> int:
    from operator_console.app.profile_setup import without_profile
    from operator_console.settings.api_keys import delete_profile_key

    settings = load()
    without = without_profile(settings, args.name)
    had_key = delete_profile_key(args.name)  # first: another profile of this name must not find it
    _save(without, settings)
    told = (
        _("The model profile {name} and its key were deleted.")
        if had_key
        else _("The model profile {name} was deleted.")
    )
    print(told.format(name=args.name))
    return 0


def described(name: str, profile: Profile) -> str:
    """A profile in one line: its provider, model and endpoint, or why it cannot be used."""
    from operator_console.app.profile_setup import provider_of
    from operator_console.domain.errors import OperatorError

    try:
        spec = provider_of(name, profile)
    except OperatorError as error:
        return _("cannot be used: {why}").format(why=error.text)
    model = profile.model or spec.default_model
    named = f"{profile.provider}, {model}" if model else profile.provider
    return _("{model} at {address}").format(model=named, address=profile.base_url) if profile.base_url else named


def load() -> Settings:
    """The settings. Raises OperatorError."""
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings
    from operator_console.settings.file_locations import find_paths

    return load_settings(find_paths().settings, options_of)


def _save(settings: Settings, before: Settings) -> None:
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import save_settings
    from operator_console.settings.file_locations import find_paths

    save_settings(find_paths().settings, settings, options_of, before=before)


def _given(args: argparse.Namespace, present: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a profile: the present ones, and those of the command line in their place."""
    values = dict(present)
    for name in ("provider", "model", "base_url", "max_steps", "max_minutes", "max_cost"):
        if (given := getattr(args, name)) is not None:
            values[name] = given
    price = {name: given for name in _PRICES if (given := getattr(args, f"price_{name}")) is not None}
    if args.currency is not None:
        price["currency"] = args.currency
    if price:
        values["price"] = {**(values.get("price") or {}), **price}
    options = dict(values.get("options") or {})
    if "provider" in present and values["provider"] != present["provider"]:
        options = {}  # they and the model are the other provider's
        if args.model is None:
            values.pop("model", None)
    for text in args.option:
        name, value = _option(text, str(values.get("provider", "")))
        options[name] = value
    if options or "options" in values:
        values["options"] = options
    return values


def _option(text: str, provider: str) -> tuple[str, Any]:
    """A NAME=VALUE: the value as TOML where the option takes that, else as text."""
    from operator_console.domain.errors import ExitCode, OperatorError
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode
    from operator_console.providers.registry import options_of

    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise OperatorError(
            notice(NoticeCode.OPTION_WITHOUT_VALUE, option=text),
            remedy=notice(NoticeCode.WRITE_OPTION_LIKE),
            exit_code=ExitCode.USAGE,
        )
    model = options_of(provider)
    for candidate in _readings(value):
        if model is None or _takes(model, name.strip(), candidate):
            return name.strip(), candidate
    return name.strip(), value


def _readings(value: str) -> list[Any]:
    import tomllib

    try:
        return [tomllib.loads(f"it={value}")["it"], value]
    except tomllib.TOMLDecodeError:
        return [value]


def _takes(model: type[BaseModel], name: str, value: object) -> bool:
    from pydantic import ValidationError

    try:
        model.model_validate({name: value})
    except ValidationError as error:
        return not any(each["loc"][:1] == (name,) for each in error.errors())
    return True


def _remove(values: dict[str, Any], what: str) -> None:
    from operator_console.domain.errors import ExitCode, OperatorError
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    options = dict(values.get("options") or {})
    if what in options:
        del options[what]
        values["options"] = options
    elif what in ("price-cached", "price-cache-write"):
        gone = what.removeprefix("price-").replace("-", "_")
        values["price"] = {name: each for name, each in (values.get("price") or {}).items() if name != gone}
    elif what in _REMOVABLE:
        values.pop(what.replace("-", "_"), None)
    else:
        raise OperatorError(
            notice(NoticeCode.PROFILE_HAS_NO_VALUE, what=what),
            remedy=notice(NoticeCode.USE_ONE_OF, names=", ".join((*_REMOVABLE, *options))),
            exit_code=ExitCode.USAGE,
        )
