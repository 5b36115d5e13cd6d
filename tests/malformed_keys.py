"""Texts that cannot be keys, as people paste them, and the search for what is left of a key."""

from __future__ import annotations

_HEAD, _TAIL = "Zq7vXk2pLm9w", "Rt4yHb8nQd3s"

MALFORMED = {
    "a line break": f"{_HEAD}\n{_TAIL}",
    "a line break of Windows": f"{_HEAD}\r\n{_TAIL}",
    "a carriage return": f"{_HEAD}\r{_TAIL}",
    "a blank line": f"{_HEAD}\n\n{_TAIL}",
    "three lines": f"{_HEAD}\n{_TAIL}\nJw6cVf5gMz",
    "a tab": f"{_HEAD}\t{_TAIL}",
    "a blank": f"{_HEAD} {_TAIL}",
    "a no-break space": f"{_HEAD}\u00a0{_TAIL}",
    "a zero-width space": f"{_HEAD}\u200b{_TAIL}",
    "a byte order mark": f"\ufeff{_HEAD}{_TAIL}",
    "an escape": f"{_HEAD}\x1b[0m{_TAIL}",
    "a backspace": f"{_HEAD}\x08{_TAIL}",
    "a delete": f"{_HEAD}\x7f{_TAIL}",
    "a line separator": f"{_HEAD}\u2028{_TAIL}",
    "Cyrillic letters": f"sk-схема{_HEAD}",
    "an ellipsis": f"{_HEAD}…{_TAIL}",
    "a typographic dash": f"sk–{_HEAD}{_TAIL}",
    "double quotes": f'"{_HEAD}{_TAIL}"',
    "single quotes": f"'{_HEAD}{_TAIL}'",
    "typographic quotes": f"“{_HEAD}{_TAIL}”",
    "one quote": f'{_HEAD}{_TAIL}"',
    "an accent": f"{_HEAD}é{_TAIL}",
    "a name before it": f"Key: {_HEAD}{_TAIL}",
    "bytes that are no text": f"{_HEAD}\udcff{_TAIL}",
}
"""What is wrong, and the key; all can stand in an environment variable."""

ONE_OF_EACH_SORT = ("a line break", "a blank", "an escape", "a zero-width space", "Cyrillic letters", "double quotes")
"""For tests of one place where a key enters; what is refused is the same everywhere."""


def pieces(key: str) -> list[str]:
    """Each run of six characters of a key, of those that stand in it alone: white space and escapes break it up."""
    return [key[at : at + 6] for at in range(len(key) - 5) if key[at : at + 6].isascii() and key[at : at + 6].isalnum()]


def left_of(key: str, data: bytes | str) -> list[str]:
    """The pieces of a key that are found in some output or file."""
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    return [piece for piece in pieces(key) if piece in text]
