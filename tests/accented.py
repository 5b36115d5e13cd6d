"""An artificial language, in which what was not translated shows: each letter has an accent, and texts are 40 % longer.

It is what a translator makes of the messages: placeholders, tags and the names of keys, commands and options stay.
"""

from __future__ import annotations

import gettext
import re
import string
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from extract_messages import catalogue
from operator_console.domain.translations import DOMAIN

LANGUAGE = "en_XA"
"""The name of the language for the environment, as Android calls its own of this kind."""

_PLAIN = string.ascii_lowercase + string.ascii_uppercase
_ACCENTED = "áƀćđéƒĝĥíĵķĺḿńóþɋŕśţúṽŵẋýž" + "ÁɃĆĐÉƑĜĤÍĴĶĹḾŃÓÞɊŔŚŢÚṼŴẊÝŽ"
_ACCENTS = dict(zip(_PLAIN, _ACCENTED, strict=True))
_LONGER = 0.4

_STAYS = re.compile(
    r"""
    \{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}               # {name}, {count:,}, {minutes:.{digits}f}
    | %(?:\(\w+\))?[-\#0+]*\d*(?:\.\d+)?[a-zA-Z%]  # %s, %(prog)s
    | </?[a-zA-Z][^<>]*>                          # tags
    | &\#?\w+;                                    # entities
    | (?<!\w)(?:Ctrl|Alt|Shift|Super|Meta)(?:\+\w+)+ | (?<!\w)(?:Esc|F\d+)(?!\w)
    | (?<![\w-])--?[a-z][\w-]*                    # options
    | operator-console(?:\ (?:run|practice|targets|models|mcp|sessions|stop|status|reset|doctor|COMMAND)\b)?
    | (?<![\w$])[$@]?[A-Z][A-Z0-9_]*(?!\w)        # DISPLAY, HOST, @FILE
    """,
    re.VERBOSE,
)


def accented(message: str) -> str:
    """The message in this language."""
    made: list[str] = []
    due, end = 0.5, 0
    for stays in (*_STAYS.finditer(message), None):
        for char in message[end : stays.start() if stays is not None else None]:
            accent = _ACCENTS.get(char)
            due += _LONGER
            more = int(due) if accent is not None else 0
            made.append((accent or char) * (1 + more))
            due -= more
        if stays is not None:
            made.append(stays.group())
            end = stays.end()
    return "".join(made)


def in_english(text: str) -> list[str]:
    """The words of a text that are not in this language."""
    return [word for word in re.findall(r"[^\W\d_]{2,}", text) if word.isascii() and not word.isupper()]


class Accented(gettext.NullTranslations):
    """The language, for `use`."""

    def gettext(self, message: str) -> str:
        return accented(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return accented(msgid1 if n == 1 else msgid2)


def write_accented(folder: Path, messages: Catalog | None = None) -> None:
    """Write its catalogue to a folder for TEXTDOMAINDIR; `messages`: those extracted, where a test has them already."""
    made = messages or catalogue()
    for message in made:
        if message.id:
            named = message.id
            message.string = accented(named) if isinstance(named, str) else tuple(map(accented, named))
    file = folder / LANGUAGE / "LC_MESSAGES" / f"{DOMAIN}.mo"
    file.parent.mkdir(parents=True)
    with file.open("wb") as written:
        write_mo(written, made)
