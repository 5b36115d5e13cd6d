"""Hides keys in log lines: known ones, and text in the format of a key."""

from __future__ import annotations

import re

HIDDEN = "[hidden]"
_MIN_LENGTH = 6
_known: set[str] = set()
_PATTERNS = re.compile(
    r"AIza[0-9A-Za-z_\-]{10,}|AQ\.[0-9A-Za-z_\-.]{10,}|\bsk-[0-9A-Za-z_\-]{10,}"
    r"|(?<=[Bb]earer )[^\s\"',]+"
    r"|(?<=key=)[^\s&\"',]+"
    r"|(?<=api-key: )[^\s\"',]+|(?<=api-key': ')[^']+|(?<=api-key\": \")[^\"]+"
)


def hide(value: str) -> None:
    """Hide this text from now on, unless it is so short that it could be an ordinary word."""
    if len(value.strip()) >= _MIN_LENGTH:
        _known.add(value.strip())


def redact(text: str) -> str:
    """The text with its keys replaced by `HIDDEN`."""
    for secret in sorted(_known, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _PATTERNS.sub(HIDDEN, text)
