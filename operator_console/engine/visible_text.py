"""Makes text from models and screens plain: invisible and control characters are written out. Pure functions.

Long texts are cut first, so that the cost is bounded.
"""

from __future__ import annotations

import unicodedata

_HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"))
_NAMED = {"\n": "⏎", "\r": "␍", "\t": "⇥"}
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\ufe0e\ufe0f")
"""Characters that are classed as letters or marks but draw nothing."""


def shown(text: str) -> str:
    """The text on one line with control, bidirectional, zero-width and other invisible characters written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    return f"⟨U+{ord(char):04X}⟩" if is_hidden(char) else char


def is_hidden(char: str) -> bool:
    """Whether a character is invisible, or a space other than the usual one."""
    hidden = char in _FILLERS or unicodedata.category(char) in _HIDDEN_CATEGORIES
    return hidden or (char.isspace() and char != " ")


def shown_lines(text: str) -> str:
    """As `shown`, but line breaks are kept."""
    return "\n".join(shown(line) for line in text.replace("\r\n", "\n").split("\n"))


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; the middle of a longer text is left out, beside what was left out of it before."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head].rstrip('…')}…{text[-(limit - 1 - head) :].lstrip('…')}"


def brief(text: str, limit: int) -> str:
    """As `shown`, at most `limit` characters; the middle of a longer text is left out before it is processed."""
    return cut(shown(cut(text, limit)), limit)
