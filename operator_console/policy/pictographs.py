"""Recognises pictographs that stand on a control in place of a word, as chats and phone-like pages use them."""

from __future__ import annotations

import unicodedata

_ACTS = {
    "delete": "🗑🚮",
    "send": "➤➢➣⮞✈📤📨🛩🛫",
    "lock": "🔒🔓🔏🔐",
    "power": "⏻⏼⏽⭘",
    "call": "📞☎📱📹🎥",
    "pay": "💸💳",
}
"""Words of the English table, with the pictographs that say the same."""
_ARROWS = frozenset("↑⬆▶►➡→➔➜➝➞⏎↵⇧➥🡒🠖⌲")
_WORDS = {sign: word for word, signs in _ACTS.items() for sign in signs}
_JOINED = "\u200d\ufe0e\ufe0f"  # joiner and variation selectors
_PRIVATE_USE = "Co"


def pictograph_word(text: str) -> str:
    """The word that the only pictograph of a text stands for, "" for other texts and pictographs."""
    signs = _signs(text)
    return _WORDS.get(signs, "") if len(signs) == 1 else ""


def is_arrow(text: str) -> bool:
    """Whether the text is nothing but an arrow, with which chats send and pages turn over."""
    return _signs(text) in _ARROWS


def is_icon_font(text: str) -> bool:
    """Whether all characters are of a font of icons, so that it is not known what they show."""
    signs = _signs(text)
    return bool(signs) and all(unicodedata.category(sign) == _PRIVATE_USE for sign in signs)


def _signs(text: str) -> str:
    if len(text) > 8 or text.isalnum():
        return ""
    return "".join(sign for sign in text if not sign.isspace() and sign not in _JOINED)
