"""Hides keys in log lines: those that are known, and whatever looks like one."""

from __future__ import annotations

import re

HIDDEN = "[hidden]"
_SHORTEST = 6
_known: set[str] = set()
_SHAPES = re.compile(
    r"AIza[0-9A-Za-z_\-]{10,}|AQ\.[0-9A-Za-z_\-.]{10,}|\bsk-[0-9A-Za-z_\-]{10,}"
    r"|(?<=[Bb]earer )[^\s\"',]+"
    r"|(?<=key=)[^\s&\"',]+"
    r"|(?<=api-key: )[^\s\"',]+|(?<=api-key': ')[^']+|(?<=api-key\": \")[^\"]+"
)


def hide(value: str) -> None:
    """From now on this very text is hidden. Too short ones are no keys and would hide ordinary words."""
    if len(value.strip()) >= _SHORTEST:
        _known.add(value.strip())


def redact(text: str) -> str:
    """The text without keys."""
    for secret in sorted(_known, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)
