"""Tells the sentences with which programs explain the entries of their menus from what the entries say themselves.

A program describes an entry by a tool tip or a line of its status bar: “Search forwards for the same text” of “Find
Next”, “Change the visibility of the tool bar” of “Toolbar”. Such a sentence has many words beside the one that names
the act, while rules for the texts of controls take every word for an order or an answer. Descriptions in pages, mail,
chat and file managers, where entries act on what is selected, are no such explanations.
"""

from __future__ import annotations

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from operator_console.policy.control_kinds import LONGEST_LABEL
from operator_console.policy.input_places import entries_act
from operator_console.policy.labels_that_only_show import CARRYING_OUT, JOINS
from operator_console.policy.rules import PolicyContext
from operator_console.policy.word_tables import fold, tables

_VAGUE = (*CARRYING_OUT, "saving", "submit", "paste", "files")  # what they carry out is told by what is around them


def mentions(context: PolicyContext, text: str, category: Category) -> bool:
    """Whether a text explains an entry whose name says what it does, and has a verb of the category only somewhere
    inside a sentence, where it may as well be a noun or an adverb: at no end of what is joined by “and”."""
    if not _explains(context, text) or not _says_what_it_does(context.control.name):
        return False
    return not any(_is_act(part, category) for part in JOINS.split(text))


def explains_change(context: PolicyContext, text: str) -> bool:
    """Whether a text explains an entry by the order to change something: that is no answer to who may do what, unless
    the name of the entry is about that."""
    name = context.control.name
    if not _explains(context, text) or not tables().is_at_edge("changing", text):
        return False
    return not any(tables().has(group, name) for group in ("protection", "outward"))


def _explains(context: PolicyContext, text: str) -> bool:
    control = context.control
    if control.role is not Role.MENU_ITEM or control.dialog is not None or entries_act(context):
        return False
    said = {each.strip()[:LONGEST_LABEL] for each in (control.name, control.text, control.label)}
    return bool(control.name.strip()) and text == control.description.strip()[:LONGEST_LABEL] and text not in said


def _says_what_it_does(name: str) -> bool:
    """Whether the name of an entry is made of words that go somewhere, show, arrange or edit, and of no others."""
    if not tables().has("harmless", name) or not tables().is_made_of(("harmless", "small-words"), name):
        return False
    return not tables().in_control(name) and not any(tables().is_exactly(group, name) for group in _VAGUE)


def _is_act(part: str, category: Category) -> bool:
    """Whether a verb of the category begins or ends it, as the act of a sentence does in most languages."""
    folded = fold(part).strip(" .。!…")
    verbs = (words for named, words in tables().in_button(part) if named is category)
    return any(folded.startswith(words) or folded.endswith(words) for words in verbs)
