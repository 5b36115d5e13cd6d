"""Assesses buttons that do not name what they carry out: answers, vague words, and words that no table knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser, is_calculator, is_player
from operator_console.policy.confirmations import confirm_findings, payment_findings
from operator_console.policy.control_kinds import (
    PARAGRAPH,
    Effect,
    Hit,
    declines,
    is_push_button,
    is_search_field,
    keeps_and_opens,
    word_count,
)
from operator_console.policy.findings import Finding, PolicyContext, categorised, named_by, not_known
from operator_console.policy.input_places import dialog_title, entries_act, is_question, questions, risky_if_unknown
from operator_console.policy.labels_that_only_show import (
    CARRYING_OUT,
    names_view,
    only_leaves,
    only_reads,
    parts_joined,
)
from operator_console.policy.surrounding_text import (
    FEW_AMOUNTS,
    about_software,
    acts_in_title,
    amounts,
    asks_consent,
    asks_harmless,
    beside_decline,
    declares,
    edits_publication,
    is_alone,
    is_answer,
    is_of_filter,
    names_in_title,
    outward_around,
    outward_named,
    pays_somebody,
    protects,
    saves_alone,
    secret_beside,
    warns_in_sentence,
    where_unknown_asks,
)
from operator_console.policy.word_tables import fold, includes, tables

_SENTENCE = re.compile(r"[^.!?？！。؟\n]+")
_BEFORE_DASH = re.compile(r"\s[-–—]\s")
_SHORT = 4  # words
_MOST_WORDS_OF_NOUN = 2
_SAVING_OR_VAGUE = ("saving", "vague", "assent", "restoring", "updating")  # “Next” only goes on
_EDITING = ("harmless", "documents", "own-things", "small-words")
_MOST_WORDS_OF_CHANGE = 4
_UNFOLDS = re.compile(r"[▸▾▹▿⏵⏷]\s*\w")  # the sign of a part that is folded away
_SPEED = re.compile(r"\d(?:[.,]\d+)?\s?[×xX](?!\w)")  # of playing: “1.5×”


def _concludes(context: PolicyContext, text: str) -> bool:
    """Whether it opens or sets up something, beside an amount, that is not known to be harmless: “Open deposit”."""
    if not 0 < len(amounts(context)) <= FEW_AMOUNTS or not tables().outside("harmless", text) or only_reads(text):
        return False
    return tables().is_at_edge("concluding", text) and not tables().is_made_of(
        (*_EDITING, "quantities", "appearance", "trifles"), text
    )


def answer_findings(context: PolicyContext, found: Hit, text: str, *, named: bool) -> Iterator[Finding]:
    """What a button carries out that does not name it: a confirmation, or a word that no table knows."""
    if _only_notes(context, text) or _goes_on(context, text):
        return
    exact = tables().is_exactly("confirm", text)
    assents = tables().is_exactly("assent", text)
    if tables().is_exactly("topics", text) and not (exact or assents):
        return
    if exact or assents or (word_count(text) <= _SHORT and tables().has("confirm", text)):
        plain = tables().has("harmless", text)
        yield from confirm_findings(context, sure=exact or assents or not plain)
        if not plain or tables().is_exactly("saving", text):
            yield from named_by("title", acts_in_title(context))
        yield from _submitting_secret(context)
        if is_push_button(context, found) and not named and not exact:
            if tables().has("harmless", text) and _says_more(text):
                yield not_known(context, "unknown-button-anywhere", text)
            yield from _unknown_button_findings(context, text)
        if is_push_button(context, found):
            yield from _consequence_findings(context, text)
        if assents and is_answer(context) and not asks_harmless(context):
            yield not_known(context, "assents")
    elif not named and (not only_leaves(text) or _repeats_title(context, text)):
        yield from _unnamed_findings(context, found, text)


def _goes_on(context: PolicyContext, text: str) -> bool:
    """Whether it only goes to the next step of a dialog in which every sentence that names an act says that it is not
    carried out before a later one."""
    dialog = context.control.dialog
    if dialog is None or not tables().has("nothing-yet", dialog.text) or tables().has("at-once", text):
        return False
    acting = (each for each in _SENTENCE.findall(dialog.text) if tables().in_text(each) or tables().in_button(each))
    if not all(tables().has("nothing-yet", each) for each in acting):
        return False
    named = tables().in_control(text)
    onwards = tables().has("harmless", text) or tables().has("confirm", text)
    return onwards and not named and word_count(text) <= _MOST_WORDS_OF_NOUN


def _only_notes(context: PolicyContext, text: str) -> bool:
    """Whether the button closes what only tells something: “Got it” without a question, a warning or a way out."""
    if not tables().is_exactly("noted", text) or beside_decline(context) or asks_consent(context):
        return False
    asked = any(is_question(part) for part in (dialog_title(context), *questions(context)))
    return context.control.dialog is not None and not asked and not declares(context)


def vague_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """A button that ends or starts something without a word of what (“Done”): what stands around it says it, and
    nothing is known about it where nothing around it is."""
    if not is_push_button(context, found) or is_calculator(context.app, context.title):
        return
    if keeps_and_opens(text):
        yield categorised(Category.DOWNLOAD_RUN, "download-run-by-label", text)
    if not tables().is_exactly("vague", text):
        return
    if is_alone(context):
        yield not_known(context, "unknown-button-anywhere", text)
    elif not is_of_filter(context, text) and (place := outward_around(context)):
        yield not_known(context, "unknown-button", text, place)


def _unnamed_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """A button of which no table says what it carries out, by what stands around it."""
    if _answers(context, found):
        # It may be the yes of a dialog.
        asked = names_in_title(context, text) and warns_in_sentence(context)
        sure = asked or not tables().has("harmless", text)
        yield from confirm_findings(context, sentences=True, sure=sure)
    elif (found.effect is Effect.ACTS or found.boxed) and not tables().has("harmless", text):
        yield from payment_findings(context)
    if not is_push_button(context, found):
        if context.control.role is Role.MENU_ITEM and entries_act(context):
            yield from _unknown_button_findings(context, text)
        return
    if tables().is_exactly("updating", text):
        if context.control.dialog is not None or about_software(context):
            yield categorised(Category.INSTALL, "install-by-label", text)
        yield from _consequence_findings(context, text)
    elif tables().has("harmless", text):
        yield from _submitting_secret(context)
        yield from _setting_findings(context, text)
        if _says_more(text):
            yield not_known(context, "unknown-button-anywhere", text)
        elif _concludes(context, text):
            yield not_known(context, "unknown-button", text, ", ".join(amounts(context)))
    else:
        yield from _unknown_button_findings(context, text)


def _says_more(text: str) -> bool:
    """Whether a text with a word that is harmless also has one, outside of it, that confirms, starts or reaches
    something: “Confirm plan change”, “Update firmware now”."""
    rest = tables().outside("harmless", text)
    if not rest or only_reads(text) or tables().is_made_of(_EDITING, text):
        return False
    if any(not tables().has("harmless", part) and not only_leaves(part) for part in parts_joined(text)):
        return True
    said = (*rest, " ".join(rest))
    return any(tables().is_exactly(group, words) for words in said for group in CARRYING_OUT) or any(
        tables().has(group, said[-1]) for group in ("at-once", "outward")
    )


def _saves_file(context: PolicyContext, text: str) -> bool:
    """Whether it saves a file of the dialog that names it: “Save” in “Save as”."""
    named = _BEFORE_DASH.split(dialog_title(context) or context.title)[0]
    chooses = tables().is_exactly("files", named) and not is_browser(context.app)
    return chooses and (tables().is_exactly("saving", text) or tables().is_exactly("files", text))


def _may_carry_out(text: str) -> bool:
    """Whether a button that saves or changes something may do more than show, decline or open."""
    if word_count(text) > _MOST_WORDS_OF_CHANGE or only_leaves(text) or declines(text) or only_reads(text):
        return False
    if tables().has("reading", text):
        return False
    if not _changes(text) and not tables().has("saving", text):
        return False
    return not tables().has("trifles", text) and not tables().has("documents", text)


def _changes(text: str) -> bool:
    """Whether it changes something that is not known to be a matter of looks: “Change to this plan”."""
    return tables().has("changing", text) and (word_count(text) == 1 or bool(tables().outside("harmless", text)))


def _setting_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """A button that saves, adds or sets something: a matter of protection, by its own words or those of the place, or
    something that others read then."""
    if tables().is_exactly("saving", text) and edits_publication(context):
        yield categorised(Category.POST, "submit-publishes")
    if tables().has("saving", text) and pays_somebody(context):
        yield categorised(Category.PAY, "confirms-payment", ", ".join(amounts(context)))
    own = text if word_count(text) > 1 and tables().has("protection", text) else ""
    if tables().has("saving", text) and (about := own or protects(context)):
        yield categorised(Category.SECURITY, "saves-protection", about)
    yield from _consequence_findings(context, text)


def _consequence_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """A button that confirms, saves or applies where a title or the dialog names what reaches others, costs money, or
    changes the machine."""
    groups = ("saving", *CARRYING_OUT) if not tables().has("harmless", text) else _SAVING_OR_VAGUE
    carries_out = any(tables().is_exactly(group, text) for group in groups) or _may_carry_out(text)
    if _saves_file(context, text) or (tables().is_exactly("saving", text) and saves_alone(context)):
        return  # the rest of the title is the name of a document or a program
    if carries_out and (place := outward_named(context)):
        yield not_known(context, "unknown-button", text, place)


def _unknown_button_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """A word of two letters or more that no table knows: what carries something out is not known to be harmless."""
    plays = is_player(context.app, context.title) and includes(tables().in_label(text), Category.DOWNLOAD_RUN)
    if sum(map(str.isalpha, text)) <= 1 or tables().has("harmless", text) or plays:
        return
    if is_calculator(context.app, context.title) or _SPEED.search(text) or names_view(context, text):
        return
    if _UNFOLDS.match(text) and context.control.dialog is None:
        return
    if place := where_unknown_asks(context):
        yield not_known(context, "unknown-button", text, place)
    elif _may_reach_out(context):
        yield not_known(context, "unknown-button-anywhere", text)


def _may_reach_out(context: PolicyContext) -> bool:
    """Whether what a word that no table knows carries out may reach others or cost money: where it asks something or is
    of a page's menu, where something was written, and where other controls or texts there do."""
    if context.control.dialog is not None or is_alone(context):
        return True
    if context.control.role is Role.MENU_ITEM and is_browser(context.app):
        return True
    if risky_if_unknown(context) or outward_around(context) or context.typed.strip():
        return True
    said = (context.title, *context.control.group, *context.nearby)
    if any(tables().has(group, text) for group in ("recipient", "message", "publication") for text in said):
        return True
    return any(tables().in_field(text) for text in context.nearby if len(text) <= PARAGRAPH)


def _submitting_secret(context: PolicyContext) -> Iterator[Finding]:
    """Signing in, or setting a secret, with a button that does not say so; the box of a search is none."""
    if not is_search_field(context) and (secret := secret_beside(context)):
        yield categorised(Category.LOGIN, "login-by-form", secret)


def _answers(context: PolicyContext, found: Hit) -> bool:
    """Whether it is a button of a dialog, or beside one that declines."""
    if context.control.dialog is not None:
        return found.effect is Effect.ACTS
    if context.control.role is Role.MENU_ITEM:
        return False  # a word that declines is another entry, or stands outside the menu
    return (found.effect is Effect.ACTS or found.boxed) and beside_decline(context)


def _repeats_title(context: PolicyContext, text: str) -> bool:
    """Whether a word that usually only closes is the act that the title of the dialog names: “Leave group”, “Leave”."""
    title = dialog_title(context)
    closes = tables().is_exactly("closing", text) or not tables().is_exactly("safe", text)
    return closes and word_count(title) > word_count(text) and fold(text) in fold(title)
