"""`secrets`: lists the secrets that can be typed by name, stores one in the keyring, or deletes it."""

from __future__ import annotations

import argparse

from operator_console.domain.translations import _

LOGS = True


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
A secret is typed where a task, a runbook or a model writes {{secret:NAME}}, and nowhere but in what it
is bound to: site:ORIGIN, app:NAME or window:TITLE. It is in no picture, record or message to a model.

examples:
  operator-console secrets set bank --for site:https://bank.example
  operator-console secrets set sudo --for app:XTerm""")
    parser.set_defaults(execute=_list)
    verbs = parser.add_subparsers(title=_("verbs"), metavar="VERB")
    listing = verbs.add_parser("list", help=_("list the secrets, without their values (default)"))
    listing.set_defaults(execute=_list)
    setting = verbs.add_parser("set", help=_("store or replace a secret, typed without echo or read from stdin"))
    setting.add_argument("name", metavar="NAME", help=_("its name: NAME in {{secret:NAME}}"))
    setting.add_argument(
        "--for",
        dest="bound_to",
        action="append",
        required=True,
        metavar="PLACE",
        help=_("where it may be typed: site:ORIGIN, app:NAME or window:TITLE (repeatable)"),
    )
    setting.set_defaults(execute=_set)
    deleting = verbs.add_parser("delete", help=_("delete a secret"))
    deleting.add_argument("name", metavar="NAME", help=_("its name"))
    deleting.set_defaults(execute=_delete)


def execute(args: argparse.Namespace) -> int:
    """Never called, because the default is `list`."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    from operator_console.domain.secrets_by_name import binding_text
    from operator_console.settings.named_secrets import list_secrets

    found = list_secrets()
    if not found:
        print(_("There are no secrets."))
    for secret in found:
        print(f"{secret.name:<16} {', '.join(map(binding_text, secret.bound_to))}")
    return 0


def _set(args: argparse.Namespace) -> int:
    from operator_console.cli.key_input import read_key
    from operator_console.domain.secrets_by_name import checked_name, parse_bindings
    from operator_console.settings.named_secrets import store_named_secret

    checked_name(args.name)
    bound_to = parse_bindings(args.bound_to)
    where = store_named_secret(args.name, read_key(_("{name} (not shown): ").format(name=args.name)), bound_to)
    print(_("The secret {name} is stored in the keyring ({where}).").format(name=args.name, where=where))
    return 0


def _delete(args: argparse.Namespace) -> int:
    from operator_console.settings.named_secrets import delete_named_secret

    print(
        _("The secret {name} was deleted.").format(name=args.name)
        if delete_named_secret(args.name)
        else _("There was no secret {name}.").format(name=args.name)
    )
    return 0
