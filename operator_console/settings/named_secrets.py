"""Secrets by name in the system's keyring: each entry holds the value with where it may be typed.

One more entry holds the names, because a keyring does not list what it has. All functions block.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from operator_console.domain.codec import CodecError, decode, encode
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import hide
from operator_console.domain.secrets_by_name import Binding, NamedSecret, checked_name
from operator_console.settings.api_keys import delete_secret, find_secret, refusal, store_secret

_INDEX = "secrets"
_LONGEST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSecret:
    """A secret with its value, which its repr does not show."""

    secret: NamedSecret
    value: str = field(repr=False)


def list_secrets() -> tuple[NamedSecret, ...]:
    """The secrets without their values, by name. Raises KeyringUnusable if the keyring cannot be read."""
    return tuple(stored.secret for stored in load_secrets())


def load_secrets() -> tuple[StoredSecret, ...]:
    """The secrets, by name; none without a keyring. Raises KeyringUnusable if it cannot be read."""
    if refusal() is not None:
        return ()
    return tuple(found for name in _names() if (found := _stored(name)) is not None)


def store_named_secret(name: str, value: str, bound_to: Sequence[Binding]) -> str:
    """Store or replace a secret; returns the name of the keyring.

    Args:
        name: its name in texts.
        value: as it was entered; one line break at its end does not count.
        bound_to: where it may be typed.

    Raises:
        OperatorError: the name, or the value, cannot be one (usage).
        KeyringUnusable: there is no keyring that stores secrets safely.
    """
    kept = value.removesuffix("\n").removesuffix("\r")
    hide(kept)
    checked_name(name)
    if not kept.strip() or not kept.isprintable() or len(kept) > _LONGEST or "{{" in kept:
        raise OperatorError(
            notice(NoticeCode.SECRET_INVALID), remedy=notice(NoticeCode.TYPE_SECRET_SO), exit_code=ExitCode.USAGE
        )
    entry = json.dumps({"value": kept, "bound_to": encode(tuple(bound_to))})
    where = store_secret(_entry(name), entry, any_text=True)
    _keep_names(sorted({*_names(), name}))
    return where


def delete_named_secret(name: str) -> bool:
    """Delete a secret; whether there was one. Raises KeyringUnusable."""
    found = delete_secret(_entry(name))
    _keep_names([each for each in _names() if each != name])
    return found


def _names() -> list[str]:
    try:
        names = json.loads(find_secret(_INDEX) or "[]")
    except ValueError:
        return []
    return [str(name) for name in names] if isinstance(names, list) else []


def _keep_names(names: Sequence[str]) -> None:
    if names:
        store_secret(_INDEX, json.dumps(list(names)), any_text=True)
    else:
        delete_secret(_INDEX)


def _stored(name: str) -> StoredSecret | None:
    """The secret; None where another program has changed the entry, or deleted it."""
    try:
        kept = json.loads(find_secret(_entry(name)) or "{}")
        value = str(kept["value"])
        bound_to: tuple[Binding, ...] = decode(tuple[Binding, ...], kept["bound_to"])
    except (ValueError, KeyError, TypeError, CodecError):
        return None
    hide(value)
    return StoredSecret(secret=NamedSecret(name=name, bound_to=bound_to), value=value)


def _entry(name: str) -> str:
    return f"secret:{name}"
