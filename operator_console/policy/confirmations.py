"""Assesses what OK, Yes or Submit confirms, by the question, the warning, the amounts and the recipients beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import is_messenger, is_money_place, is_software_store, names_money
from operator_console.policy.control_kinds import LONGEST_LABEL, PARAGRAPH, word_count
from operator_console.policy.findings import Finding, PolicyContext, categorised, named_by, not_known
from operator_console.policy.input_places import dialog_title, is_question, questions
from operator_console.policy.surrounding_text import (
    FEW_AMOUNTS,
    amounts,
    asks_consent,
    asks_harmless,
    declares,
    is_answer,
    names_amount,
    names_terms,
    pays_somebody,
    protects,
    verbs_asked,
    warns,
)
from operator_console.policy.word_tables import includes, tables

_SHORT_TITLE = 4  # words
_SHORT_QUESTION = 160  # characters
_NEAREST = 8  # texts near the control, the nearest first
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b|[•*xX]{2,}\s?\d{3,4}\b|\b\d{8,26}\b")


def confirm_findings(context: PolicyContext, *, sentences: bool = False, sure: bool = True) -> Iterator[Finding]:
    """What a plain OK, Yes or Submit confirms, according to the dialog, or the title and the texts nearby.

    Args:
        context: the context of the press.
        sentences: of the texts nearby, only sentences count: it is not certain that the control answers them.
        sure: the control may well confirm; otherwise only plain words of the dialog count.
    """
    asked = questions(context, sentences=sentences)
    title = dialog_title(context)
    for text in asked:
        # A short question and a dialog's title name the act itself, as a control does.
        asks = len(text) <= _SHORT_QUESTION and (text == title or is_question(text))
        named = tables().in_label(text) if asks else (*tables().in_text(text), *tables().as_order(text))
        # Terms and policies are named at the foot of every page.
        counted = (each for each in named if each[0] is not Category.LEGAL or is_answer(context) or asks)
        yield from named_by("question", counted)
    if sure:
        yield from _place_findings(context)
        yield from _consent_findings(context)
    around = (*asked, *context.nearby)
    found = amounts(context)
    if (sure and _moves_money(context, around, count=len(found))) or pays_somebody(context):
        yield categorised(Category.PAY, "confirms-payment", ", ".join(found) or context.title)
    elif sure and is_money_place(context.app, context.title, context.url) and not asks_harmless(context):
        yield not_known(context, "assents")


def submit_findings(context: PolicyContext) -> Iterator[Finding]:
    """`send` or `post` if the target, the title, the form or the intent names a recipient or a publication."""
    said = (context.label, context.control.name, context.title, context.intent, *context.control.group)
    if any(tables().has("publication", text) for text in said):
        yield categorised(Category.POST, "submit-publishes")
    elif any(tables().has("recipient", text) for text in said) or (
        is_messenger(context.app, context.title, context.url) and not _only_arranges(context)
    ):
        yield categorised(Category.SEND, "submit-sends")


def _only_arranges(context: PolicyContext) -> bool:
    """Whether a plain OK in a messenger answers how it looks: a way out and a choice of looks stand there."""
    if not tables().is_exactly("confirm", context.label) or context.typed.strip() or not is_answer(context):
        return False
    near = [text for text in context.nearby[:_NEAREST] if word_count(text) <= _SHORT_TITLE]
    if any(tables().has("message", text) or tables().has("recipient", text) for text in near):
        return False
    return any(tables().is_made_of(("looks", "small-words"), text) for text in (dialog_title(context), *near) if text)


def payment_findings(context: PolicyContext) -> Iterator[Finding]:
    """`pay` for a button that no table knows, on a page whose title speaks of paying, with few amounts beside it."""
    found = amounts(context)
    pays = includes(tables().in_label(context.title), Category.PAY)
    if 0 < len(found) <= FEW_AMOUNTS and (pays or names_money(context.title)):
        yield categorised(Category.PAY, "confirms-payment", ", ".join(found))


def _place_findings(context: PolicyContext) -> Iterator[Finding]:
    """What is confirmed by the verbs, the warning or the subject of the dialog, window or page."""
    if is_answer(context):
        yield from named_by("question", verbs_asked(context))
    if warning := warns(context):
        yield Finding(risk=RiskClass.C3, rule="warned", values=(warning,))
    if about := protects(context):
        yield categorised(Category.SECURITY, "saves-protection", about)
    if is_software_store(context.app, context.title):
        yield categorised(Category.INSTALL, "install-by-place")


def _consent_findings(context: PolicyContext) -> Iterator[Finding]:
    """Consent by an OK or Finish on a page: to a notice about cookies, or to the sentence that declares something."""
    if context.control.dialog is not None:
        return
    if sentence := declares(context):
        yield categorised(Category.LEGAL, "legal-by-question", sentence)
    elif about := names_terms(context):
        yield categorised(Category.LEGAL, "legal-by-question", about)
    elif asks_consent(context):
        yield categorised(Category.LEGAL, "legal-by-question", "cookies")


def _moves_money(context: PolicyContext, around: tuple[str, ...], *, count: int) -> bool:
    """Whether what is confirmed moves money: an amount with an account or a recipient beside it, or a place or a title
    that speaks of payment. Many amounts are a list."""
    titles = (dialog_title(context), context.title)
    if any(names_money(title) and word_count(title) <= _SHORT_TITLE for title in titles):
        return True
    if not 0 < count <= FEW_AMOUNTS:
        return False
    if any(names_money(text) for text in around):
        return True
    short = (text for text in around if len(text) <= PARAGRAPH)
    if any(names_amount(text) and includes(tables().in_button(text), Category.PAY) for text in short):
        return True
    return any(_ACCOUNT.search(text[:LONGEST_LABEL]) or tables().has("recipient", text) for text in around)
