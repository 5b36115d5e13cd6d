"""Tells the texts of controls that only show, search, count, play, mark or arrange something, or lead away."""

from __future__ import annotations

import re

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser, is_messenger, is_timer
from operator_console.policy.control_kinds import Hit, is_push_button, word_count
from operator_console.policy.file_paths import names_program_file
from operator_console.policy.findings import PolicyContext
from operator_console.policy.input_places import entries_act, is_question, place_that_sends_or_buys
from operator_console.policy.surrounding_text import (
    amounts,
    asks_consent,
    edits_publication,
    filters,
    is_answer,
    is_of_filter,
    names_amount,
    outward_around,
    outward_named,
    protects,
    secret_beside,
    signs_in,
)
from operator_console.policy.word_tables import includes, tables

_SHORT = 4  # words
_MOST_WORDS = 9
_MOST_WORDS_OF_NOUN = 2
_NAMED = frozenset((Role.BUTTON, Role.TOGGLE_BUTTON, Role.MENU_ITEM))
_FEW = 2  # words
_DOWNLOADS = frozenset((Category.DOWNLOAD_RUN, Category.INSTALL))
JOINS = re.compile(r"[&+/]|\b(?:and|und|et|y|e|i|oraz|en|и|та|й|ve|a|then)\b|\bو|并|且|して|하고", re.IGNORECASE)
CARRYING_OUT = ("confirm", "vague", "assent", "switching-off", "restoring", "updating")
_MORE = re.compile(r"(?:…|\.\.\.|>>|[▾▸▼⏷⌄˅])$")  # a button that opens another dialog or more of this one
_BESIDE = 3  # texts, the nearest first
_NEAREST = 8
_TWO_SIGNS = ("+−", "+-", "+–", "＋－", "‹›", "«»", "<>", "◀▶", "⏮⏭", "▲▼", "❮❯", "⟨⟩")  # less and more, back and on
# Without a currency: “Watch for 3.99”.
PRICE = re.compile(
    r"(?:\b(?:for|für|pour|por|per|a|za|voor|за)|مقابل)\s\d{1,4}[.,]\d{2}(?!\d)|"
    r"(?<!\d)\d{1,4}[.,]\d{2}(?:で|に|에|['’][ae]\b|观看|購入)",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"[^\s/\\]+\.(?:pdf|od[tspg]|docx?|xlsx?|pptx?|rtf|txt|md|csv|tsv|hwpx?|pages|epub|jpe?g|png|gif|svg|webp|tiff?|heic|"
    r"mp[34]|m4a|ogg|flac|wav|mkv|mov|avi|webm|eml|ics|vcf)",
    re.IGNORECASE,
)


def only_shows(context: PolicyContext, found: Hit, text: str) -> bool:
    """Whether it only shows, searches, counts, plays, downloads or arranges something, whatever its words are about."""
    if _asks_reader(context, text) or only_reads(text) or (is_push_button(context, found) and _searches(text)):
        return True
    if _counts(text) or _turns_over(text) or _is_one_of_two_signs(context, text) or _switches_looks(text):
        return True
    if context.control.role in _NAMED and _names_document(text):
        return True
    if downloads_document(context, text) or _changes_quantity(text) or _adds_own(context, text):
        return True
    return _measures_time(context, text) or _plays(context, text)


def _asks_reader(context: PolicyContext, text: str) -> bool:
    """Whether it is a question that unfolds its answer, as on pages of help."""
    return context.control.dialog is None and is_question(text) and word_count(text) >= _SHORT


def _searches(text: str) -> bool:
    """Whether it searches what the other words name, and does nothing else: “Search mail”."""
    words = text.split()
    if not 1 < len(words) <= _SHORT or JOINS.search(text) or names_amount(text) or tables().has("at-once", text):
        return False
    if tables().is_exactly("search", words[0]):
        rest = " ".join(words[1:])
        return {category for category, _ in tables().in_button(rest)} <= {Category.SEND}  # a noun: “mail”
    rest = " ".join(words[:-1])
    return tables().is_exactly("search", words[-1]) and not tables().as_order(rest) and not tables().in_button(rest)


def downloads_document(context: PolicyContext, text: str) -> bool:
    """Whether it downloads something to read, such as an invoice, rather than a program, and does nothing else: by its
    own words, or by the name of what stands beside it."""
    named = tables().in_control(text)
    categories = {category for category, _ in named}
    if names_program_file(text) or Category.DOWNLOAD_RUN not in categories:
        return False
    if tables().has("documents", text):
        return categories == {Category.DOWNLOAD_RUN}
    # To run something has words of the same category, and in some languages to get a program is to download it.
    downloads = categories <= _DOWNLOADS and all(tables().has("taking-out", words) for _, words in named)
    if is_answer(context):
        return False  # in some languages, to upload has the same word
    beside = context.nearby[:_BESIDE]
    documents = any(map(_names_document, beside)) or any(
        word_count(near) <= _MOST_WORDS and tables().has("documents", near) for near in beside[:1]
    )
    return downloads and documents and not any(map(names_program_file, beside))


def _changes_quantity(text: str) -> bool:
    """Whether it brings the basket up to date, and does nothing else: “Update quantity”."""
    if not tables().has("quantities", text) or tables().has("at-once", text) or names_amount(text):
        return False
    verb = " ".join(tables().outside("quantities", text))
    changes = tables().is_exactly("updating", verb) or (word_count(verb) == 1 and tables().has("changing", verb))
    named = {category for category, _ in tables().in_control(text)}
    return changes and named <= {Category.INSTALL}


def _counts(text: str) -> bool:
    """Whether it makes a number of travellers, rooms or pieces larger or smaller: “Increase number of adults”."""
    return _is_only("counting", "counted", text) and not tables().in_control(text)


def _turns_over(text: str) -> bool:
    """Whether it shows the next or the previous one of pictures, pages or days: “Next image”."""
    short = word_count(text) <= _SHORT
    return short and _is_only("turning", "turned", text) and not tables().in_control(text)


def _is_one_of_two_signs(context: PolicyContext, text: str) -> bool:
    """Whether it is no more than one of two signs, and the other stands beside it: “+” and “−”, “‹” and “›”."""
    pairs = (pair for pair in _TWO_SIGNS if text.strip() in pair)
    return any(near.strip() in pair and near.strip() != text.strip() for pair in pairs for near in context.nearby)


def _is_only(verbs: str, things: str, text: str) -> bool:
    """Whether a text is made of words of two groups that are `INDEXED`, of both, and small words."""
    if not (tables().has(verbs, text) and tables().has(things, text)):
        return False
    return tables().is_made_of((verbs, things, "small-words"), text)


def _names_document(text: str) -> bool:
    """Whether it is no more than the name of a file to read or look at, whatever its words are in some language."""
    return bool(_DOCUMENT.fullmatch(text.strip())) and not names_program_file(text)


def _adds_own(context: PolicyContext, text: str) -> bool:
    """Whether it adds to a list, a document or a diary of one's own, and does nothing else: “Add exercise”."""
    if _marks(context, text):
        return True
    if not (tables().is_at_edge("adding", text) and tables().has("own-things", text)) or names_amount(text):
        return False
    if not tables().is_made_of(("adding", "own-things", "small-words"), text) or tables().has("at-once", text):
        return False
    named = tables().in_control(text)
    if (
        any(word_count(words) > 1 or not tables().has("adding", words) for _, words in named)
        or outward_named(context)
        or edits_publication(context)
    ):
        return False
    # Other controls there do not count.
    return not any(tables().has("outward", near) and not tables().as_order(near) for near in context.nearby[:_NEAREST])


def _marks(context: PolicyContext, text: str) -> bool:
    """Whether it marks a message or an entry for oneself, whatever that is about: “Add star”. A number would rate."""
    if any(map(str.isdigit, text)) or not _is_only("adding", "marks", text):
        return False
    return context.control.dialog is None and not edits_publication(context)


def _measures_time(context: PolicyContext, text: str) -> bool:
    """Whether it starts or stops a stop watch, by a plain word."""
    if not is_timer(context.app, context.title) or context.control.dialog is not None or amounts(context):
        return False
    named = {category for category, _ in tables().in_control(text)}
    return word_count(text) <= _MOST_WORDS_OF_NOUN and named <= {Category.DOWNLOAD_RUN, Category.SYSTEM}


def _plays(context: PolicyContext, text: str) -> bool:
    """Whether it plays what is listened to or watched, where nothing has a price: “Listen live”."""
    return _is_only("playing", "broadcasts", text) and context.control.dialog is None and not amounts(context)


def _switches_looks(text: str) -> bool:
    """Whether it switches on or off what is there to look or listen to: “Turn off subtitles”."""
    return _is_only("switching", "looks", text)


def chooses_own(context: PolicyContext, text: str) -> bool:
    """Whether a program that sends nothing opens a dialog to choose what it adds: “Add picture…”."""
    if is_browser(context.app) or is_messenger(context.app, context.title, context.url):
        return False
    return bool(_MORE.search(text.strip())) and tables().is_at_edge("adding", text) and not outward_around(context)


def edits_trifle(context: PolicyContext, text: str) -> bool:
    """Whether an entry of a program's menu removes no more than a form of what is edited, such as “Remove bold”."""
    entry = context.control.role is Role.MENU_ITEM and context.control.dialog is None
    return entry and not entries_act(context) and tables().has("trifles", text) and not JOINS.search(text)


def changes_view(context: PolicyContext, text: str) -> bool:
    """Whether a control takes back no more than filters or a form of text: “Clear filters”, or “Clear all” among
    filters."""
    if tables().is_at_edge("appearance", text) or is_of_filter(context, text):
        return True
    return context.control.dialog is None and word_count(text) <= _MOST_WORDS_OF_NOUN and filters(context)


def only_reads(text: str) -> bool:
    """Whether a control shows, reads or follows something, and no more: “Show deleted lines”, “Track shipment”."""
    if word_count(text) > _MOST_WORDS or not tables().has("reading", text) or _joins_act(text):
        return False
    named = tables().in_control(text)
    priced = names_amount(text) or PRICE.search(text)
    return not includes(named, Category.CREDENTIALS) and not priced and not tables().has("at-once", text)


def _joins_act(text: str) -> bool:
    """Whether a text that shows something may also name an act: “View and sign”, not “Show dates and other places”."""
    if not JOINS.search(text):
        return False
    first, *others = parts_joined(text) or ("",)
    if word_count(first) < _FEW or not others or any(word_count(part) < _FEW for part in others):
        return True
    groups = (*CARRYING_OUT, "saving", "files")
    return any(
        tables().in_control(part)
        or any(
            tables().has(group, part)
            for group in ("at-once", "changing", "ending", "paying", "switching", "concluding")
        )
        or any(tables().as_order(word) for word in part.split())
        or any(tables().is_exactly(group, word) for group in groups for word in part.split())
        for part in others
    )


def parts_joined(text: str) -> tuple[str, ...]:
    """The parts of a text that joins two acts (“Review and join”), none if it does not."""
    parts = tuple(part.strip() for part in JOINS.split(text))
    return tuple(filter(None, parts)) if len(parts) > 1 else ()


def names_view(context: PolicyContext, text: str) -> bool:
    """Whether it only names a view, a filter or something to read, where nobody is asked for an answer or a secret."""
    named = tables().is_exactly("nouns", text) or _names_span(context, text) or _is_one_of_all(context, text)
    if not named or is_answer(context) or asks_consent(context):
        return False
    return not (signs_in(context) or secret_beside(context) or protects(context))


def _names_span(context: PolicyContext, text: str) -> bool:
    """Whether it names a span of time that is shown, where nothing is sold, sent or asked: “Last 6 hours”."""
    words = re.sub(r"\d+", " ", text)
    if not tables().has("time-spans", words) or not tables().is_made_of(("time-spans", "small-words"), words):
        return False
    several = words != text or word_count(text) > 1
    return several and not amounts(context) and not place_that_sends_or_buys(context)


def _is_one_of_all(context: PolicyContext, text: str) -> bool:
    """Whether it is a short entry of a menu that chooses which entries of a list are shown, as one says “All”."""
    if context.control.role is not Role.MENU_ITEM or word_count(text) > _FEW or place_that_sends_or_buys(context):
        return False
    return any(tables().is_exactly("everything", near) for near in context.nearby)


def only_leaves(text: str) -> bool:
    """Whether a button only declines, closes, or opens something else."""
    groups = ("safe", "closing", "search", "files", "opening", "topics")
    return any(tables().is_exactly(group, text) for group in groups) or bool(_MORE.search(text.strip()))
