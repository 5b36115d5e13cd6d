"""What rules may conclude about the control that an action hits: how it acts, what all of it says, if that is known.

A pictograph that stands in place of a word, as chats and phone-like pages use them, counts as that word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.elements import Control, ControlSource, ElementState, Role, TextKnowledge
from operator_console.policy.findings import PolicyContext
from operator_console.policy.word_tables import fold, tables

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


class Effect(StrEnum):
    """What a press on a control does."""

    ACTS = "acts"
    """It carries something out: a button, a menu entry, a switch."""
    CHOOSES = "chooses"
    """It sets an option that another control carries out: a check box, a radio button."""
    LEADS = "leads"
    """It goes to another page: a link."""
    SELECTS = "selects"
    """It usually selects: a list item, a cell, a tab, plain text. Some act; then their whole text is an order."""
    NOTHING = "nothing"
    """It takes the focus or opens: a field, a menu, a heading, a scroll bar."""
    UNKNOWN = "unknown"
    """The kind of control is not known."""


_ACTING = frozenset((Role.BUTTON, Role.TOGGLE_BUTTON, Role.SWITCH, Role.MENU_ITEM))
_CHOOSING = frozenset((Role.CHECK_BOX, Role.RADIO_BUTTON))
_SELECTING = frozenset((
    Role.LIST_ITEM, Role.TREE_ITEM, Role.CELL, Role.TAB, Role.LABEL, Role.PARAGRAPH, Role.IMAGE, Role.STATUS_BAR,
))  # fmt: skip
_PAINTED = frozenset((Role.GROUP, Role.IMAGE, Role.LABEL, Role.PARAGRAPH, Role.UNKNOWN))
_COUNTING = frozenset((Role.SLIDER, Role.SPIN_BUTTON))
_FIELDS = frozenset((Role.TEXT_FIELD, Role.SEARCH_FIELD, Role.PASSWORD_FIELD, Role.COMBO_BOX, Role.SPIN_BUTTON))
_INERT = _FIELDS | frozenset((
    Role.HEADER, Role.HEADING, Role.MENU, Role.PROGRESS_BAR, Role.SCROLL_BAR, Role.SEPARATOR, Role.SLIDER,
    Role.TERMINAL, Role.TOOL_TIP,
))  # fmt: skip
# Everything else holds other controls: what lies at a point inside it is known only by its text there.

PARAGRAPH = 90
"""Characters. A longer text is a paragraph rather than the text of a control."""
LONGEST_LABEL = 2_000
"""Characters of a text that are searched for words."""

_MOST_WORDS = 5  # of a text without a box around it that can be an order; more are a line of running text
_ENDS_SENTENCE = (".", ":", "。", "؟", "?", "？")
_COMMA = re.compile(r"[,，、،;]")
_WORDS_OF_TWO_ACTS = 3
_VERBAL = re.compile(r"(?<=\w)(?:を?する|を?します|하기|합니다)$")
_NO_PUSH_BUTTONS = frozenset((Role.MENU_ITEM, Role.TOGGLE_BUTTON, Role.SWITCH))
_TALLEST_BUTTON, _WIDEST_BUTTON = 72, 480  # native pixels
_MARK_PX = 48  # a box this small, without text, is a check box or an icon
_UPRIGHT = 1.25  # height of a box in its widths: check boxes, switches and icons are not higher
_CHARACTERS_A_WORD = 3  # in scripts without spaces
_LOOSE_SYLLABLE = re.compile(r"(?<=(?<![가-힣])[가-힣]) (?=[가-힣])")  # OCR spaces Korean out
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f\u0e00-\u0e7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """The control that is hit, as rules see it.

    Attributes:
        effect: what a press on it does.
        texts: everything it says, without duplicates.
        known: whether that is all it says; if not, `texts` may lack what matters.
        boxed: whether its extent is known, so that `texts` is the text of the whole control.
        icon: what a recognised icon stands for, "" otherwise.
    """

    effect: Effect
    texts: tuple[str, ...]
    known: bool
    boxed: bool
    icon: str = ""


def hit(context: PolicyContext) -> Hit:
    """The control of `context.control`; where it is a container or not known, the text at the target."""
    control = context.control
    effect = effect_of(control)
    said: tuple[str, ...]
    read = control.knowledge is TextKnowledge.READ
    if control.source is ControlSource.PICTURE:
        said, known = (_LOOSE_SYLLABLE.sub("", control.text), control.icon), read
        if not control.text and control.label:
            effect = Effect.NOTHING  # an empty box with a text beside it: a field
    elif effect is Effect.UNKNOWN:
        label = control.text or context.label if control.source is ControlSource.NONE else context.label
        said = (label, control.icon)
        known = read or bool(label) or (context.read and control.knowledge is not TextKnowledge.UNREADABLE)
    elif takes_text(control):
        said, known = (control.name, control.label, control.description), read
    else:
        said, known = (control.name, control.text, control.label, control.description, control.icon), read
    texts = tuple(text.strip()[:LONGEST_LABEL] for text in said if text.strip() and not is_icon_font(text))
    return Hit(
        effect=effect,
        texts=tuple(dict.fromkeys((*texts, *filter(None, map(pictograph_word, texts))))),
        known=known,
        boxed=control.extent is not None and (effect is not Effect.UNKNOWN or control.source is ControlSource.PICTURE),
        icon=control.icon,
    )


def effect_of(control: Control) -> Effect:
    """What a press on the control does, by its role; UNKNOWN for containers too."""
    role = control.role
    if ElementState.EXPANDABLE in control.states and role in _ACTING:
        # It opens a menu; a button of two parts may act as well.
        return Effect.NOTHING if role is Role.MENU_ITEM else Effect.SELECTS
    if role in _ACTING:
        return Effect.ACTS
    if role in _CHOOSING:
        return Effect.CHOOSES
    if role is Role.LINK:
        return Effect.LEADS
    if ElementState.EDITABLE in control.states or role in _INERT:
        return Effect.NOTHING
    if is_painted_button(control):
        return Effect.ACTS
    return Effect.SELECTS if role in _SELECTING else Effect.UNKNOWN


def is_closed_choice(control: Control) -> bool:
    """Whether one of its options is chosen, and no text can be written: a combo box that is no field."""
    return control.role is Role.COMBO_BOX and ElementState.EDITABLE not in control.states


def changed_by_wheel(control: Control) -> bool:
    """Whether the wheel changes what it holds, as arrow keys do."""
    return counts(control) or control.role is Role.COMBO_BOX


def counts(control: Control) -> bool:
    """Whether it is a slider, or a field that counts up and down."""
    return control.role in _COUNTING


def is_painted_button(control: Control) -> bool:
    """Whether a page has made a button of a short text, or of nothing but an icon, without saying so."""
    if not control.pressable or control.role not in _PAINTED:
        return False
    said = control.says.strip()
    return word_count(said) <= _MOST_WORDS and not said.endswith(_ENDS_SENTENCE)


def takes_text(control: Control) -> bool:
    """Whether what is typed there becomes the control's text."""
    return control.role in _FIELDS or ElementState.EDITABLE in control.states


def content_of(control: Control) -> str:
    """What a field holds, as far as the application tells it."""
    return control.value or control.text


def is_multi_line(control: Control) -> bool:
    """Whether Enter starts a new line there."""
    return takes_text(control) and ElementState.MULTI_LINE in control.states


def is_search_field(context: PolicyContext) -> bool:
    """Whether the field searches, by its role or its name."""
    control = context.control
    if control.role is Role.SEARCH_FIELD:
        return True
    if control.role not in (Role.UNKNOWN, Role.TEXT_FIELD, Role.COMBO_BOX):
        return False
    names = (control.name, control.label, control.description) if takes_text(control) else (context.label,)
    named = [name for name in names if name and len(name) <= PARAGRAPH]
    return any(tables().has("search", name) for name in named) and not any(
        tables().has(group, name) for name in named for group in ("recipient", "publication")
    )


def is_safe(found: Hit) -> bool:
    """Whether all that the control says are words that decline, and nothing about it is unknown."""
    return found.known and bool(found.texts) and all(declines(text) for text in found.texts)


def declines(text: str) -> bool:
    """Whether a text of a control is a way out that changes nothing: “Cancel”, or “Keep my account” without an act."""
    parts = [part for part in _COMMA.split(text) if part.strip()]
    if all(_is_no(part) for part in parts or (text,)):  # “No, go back”
        return True
    if word_count(text) > _MOST_WORDS or not tables().has("declining", text):
        return False
    if keeps_and_opens(text) or tables().is_exactly("saving", text):
        return False
    if tables().has("keeping", text) and tables().has("paying", text):  # “Go on with the payment”
        return False
    if tables().has("keeping", text) and tables().has("ending", text):  # “Keep mine and cancel the others”
        return False
    return not (tables().in_label(text) or tables().in_button(text) or tables().has("at-once", text))


def _is_no(text: str) -> bool:
    """Whether it is a word that declines, also with the ending that makes a verb of it: “拒否”, “拒否する”. A verb for
    ending something may be what is asked."""
    if tables().is_exactly("safe", text):
        return True
    noun = _VERBAL.sub("", text.strip())
    return noun != text.strip() and tables().is_exactly("safe", noun) and not tables().has("ending", text)


def keeps_and_opens(text: str) -> bool:
    """Whether a text says to keep something and to open it: “Keep and open”."""
    if word_count(text) < _WORDS_OF_TWO_ACTS or not tables().has("declining", text):
        return False
    return any(tables().is_exactly("files", word) for word in text.split())


def undoes(text: str) -> bool:
    """Whether a menu entry takes back or repeats what it names: “Undo: Delete layer”."""
    before, colon, _ = text.replace("：", ":").partition(":")
    return bool(colon) and tables().is_exactly("undoing", before)


def is_mark(context: PolicyContext) -> bool:
    """Whether it looks like a check box: a small box without text that is not upright, or a place without text and
    box."""
    control = context.control
    if effect_of(control) is not Effect.UNKNOWN or context.label:
        return False
    return control.source is not ControlSource.PICTURE or control.extent is None or _small(control)


def is_running_text(found: Hit, text: str) -> bool:
    """Whether the text is a paragraph, or a line without a box around it that is too long for an order."""
    if len(text) > PARAGRAPH:
        return True
    return found.effect is Effect.UNKNOWN and not found.boxed and word_count(text) > _MOST_WORDS


def word_count(text: str) -> int:
    """Words of a text; estimated in scripts without spaces."""
    unspaced = len(_UNSPACED.findall(text))
    return len(fold(_UNSPACED.sub(" ", text)).split()) + -(-unspaced // _CHARACTERS_A_WORD)


def _small(control: Control) -> bool:
    box = control.extent
    return box is not None and box.width <= _MARK_PX and box.height <= min(_MARK_PX, _UPRIGHT * box.width)


def is_push_button(context: PolicyContext, found: Hit) -> bool:
    if found.effect is Effect.ACTS:
        return context.control.role not in _NO_PUSH_BUTTONS
    return found.effect is Effect.UNKNOWN and found.boxed and _has_size_of_button(context)


def _has_size_of_button(context: PolicyContext) -> bool:
    """Whether the box that the picture shows is one that buttons have; others hold lists, cards and pictures."""
    extent = context.control.extent
    return extent is not None and extent.height <= _TALLEST_BUTTON and extent.width <= _WIDEST_BUTTON


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
