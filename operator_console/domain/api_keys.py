"""Where an API key is kept, and whether a text can be one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import hide_key

_KEY = re.compile(r"[!-~]+")  # what a header of HTTP can carry, without blanks
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_KEY_NAMES = re.compile(r"authorization|cookie|(?:^|[-_])(?:key|token|secret|password|credentials)$", re.IGNORECASE)
_QUOTES = ("'", '"', "`")


class KeyPlace(StrEnum):
    """Where a key is kept, and so how long."""

    SESSION = "session"
    """In the memory of this process, until it ends."""
    ENVIRONMENT = "environment"
    """In an environment variable, which the console does not change."""
    KEYRING = "keyring"
    """In the system's keyring, until it is deleted."""


class KeyUnusable(OperatorError):
    """There may be a key, but none that can be used."""


def names_key(name: str) -> bool:
    """Whether what a header or an environment variable of this name holds is a key."""
    return _KEY_NAMES.search(name) is not None


def key_references(text: str) -> tuple[str, ...]:
    """The keys that a value of the settings names, each as ${NAME}."""
    return tuple(_REFERENCE.findall(text))


def filled(values: Mapping[str, str], key_of: Callable[[str], str]) -> dict[str, str]:
    """The values with their keys in place of their names. Raises what `key_of` raises for a name without a key."""
    return {name: _REFERENCE.sub(lambda found: key_of(found[1]), value) for name, value in values.items()}


def usable_key(value: str, *, variable: str = "", stored: bool = False) -> str:
    """The key without white space around it, hidden from now on in all texts by others.

    Args:
        value: What was entered or found.
        variable: The environment variable that it is from; "" for none.
        stored: Whether it is from the keyring.

    Raises:
        KeyUnusable: It cannot be a key. It is not shown. The exit code is 2 for one that is entered now, else 5.
    """
    key = value.strip()
    hide_key(key)
    if _KEY.fullmatch(key) and not key.startswith(_QUOTES) and not key.endswith(_QUOTES):
        return key
    title, remedy = notice(NoticeCode.KEY_INVALID), notice(NoticeCode.COPY_KEY_AGAIN)
    if variable:
        title = notice(NoticeCode.KEY_OF_VARIABLE_INVALID, variable=variable)
        remedy = joined(remedy, notice(NoticeCode.SET_VARIABLE_AGAIN, variable=variable))
    elif stored:
        title = notice(NoticeCode.KEY_OF_KEYRING_INVALID)
        remedy = joined(remedy, notice(NoticeCode.STORE_KEY_AGAIN))
    raise KeyUnusable(
        title,
        detail=notice(NoticeCode.KEY_WITH_FOREIGN_CHARACTERS if key else NoticeCode.KEY_EMPTY_OR_WITH_SPACES),
        remedy=remedy,
        exit_code=ExitCode.REFUSED if variable or stored else ExitCode.USAGE,
    )
