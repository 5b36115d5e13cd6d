"""The language of what a person reads: gettext's functions, for the language that the process was given.

Resolved when called, so they are called where a sentence is shown, never when a module is imported.
Without a language everything is in English, the language of the source. Placeholders are those of `str.format`.
"""

from __future__ import annotations

import gettext as _gettext
from enum import auto

# Without `typing`, whose import takes a tenth of the time of `--help` and `status`.
DOMAIN = "operator-console"
"""The name of the catalogues, without `.mo`."""

ENGLISH = _gettext.NullTranslations()

_current: _gettext.NullTranslations = ENGLISH


class Words:
    """A sentence as it stands in the source, to be translated when it is shown.

    Attributes:
        one, many: the words, and those for other numbers than one; "": they do not depend on a number.
        by: the name of the value that decides between them.
    """

    __slots__ = ("by", "many", "one")

    def __init__(self, one: str, many: str = "", by: str = "count") -> None:
        self.one, self.many, self.by = one, many, by


def use(translations: _gettext.NullTranslations) -> None:
    """Set the language of this process, for all that is shown from now on."""
    global _current  # noqa: PLW0603 - one person reads what a process shows
    _current = translations


def current() -> _gettext.NullTranslations:
    """The language of this process."""
    return _current


def _(message: str) -> str:
    """The message in the language of this process, with its placeholders."""
    return _current.gettext(message)


def ngettext(one: str, many: str, number: int) -> str:
    """The form of a message for this number, in the language of this process, with its placeholders."""
    return _current.ngettext(one, many, number)


def N_(message: str) -> tuple[auto, Words]:  # noqa: N802 - the name by which gettext's tools find it
    """The value of an enum member that is named by its code and carries these words, untranslated."""
    return auto(), Words(message)


def NN_(one: str, many: str, by: str = "count") -> tuple[auto, Words]:  # noqa: N802
    """As `N_`, with a singular and a plural; `by` is the name of the value that decides."""
    return auto(), Words(one, many, by)
