"""Assesses what usually selects or leads elsewhere, but acts if its text is an order: entries, links, drawn text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser
from operator_console.policy.confirmations import confirm_findings
from operator_console.policy.control_kinds import Hit, word_count
from operator_console.policy.control_labels import only_opens, verbs_carried_out
from operator_console.policy.findings import Finding, PolicyContext, categorised, named_by
from operator_console.policy.input_places import is_question
from operator_console.policy.labels_that_only_show import downloads_document, only_reads
from operator_console.policy.surrounding_text import (
    MOST_WORDS_OF_ORDER,
    asks_consent,
    is_of_filter,
    looks_like_order,
    masks_secret,
)
from operator_console.policy.word_tables import fold, includes, tables

_SHORT = 4  # words
_MOST_WORDS = 9
_MOST_WORDS_OF_NOUN = 2
_FEW_ENTRIES = 2
_PLACES = frozenset((Category.SECURITY, Category.SYSTEM))
# What an entry or a link of a page carries out if its whole text is a verb with its object. Other verbs name pages.
_BY_WHOLE_VERB = frozenset((Category.DELETE, Category.PAY, Category.SECURITY, Category.CREDENTIALS))
_NEAREST = 8
_OPTION = re.compile(r"(?:-\w,? )?--[a-z][\w-]*(?:[= ]\S+)?")  # of a command, as manuals list them


def order_findings(
    context: PolicyContext, found: Hit, *, apart: frozenset[Category] = frozenset()
) -> Iterator[Finding]:
    """Findings for what usually selects, but acts if its whole text is an order: "Delete" in a list that is a menu.

    Args:
        context: the context of the press.
        found: the control.
        apart: categories whose words do not count, because they name places there.
    """
    place = context.control.role in (Role.LIST_ITEM, Role.TREE_ITEM, Role.TAB)
    for text in found.texts:
        if only_opens(context, text) or downloads_document(context, text):
            continue
        if not _OPTION.fullmatch(text) and not is_of_filter(context, text):
            noun = place and word_count(text) <= _MOST_WORDS_OF_NOUN
            verbs = tables().in_button(text) if noun else ()
            orders = (each for each in tables().as_order(text) if each[0] not in apart)
            # A place in a list of settings is named by a noun, such as “Firewall”.
            yield from named_by(
                "label",
                (each for each in orders if not noun or each[0] not in _PLACES or includes(verbs, each[0])),
            )
            if is_browser(context.app) and not tables().is_exactly("trash", text):
                yield from named_by("label", (each for each in tables().as_verb(text) if each[0] in _BY_WHOLE_VERB))
                yield from named_by("label", _ordered_of_this(text))
                if _is_in_menu(context):
                    yield from named_by("label", _ordered(text))
        if is_browser(context.app) and context.control.role is not Role.CELL and _is_saved_secret(context, text):
            yield categorised(Category.CREDENTIALS, "fills-in-secret")


def _ordered_of_this(text: str) -> Iterator[tuple[Category, str]]:
    """What a text orders for what is shown or chosen there, as headlines do not: “Delete this repository”."""
    if tables().has("pointed", text) and not only_reads(text):
        yield from _ordered(text)


def _is_in_menu(context: PolicyContext) -> bool:
    """Whether an entry of a page stands among words of a menu (“Edit”, “Copy link”): some are lists, or links without
    an address."""
    entry = context.control.role is Role.LIST_ITEM or (
        context.control.role is Role.LINK and not context.control.link.strip()
    )
    beside = {near for near in context.nearby[:_NEAREST] if word_count(near) <= _MOST_WORDS_OF_NOUN}
    acts = (near for near in beside if tables().has("harmless", near) or tables().as_order(near))
    return entry and len(tuple(acts)) >= _FEW_ENTRIES


def _ordered(text: str) -> Iterator[tuple[Category, str]]:
    """What a short text orders by a verb at its start or end."""
    if word_count(text) > MOST_WORDS_OF_ORDER or is_question(text):
        return
    bare = fold(text)
    for category, words in tables().in_button(text):
        if category in _BY_WHOLE_VERB and (bare.startswith(words) or bare.endswith(words)):
            yield category, words


def painted_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    """Findings for text that a page has drawn as a button, without saying so: a short order where much acts."""
    for text in found.texts:
        if looks_like_order(context, text) and not only_opens(context, text):
            verbs = verbs_carried_out(context, found, text)
            counted = (each for each in verbs if each[0] is not Category.LEGAL or asks_consent(context))
            yield from named_by("label", counted)
            if word_count(text) <= _SHORT and tables().has("confirm", text):
                yield from confirm_findings(context, sure=not tables().has("harmless", text))


def drawn_cell_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    """Findings for a cell with a box of its own around it: a page may have made buttons of the cells of a table."""
    for text in found.texts:
        if word_count(text) <= MOST_WORDS_OF_ORDER and not tables().has("harmless", text):
            yield from named_by("label", (each for each in tables().in_button(text) if each[0] in _BY_WHOLE_VERB))


def mixed_orders_findings(found: Hit) -> Iterator[Finding]:
    """Findings for an entry that only holds other controls ("Browse Empty Drop"): it is not known which one is hit."""
    for text in found.texts:
        if word_count(text) <= _SHORT:
            orders = [order for word in text.split() for order in tables().as_order(word)]
            yield from named_by("label", orders if len(orders) > 1 else ())


def _is_saved_secret(context: PolicyContext, text: str) -> bool:
    """Whether an entry offers to fill in what a browser has saved: by its dots, or because it says so."""
    if masks_secret(text):
        return True
    entry = context.control.role is Role.LIST_ITEM and word_count(text) <= _MOST_WORDS
    return entry and includes(tables().in_button(text), Category.CREDENTIALS)
