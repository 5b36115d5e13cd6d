"""Changes values in a TOML text, and keeps its comments and everything else."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table


def changed_text(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The TOML text with those values changed, added or removed in which `after` differs from `before`.

    Where the text cannot be edited so that it says that, it is written anew, without its comments.
    """
    expected = copy.deepcopy(tomllib.loads(text))
    _change(expected, before, after)
    try:
        document = tomlkit.parse(text)
        _change(document, before, after)
        edited = tomlkit.dumps(document)
        if tomllib.loads(edited) == expected:
            return edited
    except (TOMLKitError, tomllib.TOMLDecodeError, TypeError, ValueError, KeyError):
        pass
    return tomlkit.dumps(expected)


def _change(table: MutableMapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old == new and (name in before) is (name in after):
            continue
        if name not in after:
            table.pop(name, None)
        elif isinstance(new, Mapping) and isinstance(within := table.get(name), MutableMapping):
            _change(within, old if isinstance(old, Mapping) else {}, new)
        elif isinstance(table, Table):
            _set(table, name, new)
        else:
            table[name] = new


def _set(table: Table, name: str, value: Any) -> None:
    """Set a value; a new one before comments at the end of the table, which are about the next one."""
    body = table.value.body
    last = max((place for place, (key, _) in enumerate(body) if key is not None), default=-1)
    trailing = body[last + 1 :] if name not in table else []
    if trailing:
        del body[last + 1 :]
    table[name] = value
    body.extend(trailing)
