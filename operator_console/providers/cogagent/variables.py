"""Variables of CogAgent, `__CogName_x__`: filled by QUOTE_TEXT, QUOTE_CLIPBOARD and LLM, inserted into TYPE and LLM."""

from __future__ import annotations

import re
from collections.abc import Mapping

from operator_console.domain.errors import ActionError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_VARIABLE = re.compile(r"__CogName_(.{1,60}?)__", re.DOTALL)
_MOST = 30
_LONGEST = 20_000
_LONGEST_INSERTED = 50_000


def variable_name(written: str) -> str:
    """The name in `__CogName_name__`. Raises ActionError."""
    found = _VARIABLE.fullmatch(written.strip())
    if found is None or "__CogName_" in found[1]:
        raise ActionError(notice(NoticeCode.VARIABLE_NAME_WRONG, value=written[:60]))
    return found[1]


def names_in(text: str) -> tuple[str, ...]:
    """The names of the variables in a text, each once."""
    return tuple(dict.fromkeys(match[1] for match in _VARIABLE.finditer(text)))


def inserted(text: str, values: Mapping[str, str]) -> str:
    """The text with values in place of variables; variables in values are left as they are.

    Raises:
        ActionError: A variable has no value, or the text would be too long.
    """
    for name in names_in(text):
        if not values.get(name):
            raise ActionError(notice(NoticeCode.VARIABLE_WITHOUT_VALUE, name=f"__CogName_{name}__"))
    length = sum(len(values[match[1]]) for match in _VARIABLE.finditer(text))
    if length > _LONGEST_INSERTED:
        raise ActionError(notice(NoticeCode.VARIABLES_TOO_LONG, characters=length, limit=_LONGEST_INSERTED))
    return _VARIABLE.sub(lambda match: values[match[1]], text)


def with_value(values: Mapping[str, str], name: str, value: str) -> Mapping[str, str]:
    """The variables with another value; the oldest is left out where there are too many."""
    made = {**{key: kept for key, kept in values.items() if key != name}, name: value[:_LONGEST]}
    return dict(list(made.items())[-_MOST:])
