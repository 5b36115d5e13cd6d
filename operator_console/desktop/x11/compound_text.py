"""Decodes the texts of X11 properties of the type COMPOUND_TEXT, such as the titles of xterm. Pure.

Source: Compound Text Encoding, version 1.1 (X Consortium Standard, X11 release 6). A text is cut into runs by escape
sequences, each of which names the character set of the bytes below or above 0x80 that follow.
"""

from __future__ import annotations

import re

_LATIN_1 = "iso8859-1"
_HIGH = {
    b"\x1b-A": _LATIN_1, b"\x1b-B": "iso8859-2", b"\x1b-C": "iso8859-3", b"\x1b-D": "iso8859-4", b"\x1b-F": "iso8859-7",
    b"\x1b-G": "iso8859-6", b"\x1b-H": "iso8859-8", b"\x1b-L": "iso8859-5", b"\x1b-M": "iso8859-9",
    b"\x1b-T": "iso8859-11", b"\x1b-V": "iso8859-10", b"\x1b-Y": "iso8859-13", b"\x1b-_": "iso8859-14",
    b"\x1b-b": "iso8859-15", b"\x1b-f": "iso8859-16", b"\x1b)I": "shift_jis",
    b"\x1b$)A": "gb2312", b"\x1b$)B": "euc_jp", b"\x1b$)C": "euc_kr",
}  # fmt: skip
"""Codecs for the bytes above 0x80. Half-width katakana have the same numbers in Shift JIS."""
_LOW = {
    b"\x1b(B": "ascii", b"\x1b(J": "ascii", b"\x1b$(A": "gb2312", b"\x1b$(B": "euc_jp", b"\x1b$(C": "euc_kr",
}  # fmt: skip
"""Codecs for the bytes below 0x80; those of two bytes a character know them with the high bit set."""
_UTF_8, _UTF_8_END = b"\x1b%G", b"\x1b%@"
_TO_HIGH = bytes(byte | 0x80 for byte in range(256))
_ESCAPE = re.compile(rb"(\x1b[\x20-\x2f]+[\x30-\x7e])")
_RUN = re.compile(rb"[\x00-\x20]+|[\x21-\x7f]+|[\x80-\xff]+")


def decode(text: bytes) -> str:
    """The text. Characters of other sets become U+FFFD; a text without escape sequences is Latin-1."""
    low: str | None = "ascii"
    high: str | None = _LATIN_1
    utf_8 = False
    parts: list[str] = []
    for piece in _ESCAPE.split(text):
        if _ESCAPE.fullmatch(piece):
            utf_8 = piece == _UTF_8
            if piece in _HIGH:
                high = _HIGH[piece]
            elif piece in _LOW:
                low = _LOW[piece]
            elif piece.startswith((b"\x1b-", b"\x1b)", b"\x1b$)")):
                high = None
            elif piece not in (_UTF_8, _UTF_8_END):
                low = None
        elif utf_8:
            parts.append(piece.decode("utf-8", "replace"))
        else:
            parts += (_decode_run(run, low, high) for run in _RUN.findall(piece))
    return "".join(parts)


def _decode_run(run: bytes, low: str | None, high: str | None) -> str:
    if run[0] <= 0x20:
        return run.decode("ascii")
    codec = high if run[0] >= 0x80 else low
    if codec is None:
        return "\ufffd"
    if run[0] < 0x80 and codec != "ascii":
        run = run.translate(_TO_HIGH)
    return run.decode(codec, "replace")
