"""Assesses the texts on a control: the act that a text names, or the one it carries out without naming it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import (
    is_browser,
    is_calculator,
    is_dating,
    is_file_manager,
    is_messenger,
    is_player,
    is_shop,
    is_timer,
)
from operator_console.policy.confirmations import confirm_findings, payment_findings, submit_findings
from operator_console.policy.control_kinds import (
    PARAGRAPH,
    Effect,
    Hit,
    declines,
    is_running_text,
    keeps_and_opens,
    word_count,
)
from operator_console.policy.file_paths import names_program_file
from operator_console.policy.input_places import (
    dialog_title,
    is_file_chooser,
    is_question,
    is_terminal_place,
    place_that_sends_or_buys,
    questions,
    risky_if_unknown,
)
from operator_console.policy.phrase_index import UNSPACED
from operator_console.policy.rules import Finding, PolicyContext, categorised, named_by, noteworthy
from operator_console.policy.saved_files import saved_file_findings
from operator_console.policy.surrounding_text import (
    FEW_AMOUNTS,
    about_software,
    acts_in_title,
    addresses,
    amounts,
    answers_sign_in,
    asks_consent,
    asks_harmless,
    beside_decline,
    consents_to,
    declares,
    edits_publication,
    filters,
    is_alone,
    is_answer,
    is_name_of_secret,
    is_of_filter,
    names_amount,
    names_in_title,
    names_secret,
    outward_around,
    outward_named,
    overwrites_file,
    pays_somebody,
    protects,
    proves_in_title,
    reads_message,
    saves_alone,
    secret_beside,
    signs_in,
    verbs_asked,
    warns,
    warns_in_sentence,
    warns_in_title,
    where_unknown_asks,
)
from operator_console.policy.word_tables import fold, includes, tables

_MASKED = re.compile(r"[•●∙·*＊∗]{3,}")
_SENTENCE = re.compile(r"[^.!?？！。؟\n]+")
_BEFORE_DASH = re.compile(r"\s[-–—]\s")
_SHORT = 4  # words
_MOST_WORDS = 9
_MOST_WORDS_OF_NOUN = 2
_NAMED = frozenset((Role.BUTTON, Role.TOGGLE_BUTTON, Role.MENU_ITEM))
_FEW_ENTRIES = 2
_FEW = 2  # words
_PLACES = frozenset((Category.SECURITY, Category.SYSTEM))
_DOWNLOADS = frozenset((Category.DOWNLOAD_RUN, Category.INSTALL))
_RESETS = frozenset((Category.DELETE, Category.SYSTEM))
_JOINS = re.compile(r"[&+/]|\b(?:and|und|et|y|e|i|oraz|en|и|та|й|ve|a|then)\b|\bو|并|且|して|하고", re.IGNORECASE)
MOST_WORDS_OF_ORDER = 5
"""Words of a text that may be an order although it is not known to be on a button."""
_NEVER_TRIFLING = frozenset(
    (Category.PAY, Category.SEND, Category.POST, Category.CREDENTIALS, Category.LEGAL, Category.SECURITY)
)
# What an entry or a link of a page carries out if its whole text is a verb with its object. Other verbs name pages.
_BY_WHOLE_VERB = frozenset((Category.DELETE, Category.PAY, Category.SECURITY, Category.CREDENTIALS))
_NO_PUSH_BUTTONS = frozenset((Role.MENU_ITEM, Role.TOGGLE_BUTTON, Role.SWITCH))
_CARRYING_OUT = ("confirm", "vague", "assent", "switching-off", "restoring", "updating")
_SAVING_OR_VAGUE = ("saving", "vague", "assent", "restoring", "updating")  # “Next” only goes on
_EDITING = ("harmless", "documents", "own-things", "small-words")
_MOST_WORDS_OF_CHANGE = 4
_MORE = re.compile(r"(?:…|\.\.\.|>>|[▾▸▼⏷⌄˅])$")  # a button that opens another dialog or more of this one
_FILES_NEARBY = 4  # texts, the nearest first
_BESIDE = 3  # texts, the nearest first
_NEAREST = 8
_OPTION = re.compile(r"(?:-\w,? )?--[a-z][\w-]*(?:[= ]\S+)?")  # of a command, as manuals list them
_TWO_SIGNS = ("+−", "+-", "+–", "＋－", "‹›", "«»", "<>", "◀▶", "⏮⏭", "▲▼", "❮❯", "⟨⟩")  # less and more, back and on
_HEARTS = frozenset("❤♥💚💘💖👍")
# Without a currency: “Watch for 3.99”.
_PRICE = re.compile(
    r"(?:\b(?:for|für|pour|por|per|a|za|voor|за)|مقابل)\s\d{1,4}[.,]\d{2}(?!\d)|"
    r"(?<!\d)\d{1,4}[.,]\d{2}(?:で|に|에|['’][ae]\b|观看|購入)",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"[^\s/\\]+\.(?:pdf|od[tspg]|docx?|xlsx?|pptx?|rtf|txt|md|csv|tsv|hwpx?|pages|epub|jpe?g|png|gif|svg|webp|tiff?|heic|"
    r"mp[34]|m4a|ogg|flac|wav|mkv|mov|avi|webm|eml|ics|vcf)",
    re.IGNORECASE,
)
_UNFOLDS = re.compile(r"[▸▾▹▿⏵⏷]\s*\w")  # the sign of a part that is folded away
_SPEED = re.compile(r"\d(?:[.,]\d+)?\s?[×xX](?!\w)")  # of playing: “1.5×”
_TALLEST_BUTTON, _WIDEST_BUTTON = 72, 480  # native pixels


def label_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """Findings for one text of a control that acts."""
    running = is_running_text(found, text)
    opens = _only_opens(context, text)
    if _is_button(context, found) or context.control.role is Role.MENU_ITEM:
        yield from _revealing_findings(context, text)
    if _only_shows(context, found, text):
        return
    yield from _by_place_findings(context, found, text)
    named = tuple(_named(context, text))
    if not opens:
        yield from named_by("label", (each for each in named if not running or each[0] is Category.LEGAL))
    if running or opens:
        return
    if not named:
        named = tuple(_verbs(context, found, text))
        yield from named_by("label", named)
    if not named and _changes_view(context, text):
        return
    if not named and _pays_on(text):
        yield categorised(Category.PAY, "confirms-payment", text)  # “Go on with the payment”
    if not named:
        yield from _vague_findings(context, found, text)
    yield from _answer_findings(context, found, text, named=bool(named))
    yield from entering_findings(context, text)
    yield from _special_findings(context, text)


def _only_shows(context: PolicyContext, found: Hit, text: str) -> bool:
    """Whether it only shows, searches, counts, plays, downloads or arranges something, whatever its words are about."""
    if _asks_reader(context, text) or only_reads(text) or (_is_button(context, found) and _searches(text)):
        return True
    if _counts(text) or _turns_over(text) or _is_one_of_two_signs(context, text) or _switches_looks(text):
        return True
    if context.control.role in _NAMED and _names_document(text):
        return True
    if _downloads_document(context, text) or _changes_quantity(text) or _adds_own(context, text):
        return True
    return _measures_time(context, text) or _plays(context, text)


def _by_place_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """What a word that is harmless elsewhere, or a number, carries out where people meet, play for money or sign in."""
    likes = text.strip(" \ufe0f") in _HEARTS or tables().is_exactly("liking", text)
    if likes and is_dating(context.app, context.title):
        yield categorised(Category.SEND, "send-by-label", text)
    stakes = tables().is_exactly("staking", text) and is_browser(context.app)
    if stakes and 0 < len(amounts(context)) <= FEW_AMOUNTS:
        yield categorised(Category.PAY, "confirms-payment", ", ".join(amounts(context)))
    if _is_button(context, found) and (sentence := answers_sign_in(context, text)):
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
        if _only_opens(context, text) or _downloads_document(context, text):
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
        if looks_like_order(context, text) and not _only_opens(context, text):
            verbs = _verbs(context, found, text)
            counted = (each for each in verbs if each[0] is not Category.LEGAL or asks_consent(context))
            yield from named_by("label", counted)
            if word_count(text) <= _SHORT and tables().has("confirm", text):
                yield from confirm_findings(context, sure=not tables().has("harmless", text))


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


def drawn_cell_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    """Findings for a cell with a box of its own around it: a page may have made buttons of the cells of a table."""
    for text in found.texts:
        if word_count(text) <= MOST_WORDS_OF_ORDER and not tables().has("harmless", text):
            yield from named_by("label", (each for each in tables().in_button(text) if each[0] in _BY_WHOLE_VERB))


def looks_like_order(context: PolicyContext, text: str) -> bool:
    """Whether a text that is not known to be a button may be drawn as one: short, no sentence, in a place where a
    button that no table knows is asked about."""
    ended = text.rstrip().endswith((".", ":", "。", "؟", "?", "？"))
    return 0 < word_count(text) <= MOST_WORDS_OF_ORDER and not ended and bool(where_unknown_asks(context))


def mixed_orders_findings(found: Hit) -> Iterator[Finding]:
    """Findings for an entry that only holds other controls ("Browse Empty Drop"): it is not known which one is hit."""
    for text in found.texts:
        if word_count(text) <= _SHORT:
            orders = [order for word in text.split() for order in tables().as_order(word)]
            yield from named_by("label", orders if len(orders) > 1 else ())


def masks_secret(text: str) -> bool:
    """Whether the text shows dots in place of a secret."""
    return bool(_MASKED.search(text))


def _asks_reader(context: PolicyContext, text: str) -> bool:
    """Whether it is a question that unfolds its answer, as on pages of help."""
    return context.control.dialog is None and is_question(text) and word_count(text) >= _SHORT


def _named(context: PolicyContext, text: str) -> Iterator[tuple[Category, str]]:
    """The categories of the words on a control; a word for the trash is one for the basket in a shop, in some
    languages."""
    for category, words in tables().in_label(text):
        if category is Category.DOWNLOAD_RUN and word_count(text) == 1 and is_player(context.app, context.title):
            continue  # in some languages, "run" is also "play"
        if category is Category.DELETE and _edits_trifle(context, text):
            continue
        if category is Category.UPLOAD and _chooses_own(context, text):
            continue
        if category in _RESETS and _changes_view(context, text):
            continue
        if category is Category.LEGAL and _only_confirms(context, text):
            continue
        basket = category is Category.DELETE and tables().has("harmless", words)
        if not (basket and is_shop(context.app, context.title, context.url)):
            yield category, words


def _only_confirms(context: PolicyContext, text: str) -> bool:
    """Whether a word for accepting is an OK, as in some languages, in a dialog that only arranges or edits."""
    if context.control.dialog is None or not tables().is_exactly("confirm", text):
        return False
    return asks_harmless(context) and not any(verbs_asked(context))


def _searches(text: str) -> bool:
    """Whether it searches what the other words name, and does nothing else: “Search mail”."""
    words = text.split()
    if not 1 < len(words) <= _SHORT or _JOINS.search(text) or names_amount(text) or tables().has("at-once", text):
        return False
    if tables().is_exactly("search", words[0]):
        rest = " ".join(words[1:])
        return {category for category, _ in tables().in_button(rest)} <= {Category.SEND}  # a noun: “mail”
    rest = " ".join(words[:-1])
    return tables().is_exactly("search", words[-1]) and not tables().as_order(rest) and not tables().in_button(rest)


def _downloads_document(context: PolicyContext, text: str) -> bool:
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


def _concludes(context: PolicyContext, text: str) -> bool:
    """Whether it opens or sets up something, beside an amount, that is not known to be harmless: “Open deposit”."""
    if not 0 < len(amounts(context)) <= FEW_AMOUNTS or not tables().outside("harmless", text) or only_reads(text):
        return False
    return tables().is_at_edge("concluding", text) and not tables().is_made_of(
        (*_EDITING, "quantities", "appearance", "trifles"), text
    )


def _pays_on(text: str) -> bool:
    """Whether it goes on with a payment, whatever was asked: “Continue with payment”."""
    return tables().is_at_edge("keeping", text) and tables().has("paying", text)


def _chooses_own(context: PolicyContext, text: str) -> bool:
    """Whether a program that sends nothing opens a dialog to choose what it adds: “Add picture…”."""
    if is_browser(context.app) or is_messenger(context.app, context.title, context.url):
        return False
    return bool(_MORE.search(text.strip())) and tables().is_at_edge("adding", text) and not outward_around(context)


def _edits_trifle(context: PolicyContext, text: str) -> bool:
    """Whether an entry of a program's menu removes no more than a form of what is edited, such as “Remove bold”."""
    entry = context.control.role is Role.MENU_ITEM and context.control.dialog is None
    return entry and not _entries_act(context) and tables().has("trifles", text) and not _JOINS.search(text)


def _changes_view(context: PolicyContext, text: str) -> bool:
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
    priced = names_amount(text) or _PRICE.search(text)
    return not includes(named, Category.CREDENTIALS) and not priced and not tables().has("at-once", text)


def _joins_act(text: str) -> bool:
    """Whether a text that shows something may also name an act: “View and sign”, not “Show dates and other places”."""
    if not _JOINS.search(text):
        return False
    first, *others = _parts(text) or ("",)
    if word_count(first) < _FEW or not others or any(word_count(part) < _FEW for part in others):
        return True
    groups = (*_CARRYING_OUT, "saving", "files")
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


def _verbs(context: PolicyContext, found: Hit, text: str) -> Iterator[tuple[Category, str]]:
    """What a push button or a menu entry carries out, by its verb in any form, its price, or what it protects."""
    acts = found.effect is Effect.ACTS or found.boxed or looks_like_order(context, text)
    if found.effect is Effect.UNKNOWN and word_count(text) <= _SHORT:
        acts = acts or includes(tables().in_button(text), Category.CREDENTIALS)
    if not acts or word_count(text) > _MOST_WORDS:
        return
    plain = tables().has("harmless", text) or tables().is_exactly("topics", text)
    trifling = (tables().has("trifles", text) and not _JOINS.search(text)) or _changes_view(context, text)
    for named in tables().in_button(text):
        if named[0] is Category.UPLOAD and _chooses_own(context, text):
            continue
        disk = named[0] is Category.SYSTEM and word_count(named[1]) > 1  # “Quick format”
        if trifling and named[0] not in _NEVER_TRIFLING and not disk:
            continue
        if named[0] is not Category.LEGAL or not _only_confirms(context, text):
            yield named
    if not _is_button(context, found):
        return
    if _PRICE.search(text) or (names_amount(text) and not plain):
        yield Category.PAY, text
    if plain:
        return
    if word_count(text) > 1 and tables().has("protection", text):
        yield Category.SECURITY, text


def _answer_findings(context: PolicyContext, found: Hit, text: str, *, named: bool) -> Iterator[Finding]:
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
        if _is_button(context, found) and not named and not exact:
            if tables().has("harmless", text) and _says_more(text):
                yield Finding(risk=RiskClass.C3, rule="unknown-button-anywhere", values=(text,))
            yield from _unknown_button_findings(context, text)
        if _is_button(context, found):
            yield from _consequence_findings(context, text)
        if assents and is_answer(context) and not asks_harmless(context):
            yield Finding(risk=RiskClass.C3, rule="assents")
    elif not named and (not _leaves(text) or _repeats_title(context, text)):
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


def _vague_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """A button that ends or starts something without a word of what (“Done”): what stands around it says it, and
    nothing is known about it where nothing around it is."""
    if not _is_button(context, found) or is_calculator(context.app, context.title):
        return
    if keeps_and_opens(text):
        yield categorised(Category.DOWNLOAD_RUN, "download-run-by-label", text)
    if not tables().is_exactly("vague", text):
        return
    if is_alone(context):
        yield Finding(risk=RiskClass.C3, rule="unknown-button-anywhere", values=(text,))
    elif not is_of_filter(context, text) and (place := outward_around(context)):
        yield Finding(risk=RiskClass.C3, rule="unknown-button", values=(text, place))


def _unnamed_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """A button of which no table says what it carries out, by what stands around it."""
    if _answers(context, found):
        # It may be the yes of a dialog.
        asked = names_in_title(context, text) and warns_in_sentence(context)
        sure = asked or not tables().has("harmless", text)
        yield from confirm_findings(context, sentences=True, sure=sure)
    elif (found.effect is Effect.ACTS or found.boxed) and not tables().has("harmless", text):
        yield from payment_findings(context)
    if not _is_button(context, found):
        if context.control.role is Role.MENU_ITEM and _entries_act(context):
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
            yield Finding(risk=RiskClass.C3, rule="unknown-button-anywhere", values=(text,))
        elif _concludes(context, text):
            yield Finding(risk=RiskClass.C3, rule="unknown-button", values=(text, ", ".join(amounts(context))))
    else:
        yield from _unknown_button_findings(context, text)


def _says_more(text: str) -> bool:
    """Whether a text with a word that is harmless also has one, outside of it, that confirms, starts or reaches
    something: “Confirm plan change”, “Update firmware now”."""
    rest = tables().outside("harmless", text)
    if not rest or only_reads(text) or tables().is_made_of(_EDITING, text):
        return False
    if any(not tables().has("harmless", part) and not _leaves(part) for part in _parts(text)):
        return True
    said = (*rest, " ".join(rest))
    return any(tables().is_exactly(group, words) for words in said for group in _CARRYING_OUT) or any(
        tables().has(group, said[-1]) for group in ("at-once", "outward")
    )


def _saves_file(context: PolicyContext, text: str) -> bool:
    """Whether it saves a file of the dialog that names it: “Save” in “Save as”."""
    named = _BEFORE_DASH.split(dialog_title(context) or context.title)[0]
    chooses = tables().is_exactly("files", named) and not is_browser(context.app)
    return chooses and (tables().is_exactly("saving", text) or tables().is_exactly("files", text))


def _may_carry_out(text: str) -> bool:
    """Whether a button that saves or changes something may do more than show, decline or open."""
    if word_count(text) > _MOST_WORDS_OF_CHANGE or _leaves(text) or declines(text) or only_reads(text):
        return False
    if tables().has("reading", text):
        return False
    if not _changes(text) and not tables().has("saving", text):
        return False
    return not tables().has("trifles", text) and not tables().has("documents", text)


def _changes(text: str) -> bool:
    """Whether it changes something that is not known to be a matter of looks: “Change to this plan”."""
    return tables().has("changing", text) and (word_count(text) == 1 or bool(tables().outside("harmless", text)))


def _parts(text: str) -> tuple[str, ...]:
    """The parts of a text that joins two acts (“Review and join”), none if it does not."""
    parts = tuple(part.strip() for part in _JOINS.split(text))
    return tuple(filter(None, parts)) if len(parts) > 1 else ()


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
    groups = ("saving", *_CARRYING_OUT) if not tables().has("harmless", text) else _SAVING_OR_VAGUE
    carries_out = any(tables().is_exactly(group, text) for group in groups) or _may_carry_out(text)
    if _saves_file(context, text) or (tables().is_exactly("saving", text) and saves_alone(context)):
        return  # the rest of the title is the name of a document or a program
    if carries_out and (place := outward_named(context)):
        yield Finding(risk=RiskClass.C3, rule="unknown-button", values=(text, place))


def _unknown_button_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """A word of two letters or more that no table knows: what carries something out is not known to be harmless."""
    plays = is_player(context.app, context.title) and includes(tables().in_label(text), Category.DOWNLOAD_RUN)
    if sum(map(str.isalpha, text)) <= 1 or tables().has("harmless", text) or plays:
        return
    if is_calculator(context.app, context.title) or _SPEED.search(text) or _names_view(context, text):
        return
    if _UNFOLDS.match(text) and context.control.dialog is None:
        return
    if place := where_unknown_asks(context):
        yield Finding(risk=RiskClass.C3, rule="unknown-button", values=(text, place))
    elif _may_reach_out(context):
        yield Finding(risk=RiskClass.C3, rule="unknown-button-anywhere", values=(text,))


def _names_view(context: PolicyContext, text: str) -> bool:
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


def _may_reach_out(context: PolicyContext) -> bool:
    """Whether what a word that no table knows carries out may reach others or cost money: anywhere in a browser; in the
    window of a program where it asks something, or other controls or texts there do."""
    if is_browser(context.app) or context.control.dialog is not None or is_alone(context):
        return True
    if risky_if_unknown(context) or outward_around(context) or context.typed.strip():
        return True
    said = (context.title, *context.control.group, *context.nearby)
    if any(tables().has(group, text) for group in ("recipient", "message", "publication") for text in said):
        return True
    return any(tables().in_field(text) for text in context.nearby if len(text) <= PARAGRAPH)


def _submitting_secret(context: PolicyContext) -> Iterator[Finding]:
    """Signing in, or setting a secret, with a button that does not say so."""
    if secret := secret_beside(context):
        yield categorised(Category.LOGIN, "login-by-form", secret)


def _special_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """What a button does by the place it stands in: submitting, pasting into a terminal, opening a file."""
    if tables().is_exactly("confirm", text) or tables().has("submit", text):
        yield from submit_findings(context)
        if is_browser(context.app) and context.control.dialog is None and _beside_message(context):
            yield categorised(Category.SEND, "submit-sends")
    if tables().is_exactly("paste", text) and is_terminal_place(context):
        yield categorised(Category.TERMINAL, "pastes-into-terminal")
    elif tables().is_exactly("paste", text) and (secret := secret_beside(context)):
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
    owner = is_browser(context.app) or is_messenger(context.app, context.title)
    if uploads or (owner and is_file_chooser(context)):
        yield categorised(Category.UPLOAD, "chooses-upload")
    if warning := warns(context):
        yield Finding(risk=RiskClass.C3, rule="warned", values=(warning,))
    program = next((text for text in context.nearby[:_FILES_NEARBY] if names_program_file(text)), "")
    if program:
        yield categorised(Category.DOWNLOAD_RUN, "starts-file", program)


def _is_saved_secret(context: PolicyContext, text: str) -> bool:
    """Whether an entry offers to fill in what a browser has saved: by its dots, or because it says so."""
    if masks_secret(text):
        return True
    entry = context.control.role is Role.LIST_ITEM and word_count(text) <= _MOST_WORDS
    return entry and includes(tables().in_button(text), Category.CREDENTIALS)


def _is_button(context: PolicyContext, found: Hit) -> bool:
    if found.effect is Effect.ACTS:
        return context.control.role not in _NO_PUSH_BUTTONS
    return found.effect is Effect.UNKNOWN and found.boxed and _has_size_of_button(context)


def _has_size_of_button(context: PolicyContext) -> bool:
    """Whether the box that the picture shows is one that buttons have; others hold lists, cards and pictures."""
    extent = context.control.extent
    return extent is not None and extent.height <= _TALLEST_BUTTON and extent.width <= _WIDEST_BUTTON


def _entries_act(context: PolicyContext) -> bool:
    """Whether the menus there mostly act on what is selected: in pages, mail, chat and file managers. The menus of
    other programs mostly edit and arrange."""
    if is_browser(context.app) or is_messenger(context.app, context.title, context.url):
        return True
    return is_file_manager(context.app, context.title)


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


def _leaves(text: str) -> bool:
    """Whether a button only declines, closes, or opens something else."""
    groups = ("safe", "closing", "search", "files", "opening", "topics")
    return any(tables().is_exactly(group, text) for group in groups) or bool(_MORE.search(text.strip()))


def _may_be_field(text: str) -> bool:
    """Whether a text nearby may name a field, rather than be another button that sends."""
    return word_count(text) <= _SHORT and not (tables().in_text(text) or tables().is_exactly("opening", text))


def _only_opens(context: PolicyContext, text: str) -> bool:
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
