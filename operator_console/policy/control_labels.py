"""Assesses the texts on a control by the act that they name, and tells the sentences that only explain an entry.

A program describes an entry of a menu by a tool tip or a line of its status bar: “Search forwards for the same text” of
“Find Next”, “Change the visibility of the tool bar” of “Toolbar”. Such a sentence has many words beside the one that
names the act, while rules for the texts of controls take every word for an order or an answer. Descriptions in pages,
mail, chat and file managers, where entries act on what is selected, are no such explanations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from operator_console.domain.elements import ElementState, Role
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import is_browser, is_dating, is_player, is_shop
from operator_console.policy.confirmations import submit_findings
from operator_console.policy.control_kinds import (
    LONGEST_LABEL,
    PARAGRAPH,
    Effect,
    Hit,
    declines,
    is_push_button,
    is_running_text,
    word_count,
)
from operator_console.policy.file_paths import names_program_file, saved_file_findings
from operator_console.policy.findings import Finding, PolicyContext, categorised, named_by, noteworthy
from operator_console.policy.input_places import dialog_title, entries_act, is_file_chooser, is_terminal_place
from operator_console.policy.labels_that_only_show import (
    CARRYING_OUT,
    JOINS,
    PRICE,
    changes_view,
    chooses_own,
    edits_trifle,
    only_reads,
    only_shows,
)
from operator_console.policy.pasted_text import entry_findings, pasting_findings
from operator_console.policy.phrases import UNSPACED
from operator_console.policy.places_of_files import chooses_for_others
from operator_console.policy.surrounding_text import (
    FEW_AMOUNTS,
    addresses,
    amounts,
    answers_sign_in,
    asks_harmless,
    beside_decline,
    consents_to,
    declares,
    edits_publication,
    is_name_of_secret,
    looks_like_order,
    names_amount,
    names_in_title,
    names_secret,
    overwrites_file,
    protects,
    proves_in_title,
    reads_message,
    secret_beside,
    verbs_asked,
    warns,
    warns_in_title,
)
from operator_console.policy.vague_labels import answer_findings, vague_findings
from operator_console.policy.word_tables import fold, includes, tables

_SHORT = 4  # words
_MOST_WORDS = 9
_RESETS = frozenset((Category.DELETE, Category.SYSTEM))
_NEVER_TRIFLING = frozenset(
    (Category.PAY, Category.SEND, Category.POST, Category.CREDENTIALS, Category.LEGAL, Category.SECURITY)
)
_FILES_NEARBY = 4  # texts, the nearest first
_BESIDE = 3  # texts, the nearest first
_HEARTS = frozenset("❤♥💚💘💖👍")

_VAGUE = (*CARRYING_OUT, "saving", "submit", "paste", "files")  # what they carry out is told by what is around them


def label_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """Findings for one text of a control that acts."""
    running = is_running_text(found, text)
    opens = only_opens(context, text)
    if is_push_button(context, found) or context.control.role is Role.MENU_ITEM:
        yield from _revealing_findings(context, text)
    if only_shows(context, found, text):
        return
    yield from _by_place_findings(context, found, text)
    named = tuple(_named(context, text))
    if not opens:
        yield from named_by("label", (each for each in named if not running or each[0] is Category.LEGAL))
    if running or opens:
        return
    if not named:
        named = tuple(verbs_carried_out(context, found, text))
        yield from named_by("label", named)
    if not named and (changes_view(context, text) or ElementState.COVERING in context.control.states):
        return  # what lies behind an area cannot be what is carried out on it
    if not named and _pays_on(text):
        yield categorised(Category.PAY, "confirms-payment", text)  # “Go on with the payment”
    if not named:
        yield from vague_findings(context, found, text)
    yield from answer_findings(context, found, text, named=bool(named))
    yield from entering_findings(context, text)
    yield from _special_findings(context, text)


def _by_place_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """What a word that is harmless elsewhere, or a number, carries out where people meet, play for money or sign in."""
    likes = text.strip(" \ufe0f") in _HEARTS or tables().is_exactly("liking", text)
    if likes and is_dating(context.app, context.title):
        yield categorised(Category.SEND, "send-by-label", text)
    stakes = tables().is_exactly("staking", text) and is_browser(context.app)
    if stakes and 0 < len(amounts(context)) <= FEW_AMOUNTS:
        yield categorised(Category.PAY, "confirms-payment", ", ".join(amounts(context)))
    if is_push_button(context, found) and (sentence := answers_sign_in(context, text)):
        yield categorised(Category.SECURITY, "security-by-question", sentence)


def _revealing_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """A button that shows or copies a secret, by its own words or by the title."""
    known = only_reads(text) or any(tables().has(group, text) for group in ("reading", "harmless", "taking-out"))
    if not known:
        return
    code = tables().has("codes", text) and tables().is_made_of(("taking-out", "codes", "small-words"), text)
    if includes(tables().in_field(text), Category.CREDENTIALS) or (code and proves_in_title(context)):
        yield categorised(Category.CREDENTIALS, "credentials-by-label", text)
    elif (
        (only_reads(text) or _takes_out(context, text))
        and word_count(text) <= _SHORT
        and (secret := names_secret(context))
        and (context.control.dialog is not None or only_reads(text) or is_name_of_secret(secret))
    ):
        yield categorised(Category.CREDENTIALS, "fills-in-secret", secret)


def _takes_out(context: PolicyContext, text: str) -> bool:
    """Whether a button writes to a file, copies or prints what the place is about, and no part of it: “Export”."""
    return tables().is_made_of(("taking-out", "small-words"), text)


def switching_off_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """Findings for a control that only says that it switches off, on a page or in a window about protection."""
    if context.control.dialog is None and tables().is_exactly("switching-off", text) and (about := protects(context)):
        yield categorised(Category.SECURITY, "saves-protection", about)


def entering_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """A link or a button that leads on to the site, beside the sentence that says what somebody agrees to by that, or
    on a page that warns of the site."""
    if declines(text) or only_reads(text):
        return
    leads = tables().has("entering", text)
    if not (leads or includes(tables().in_button(text), Category.LEGAL)):
        return
    if leads and warns_in_title(context):
        yield Finding(risk=RiskClass.C3, rule="unknown-button", values=(text, "a page that warns"))
    if sentence := declares(context) or consents_to(context):
        yield categorised(Category.LEGAL, "legal-by-question", sentence)


def _named(context: PolicyContext, text: str) -> Iterator[tuple[Category, str]]:
    """The categories of the words on a control; a word for the trash is one for the basket in a shop, in some
    languages."""
    for category, words in tables().in_label(text):
        if category is Category.DOWNLOAD_RUN and word_count(text) == 1 and is_player(context.app, context.title):
            continue  # in some languages, "run" is also "play"
        if category is Category.DELETE and edits_trifle(context, text):
            continue
        if _only_submits(category, text):
            continue
        if category is Category.UPLOAD and chooses_own(context, text):
            continue
        if category in _RESETS and changes_view(context, text):
            continue
        if category is Category.LEGAL and _only_confirms(context, text):
            continue
        basket = category is Category.DELETE and tables().has("harmless", words)
        if not (basket and is_shop(context.app, context.title, context.url)):
            yield category, words


def _only_submits(category: Category, text: str) -> bool:
    """Whether a word for sending or handing in says no more than that a form is submitted: what stands around tells
    whether that reaches somebody (`submit_findings`)."""
    return category in (Category.SEND, Category.UPLOAD) and tables().is_exactly("submit", text)


def _only_confirms(context: PolicyContext, text: str) -> bool:
    """Whether a word for accepting is an OK, as in some languages, in a dialog that only arranges or edits."""
    if context.control.dialog is None or not tables().is_exactly("confirm", text):
        return False
    return asks_harmless(context) and not any(verbs_asked(context))


def _pays_on(text: str) -> bool:
    """Whether it goes on with a payment, whatever was asked: “Continue with payment”."""
    return tables().is_at_edge("keeping", text) and tables().has("paying", text)


def verbs_carried_out(context: PolicyContext, found: Hit, text: str) -> Iterator[tuple[Category, str]]:
    """What a push button or a menu entry carries out, by its verb in any form, its price, or what it protects."""
    acts = found.effect is Effect.ACTS or found.boxed or looks_like_order(context, text)
    if found.effect is Effect.UNKNOWN and word_count(text) <= _SHORT:
        acts = acts or includes(tables().in_button(text), Category.CREDENTIALS)
    if not acts or word_count(text) > _MOST_WORDS:
        return
    plain = tables().has("harmless", text) or tables().is_exactly("topics", text)
    trifling = (tables().has("trifles", text) and not JOINS.search(text)) or changes_view(context, text)
    for named in tables().in_button(text):
        if (named[0] is Category.UPLOAD and chooses_own(context, text)) or _only_submits(named[0], text):
            continue
        if mentions(context, text, named[0]):
            continue
        disk = named[0] is Category.SYSTEM and word_count(named[1]) > 1  # “Quick format”
        if trifling and named[0] not in _NEVER_TRIFLING and not disk:
            continue
        if named[0] is not Category.LEGAL or not _only_confirms(context, text):
            yield named
    if not is_push_button(context, found):
        return
    if PRICE.search(text) or (names_amount(text) and not plain):
        yield Category.PAY, text
    if plain:
        return
    if word_count(text) > 1 and tables().has("protection", text):
        yield Category.SECURITY, text


def _special_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """What a button does by the place it stands in: submitting, pasting into a terminal, opening a file."""
    if tables().is_exactly("confirm", text) or tables().has("submit", text):
        yield from submit_findings(context)
        if is_browser(context.app) and context.control.dialog is None and _beside_message(context):
            yield categorised(Category.SEND, "submit-sends")
    if tables().is_exactly("paste", text):
        yield from pasting_findings(context) if is_terminal_place(context) else entry_findings(context)
    if tables().is_exactly("paste", text) and not is_terminal_place(context) and (secret := secret_beside(context)):
        yield categorised(Category.CREDENTIALS, "credentials-by-field", secret)
    if tables().is_exactly("saving", text):
        yield from saved_file_findings(context)
    if tables().is_exactly("files", text):
        yield from _opening_findings(context)
    if tables().has("closing", text):
        yield noteworthy("closes")
    if tables().has("overwriting", text) and overwrites_file(context):
        yield categorised(Category.DELETE, "overwrites")
    elif tables().has("overwriting", text):
        yield noteworthy("overwrites")
    yield from switching_off_findings(context, text)


def _beside_message(context: PolicyContext) -> bool:
    """Whether a field for a message is the nearest of what stands there."""
    return any(_may_be_field(text) and tables().has("message", text) for text in context.nearby[:1])


def _opening_findings(context: PolicyContext) -> Iterator[Finding]:
    """What a plain Open or Choose gives away or starts."""
    titles = (dialog_title(context), context.title)
    named = tuple(each for title in titles for each in tables().in_control(title))
    uploads = includes(named, Category.UPLOAD, Category.SEND)
    if uploads or (chooses_for_others(context) and is_file_chooser(context)):
        yield categorised(Category.UPLOAD, "chooses-upload")
    if warning := warns(context):
        yield Finding(risk=RiskClass.C3, rule="warned", values=(warning,))
    program = next((text for text in context.nearby[:_FILES_NEARBY] if names_program_file(text)), "")
    if program:
        yield categorised(Category.DOWNLOAD_RUN, "starts-file", program)


def _may_be_field(text: str) -> bool:
    """Whether a text nearby may name a field, rather than be another button that sends."""
    return word_count(text) <= _SHORT and not (tables().in_text(text) or tables().is_exactly("opening", text))


def only_opens(context: PolicyContext, text: str) -> bool:
    """Whether the word opens a form to fill in, or a text to read, and carries nothing out yet."""
    if tables().is_exactly("answering", text) and (reads_message(context) or _is_among_answers(context, text)):
        return True
    if not tables().is_exactly("opening", text) or _is_final(context, text):
        return False
    # In some languages, the words for the basket are those for the trash.
    trash = tables().has("quantities", text) and includes(tables().as_verb(text), Category.DELETE)
    return not trash or is_shop(context.app, context.title, context.url) or bool(amounts(context))


def _is_among_answers(context: PolicyContext, text: str) -> bool:
    """Whether other ways to answer stand beside it, as where a message is read: “Reply”, “Reply all”, “Forward”."""
    if context.control.dialog is not None or context.typed.strip() or beside_decline(context) or addresses(context):
        return False
    # A field for the answer may have the name of one: “Reply” beside “Reply all”.
    own = set(_words_of(text))
    near = (near for near in context.nearby if tables().is_exactly("answering", near))
    return any(own.isdisjoint(_words_of(each)) for each in near)


def _words_of(text: str) -> Iterable[str]:
    """The words of a text; in scripts without spaces, its characters."""
    folded = fold(text)
    return folded if UNSPACED.search(folded) else folded.split()


def _is_final(context: PolicyContext, text: str) -> bool:
    """Whether a word that usually opens a form ("Reply", "Share") carries it out here: the form is filled in."""
    wanted = {category for category, _ in tables().in_label(text)}
    if wanted == {Category.LEGAL}:
        return False  # the name of a text to read
    if context.typed.strip() or context.control.dialog is not None or beside_decline(context):
        return True
    if any(tables().has(kind, group) for kind in ("publication", "recipient") for group in context.control.group):
        return True
    if any(tables().has("publication", near) for near in context.nearby if len(near) <= PARAGRAPH):
        return True
    if any(tables().has("message", near) for near in context.nearby[:_BESIDE] if _may_be_field(near)):
        return True
    if includes(tables().in_label(context.title), *wanted) or edits_publication(context) or addresses(context):
        return True
    return names_in_title(context, text)


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
