"""What the words of a notice code take."""

from __future__ import annotations

import string

from operator_console.domain.translations import Words


def value_names(words: Words) -> frozenset[str]:
    """The names of the values that these words take."""
    by = {words.by} if words.many else set()
    templates = (words.one, words.many)
    return frozenset(by | {name for text in templates for _, name, _, _ in string.Formatter().parse(text) if name})
