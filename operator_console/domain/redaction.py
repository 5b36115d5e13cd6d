"""Hides secrets in texts by others, such as errors of libraries and lines of the log.

A library may show a key as it likes: escaped, cut, broken into lines. So not the key alone is searched for, but each
part of it in each such form.
"""

from __future__ import annotations

import functools
import itertools
import json
import re

HIDDEN = "[hidden]"
_LEAST = 6  # A shorter secret could be part of an ordinary word,
_LEAST_ALONE = 4  # and a key that is shorter still an ordinary word.
_PART = 8  # So many characters of a key in a row are shown nowhere.
_MOST = 2_000  # Nothing longer is a key.
_secrets: set[str] = set()
_keys: set[str] = set()
_PATTERNS = re.compile(
    r"AIza[0-9A-Za-z_\-]{10,}|AQ\.[0-9A-Za-z_\-.]{10,}|\bsk-[0-9A-Za-z_\-]{10,}"
    r"|(?<=[Bb]earer )[^\s\"',]+"
    r"|(?<=key=)[^\s&\"',]+"
    r"|(?<=api-key: )[^\s\"',]+|(?<=api-key': ')[^']+|(?<=api-key\": \")[^\"]+"
)


def hide(value: str) -> None:
    """Hide this text as a whole from now on, unless it is so short that it could be an ordinary word."""
    if len(value.strip()) >= _LEAST:
        _secrets.add(value.strip())


def hide_key(value: str) -> None:
    """Hide this key and its parts from now on: its lines, and any 8 characters in a row."""
    key = value.strip()[:_MOST]
    for text in (key, *key.splitlines()):
        hide(text)
    if len(key) >= _LEAST_ALONE:
        _keys.add(key)


def without_secrets(text: str) -> str:
    """The text with the secrets that are known replaced by `HIDDEN`."""
    for form in sorted(itertools.chain.from_iterable(map(_forms, _secrets)), key=len, reverse=True):
        text = text.replace(form, HIDDEN)
    for key in _keys:
        text = _broken(key).sub(HIDDEN, text)
    parts = frozenset().union(*map(_parts, _keys))
    if not any(part in text for part in parts):  # much faster than what follows
        return text
    marked = {
        at
        for start in range(len(text) - _PART + 1)
        if text[start : start + _PART] in parts
        for at in range(start, start + _PART)
    }
    runs = itertools.groupby(range(len(text)), marked.__contains__)
    return "".join(HIDDEN if found else "".join(text[at] for at in places) for found, places in runs)


def redact(text: str) -> str:
    """As `without_secrets`, and without what only looks like a key."""
    return _PATTERNS.sub(HIDDEN, without_secrets(text))


@functools.cache
def _forms(secret: str) -> frozenset[str]:
    """The secret as libraries write it: as it is, in a repr, in JSON, in an address."""
    data = secret.encode("utf-8", "replace")
    escaped = re.sub(rb"[^0-9A-Za-z._~-]", lambda found: b"%%%02X" % found[0][0], data).decode("ascii")
    texts = (repr(secret), ascii(secret), json.dumps(secret), json.dumps(secret, ensure_ascii=False))
    return frozenset((secret, repr(data)[2:-1], escaped, escaped.lower(), *(text[1:-1] for text in texts)))


@functools.cache
def _broken(key: str) -> re.Pattern[str]:
    """Matches a key in each form, with line breaks and indents anywhere in it."""
    forms = sorted(_forms(key), key=len, reverse=True)
    found = "|".join(r"(?:\s|\\[nr])*".join(map(re.escape, form)) for form in forms)
    return re.compile(found if len(key) >= _LEAST else rf"(?<!\w)(?:{found})(?!\w)")


@functools.cache
def _parts(key: str) -> frozenset[str]:
    """All that is as long as `_PART` in the forms of a key."""
    return frozenset(form[at : at + _PART] for form in _forms(key) for at in range(len(form) - _PART + 1))
