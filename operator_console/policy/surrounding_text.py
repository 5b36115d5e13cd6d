"""What stands around a control says about it: questions, amounts, secrets, protection, and buttons that decline.

Buttons that no word table knows are judged by it, and so are answers such as “Continue”.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser, is_software_store
from operator_console.policy.control_kinds import LONGEST_LABEL, PARAGRAPH, declines, word_count
from operator_console.policy.file_paths import named_files
from operator_console.policy.findings import PolicyContext
from operator_console.policy.input_places import dialog_title, is_question, place_that_sends_or_buys, questions
from operator_console.policy.word_tables import fold, includes, tables

_CURRENCY = (
    r"(?:[$€£¥₽₹₩₺₴₪฿]|\b(?:usd|eur|gbp|pln|chf|czk|sek|nok|dkk|jpy|cny|rub|uah|try|krw|inr|brl|btc|eth|usdt|zł|zl|kč|kc|"
    r"руб|грн|kr|tl)\b)"
)
_AMOUNT = re.compile(rf"{_CURRENCY}\s?\d|\d\s?{_CURRENCY}|\d[ \d.,]*\s?(?:元|円|원|ريال|درهم|ر\.س)", re.IGNORECASE)
MOST_WORDS_OF_ORDER = 5
"""Words of a text that may be an order although it is not known to be on a button."""
FEW_AMOUNTS = 3
"""Amounts of money near a control that may belong to it; more are a list."""
# A preposition, or the word for a payee, before a colon; or a preposition after an amount.
_PAYEE = re.compile(
    r"^(?:to|payee|paid to|an|empfänger|zahlungsempfänger|vers|à|bénéficiaire|a|para|destinat[aá]rio|benefici[aá]rio|"
    r"do|odbiorca|aan|naar|begunstigde|ontvanger|komu|příjemce|alıcı|кому|получатель|одержувач|отримувач|إلى|المستفيد|"
    r"المستلم|收款人|收款方|受取人|振込先|받는 ?분|받는 ?사람)\s?[:：]"
    r"|\d[\d .,]*\s?\S{0,4} (?:\w+ )?(?:to|an|à|a|para|do|naar|aan|для|на имя|إلى) "
    r"(?!(?:year|month|week|day|night|hour|person|piece)\b)[^\W\d_]",
    re.IGNORECASE,
)
_SENT = "المرسل"  # a folder of mail, too
_NOBODY = re.compile(
    r"[^\W\d_]+\s?[:：]\s?(?:none|nobody|keine?r?|niemand|aucune?|personne|ninguno|ninguna|nadie|nessuno|geen|nenhum|ninguém|"
    r"brak|nikt|žádn[íýé]|nikdo|yok|kimse|нет|никого|никто|немає|нікого|없음|なし|无|無|لا أحد|لا يوجد)(?!\w)",
    re.IGNORECASE,
)
_SHORT_TITLE = 4  # words
_ENDS_SENTENCE = (".", "?", "!", "？", "！", "。", "؟")
_MAIL_ADDRESS = re.compile(r"[\w.+\-]+@[\w\-]+\.\w")
_TITLE_PARTS = re.compile(r"\s[-–—]\s|\s?[|·•:]\s?")
_ENDS_IN_CARD = re.compile(r"\D[ .•*]\d{4}(?:\D|$)")  # the last digits of a card: “Visa ending in 4411”
_SHOWN_NUMBER = re.compile(r"\d{1,3}")
_AND = re.compile(r"\s?[&/]\s?|\s(?:and|und|et|y|e|en|i|a|ve|и|й|та|و|및)\s|\sو|和|并|と", re.IGNORECASE)
_TWO = 2
_TOOLS = 3
_MASKED = re.compile(r"[•●∙·*＊∗]{3,}")
_DOTS = re.compile(r"[•●∙*＊]{3,}")
_NEAREST_SECRETS = 3  # texts, the nearest first
_HEADING = 5  # words of a text that may be a heading or the name of a group
_NEAREST = 8  # texts near the control, the nearest first
_LONGEST_QUESTION = 300  # characters


def beside_decline(context: PolicyContext) -> bool:
    """Whether a control that declines stands beside it, as in dialogs that do not say that they are one."""
    near = [text for text in context.nearby if word_count(text) <= _HEADING and declines(text)]
    return any(not _only_undoes(text) for text in near) or (bool(near) and not _in_tool_bar(context))


def _only_undoes(text: str) -> bool:
    """Whether it is “Undo”; in some languages that is the word for “Cancel”, too."""
    return tables().is_exactly("undoing", text) and not tables().has("ending", text)


def _in_tool_bar(context: PolicyContext) -> bool:
    """Whether several words stand there that only show, arrange or edit: “Insert”, “View”, “Bold”."""
    short = {near for near in context.nearby if word_count(near) <= _TWO}
    return sum(tables().has("harmless", near) and not declines(near) for near in short) >= _TOOLS


def is_answer(context: PolicyContext) -> bool:
    """Whether the control answers a question: in a dialog or a page that is one, or beside a control that declines."""
    asked = any(is_question(part) for part in _title_parts(context))
    return context.control.dialog is not None or asked or beside_decline(context)


def amounts(context: PolicyContext) -> tuple[str, ...]:
    """The amounts of money near the control, each once."""
    texts = [text[:LONGEST_LABEL] for text in (*questions(context), *context.nearby)]
    return tuple(dict.fromkeys(amount for text in texts for amount in _amounts_in(text)))


@functools.lru_cache(maxsize=1024)
def _amounts_in(text: str) -> tuple[str, ...]:
    return tuple(match.group(0) for match in _AMOUNT.finditer(text))


def pays_somebody(context: PolicyContext) -> bool:
    """Whether a few amounts stand there with a text that says whom they go to: “To: T Brown”, “200 € naar T. Bos”."""
    return 0 < len(amounts(context)) <= FEW_AMOUNTS and any(
        _PAYEE.search(text[:PARAGRAPH]) for text in (*questions(context), *context.nearby[:_NEAREST])
    )


def names_amount(text: str) -> bool:
    """Whether a text holds an amount of money."""
    return bool(_AMOUNT.search(text))


def verbs_asked(context: PolicyContext) -> Iterator[tuple[Category, str]]:
    """The categories of verbs, in any form, in what a dialog asks or tells, and in what stands beside an answer."""
    for text in questions(context):
        yield from tables().in_button(text[:_LONGEST_QUESTION])
        if tables().has("trash", text):
            yield Category.DELETE, text[:PARAGRAPH]


def asks_harmless(context: PolicyContext) -> bool:
    """Whether the dialog is known to ask only about what it shows, arranges or edits."""
    title = dialog_title(context)
    return tables().has("harmless", title) or any(
        tables().has("harmless", text) for text in questions(context) if word_count(text) <= _HEADING
    )


def acts_in_title(context: PolicyContext) -> Iterator[tuple[Category, str]]:
    """The categories of the acts that the titles of the page, the window and the dialog name."""
    for part in _title_parts(context):
        yield from tables().in_control(part)


def warns(context: PolicyContext) -> str:
    """The warning of the dialog, "" without one."""
    if context.control.dialog is None:
        return ""
    said = (text for text in questions(context) if not _names_search_and_replace(text))
    return next((text[:PARAGRAPH] for text in said if tables().has("warning", text)), "")


def _names_search_and_replace(text: str) -> bool:
    """Whether it is no more than the name of the dialog that searches and replaces."""
    parts = [part.strip() for part in _AND.split(text)]
    if len(parts) != _TWO or not tables().is_exactly("overwriting", parts[1]):
        return False
    return tables().is_exactly("search", parts[0]) or tables().is_exactly("overwriting", parts[0])


def warns_in_sentence(context: PolicyContext) -> bool:
    """Whether a sentence of the dialog, not its title alone, warns."""
    return any(_is_warning(text) for text in questions(context))


def masks_secret(text: str) -> bool:
    """Whether the text shows dots in place of a secret."""
    return bool(_MASKED.search(text))


def secret_beside(context: PolicyContext) -> str:
    """The name of a field for a password or a code near the control, "" without one."""
    for text in context.nearby[:_NEAREST]:
        if len(text) <= PARAGRAPH and includes(tables().in_field(text), Category.CREDENTIALS):
            return text
    return ""


def _title_parts(context: PolicyContext) -> tuple[str, ...]:
    """The short parts of the titles of the page, the window and the dialog, without the name of a browser; of the path
    of a file, its name."""
    return _short_parts(context.title[:LONGEST_LABEL], dialog_title(context), page=is_browser(context.app))


@functools.lru_cache(maxsize=1024)
def _short_parts(title: str, dialog: str, *, page: bool) -> tuple[str, ...]:
    parts = [part.strip() for part in _TITLE_PARTS.split(title)]
    if page:
        parts = parts[:-1] or parts
    else:
        parts += map(posixpath.basename, named_files(title))
    return tuple(part for part in dict.fromkeys((*parts, dialog)) if part and word_count(part) <= _SHORT_TITLE)


def protects(context: PolicyContext) -> str:
    """What of the protection of the machine, or of others' access, the place is about; "" if nothing."""
    return next((text for text in _title_parts(context) if tables().has("protection", text)), "")


def where_unknown_asks(context: PolicyContext) -> str:
    """The kind of place in which a button that no table knows must be asked about; "" where it may run."""
    if is_answer(context) and not asks_harmless(context):
        return "a dialog"
    if place := place_that_sends_or_buys(context):
        return place
    if protects(context):
        return "a page or window about protection"
    if 0 < len(amounts(context)) <= FEW_AMOUNTS:
        return "a page with a price"
    if secret_beside(context) or any(map(masks_secret, context.nearby[:_NEAREST])):
        return "a form with a secret"
    if asks_consent(context):
        return "a notice that asks for consent"
    if signs_in(context):
        return "a page that signs in"
    parts = _title_parts(context)
    if any(tables().in_label(part) or tables().in_button(part) for part in parts):
        return "a page or window that names an act"
    return "a warning" if any(_is_warning(text) for text in context.nearby[:_NEAREST]) else ""


def looks_like_order(context: PolicyContext, text: str) -> bool:
    """Whether a text that is not known to be a button may be drawn as one: short, no sentence, in a place where a
    button that no table knows is asked about."""
    ended = text.rstrip().endswith((".", ":", "。", "؟", "?", "？"))
    return 0 < word_count(text) <= MOST_WORDS_OF_ORDER and not ended and bool(where_unknown_asks(context))


def asks_consent(context: PolicyContext) -> bool:
    """Whether a sentence near the control, or the title of what asks, is a notice about cookies and partners."""
    return bool(consents_to(context))


def consents_to(context: PolicyContext) -> str:
    """The notice about cookies and partners near the control, or the title of what asks, "" without one."""
    near = (text for text in context.nearby[:_NEAREST] if word_count(text) > _SHORT_TITLE)
    said = (text for text in (*near, *_title_parts(context), dialog_title(context)) if tables().has("tracking", text))
    return next((text[:PARAGRAPH] for text in said), "")


def names_terms(context: PolicyContext) -> str:
    """The part of the title that names terms, a contract or a consent, "" without one."""
    return next((part for part in _title_parts(context) if _is_about_terms(part)), "")


def edits_publication(context: PolicyContext) -> bool:
    """Whether the title is that of something that is written for others to read."""
    return any(tables().has("publication", part) for part in _title_parts(context))


def reads_message(context: PolicyContext) -> bool:
    """Whether a message is read there, not written: its sender stands above it (“From: …”), and nothing was typed."""
    if (context.control.dialog is not None and is_question(context.control.dialog.title)) or _writes(context):
        return False
    texts = (
        text.partition(":") for text in (near.replace("：", ":") for near in context.nearby) if len(text) <= PARAGRAPH
    )
    return any(colon and who.strip() and tables().is_exactly("sender", name) for name, colon, who in texts)


def _writes(context: PolicyContext) -> bool:
    """Whether a message may be ready there: text was typed, and it is not known that it was typed elsewhere. Where a
    message is only read, its reply stands beside other ways to answer it, and no field or draft does."""
    if not context.typed.strip():
        return False
    toolbar = any(tables().is_exactly("answering", near) for near in context.nearby[:_NEAREST])
    near_fields = (near for near in context.nearby if is_browser(context.app) or not _is_header(near))
    fields = any(tables().has(group, near) for near in near_fields for group in ("message", "recipient"))
    return not toolbar or fields or beside_decline(context)


def addresses(context: PolicyContext) -> bool:
    """Whether a field for whom something goes to stands there, without a value beside its name, and no sender."""
    names = [near.strip(" :：") for near in context.nearby[:_NEAREST]]
    senders = (name for name in names if name != _SENT and tables().is_exactly("sender", name))
    return any(tables().is_exactly("addressee", name) for name in names) and not any(senders)


def _is_header(text: str) -> bool:
    """Whether it is a line above a message with its name and its value: “To: me”. The name of a field has no value."""
    name, colon, value = text.replace("：", ":").partition(":")
    return bool(colon and value.strip()) and word_count(name) == 1 and len(text) <= PARAGRAPH


def filters(context: PolicyContext) -> bool:
    """Whether the title is that of filters or of another view of what is listed."""
    return any(tables().is_at_edge("appearance", part) for part in _title_parts(context))


def lists_settings(context: PolicyContext) -> bool:
    """Whether the window or the page is no more than a list of the settings: its entries are places."""
    return context.control.dialog is None and any(
        tables().is_exactly("settings", part) for part in _title_parts(context)
    )


def assigns_roles(context: PolicyContext) -> str:
    """The part of the title by which users get rights, roles and groups there, "" if none does."""
    return next((part for part in _title_parts(context) if tables().has("roles", part)), "")


def is_of_filter(context: PolicyContext, text: str) -> bool:
    """Whether it carries out a filter, or takes it back: “Apply” beside “Clear”, where something else says that only
    the view changes, and the titles name nothing that reaches others, protects or deletes."""
    if context.control.dialog is not None or not _has_opposite(text, context.nearby[:_NEAREST]):
        return False
    # A form of settings has “Reset”, too; a search only shows.
    applies = tables().is_exactly("applying", text)
    shows = any(tables().is_exactly("search", near) for near in context.nearby[:_NEAREST]) or any(
        tables().is_made_of(("appearance",), near) or (applies and tables().has("reading", near))
        for near in context.nearby
        if word_count(near) <= _SHORT_TITLE and any(map(str.isalpha, near))
    )
    return shows and not (outward_named(context) or protects(context) or any(acts_in_title(context)))


def _has_opposite(text: str, near: tuple[str, ...]) -> bool:
    pairs = (("applying", "clearing"), ("clearing", "applying"), ("clearing", "search"))
    return any(
        tables().is_exactly(own, text) and any(tables().is_exactly(other, each) for each in near)
        for own, other in pairs
    )


def warns_in_title(context: PolicyContext) -> bool:
    """Whether the title warns, as browsers do before a page that is not safe."""
    return any(tables().has("warning", part) for part in _title_parts(context))


def _is_about_terms(text: str) -> bool:
    return includes(tables().in_control(text), Category.LEGAL)


def declares(context: PolicyContext) -> str:
    """The sentence near the control by which somebody agrees to something, "" without one."""
    for text in context.nearby[:_NEAREST]:
        verbs = tables().in_button(text[:_LONGEST_QUESTION]) if word_count(text) > _SHORT_TITLE else ()
        if includes(verbs, Category.LEGAL):
            return text[:PARAGRAPH]
    return ""


def signs_in(context: PolicyContext) -> bool:
    """Whether the title, or a sentence near the control, is about signing in or about choosing an account."""
    texts = [text for text in context.nearby[:_NEAREST] if word_count(text) > _SHORT_TITLE and len(text) <= PARAGRAPH]
    return any(includes(tables().in_button(text), Category.LOGIN) for text in texts) or _chooses_account(context)


def answers_sign_in(context: PolicyContext, text: str) -> str:
    """What a number, on a button or typed, answers where somebody signs in: which one another device shows; "" if it is
    no number, or nothing there is about that."""
    if not _SHOWN_NUMBER.fullmatch(text.strip()):
        return ""
    titles = (*_TITLE_PARTS.split(context.title[:LONGEST_LABEL]), dialog_title(context))
    near = (each[:PARAGRAPH] for each in (*questions(context), *context.nearby[:_NEAREST]) if word_count(each) > 1)
    # A link to sign in stands on many pages.
    said = (each for each in near if tables().has("codes", each) or text.strip() in each.split())
    return next((each for each in (*titles, *said) if _is_about_sign_in(each)), "")


def _is_about_sign_in(text: str) -> bool:
    if tables().has("proofs", text):
        return True
    asks = is_question(text) or word_count(text) > _SHORT_TITLE
    return asks and includes(tables().in_control(text), Category.LOGIN)


def holds_account(context: PolicyContext, text: str) -> bool:
    """Whether an entry with an address of mail is an account to sign in with, by the title."""
    return bool(_MAIL_ADDRESS.search(text)) and _chooses_account(context)


def fills_in_person(context: PolicyContext, text: str) -> bool:
    """Whether an entry, with a number and a comma as addresses have, would fill in a form for a person's data."""
    if not ((re.search(r"\d", text) and re.search(r"[,،、，]", text)) or _ENDS_IN_CARD.search(text)):
        return False
    names = [name for name in (context.title, *context.nearby[:_NEAREST]) if len(name) <= PARAGRAPH]
    return any(includes(tables().in_field(name), Category.PERSONAL_DATA) for name in names)


def overwrites_file(context: PolicyContext) -> bool:
    """Whether the dialog asks, or warns in a sentence, that something is replaced, or an answer stands beside a file
    that is there already."""
    said = questions(context)
    if context.control.dialog is not None and any(
        word_count(text) >= _SHORT_TITLE and text.rstrip().endswith(_ENDS_SENTENCE) and tables().has("warning", text)
        for text in said
    ):
        return True
    around = (*said, *context.nearby[:_NEAREST])
    return is_answer(context) and any(tables().has("existing", text[:LONGEST_LABEL]) for text in around)


def schedules(context: PolicyContext) -> Iterator[tuple[Category, str]]:
    """What the titles say is sent or published at a time that is chosen there."""
    for part in _title_parts(context):
        for category, words in tables().in_control(part):
            if category in (Category.SEND, Category.POST):
                yield category, words


def saves_for_guests(context: PolicyContext, texts: tuple[str, ...]) -> bool:
    """Whether a word for saving stands in a form with addresses of guests, who are told then."""
    return any(tables().is_exactly("saving", text) for text in texts) and any(
        _MAIL_ADDRESS.search(near) and tables().has("outward", near) for near in context.nearby[:_NEAREST]
    )


def resets_machine(context: PolicyContext) -> bool:
    """Whether the title of the dialog or a short text beside the control names a reset or a backup of the machine."""
    near = (text for text in (dialog_title(context), *context.nearby[:_NEAREST]) if word_count(text) <= _SHORT_TITLE)
    return any(includes(tables().in_button(text), Category.SYSTEM) for text in near)


def names_secret(context: PolicyContext) -> str:
    """The part of a title, or the text with dots beside it, that names a password, a key or a code, "" without one."""
    masked = (text for text in context.nearby[:_NEAREST_SECRETS] if _DOTS.search(text) and len(text) <= PARAGRAPH)
    parts = (*_title_parts(context), *masked)
    return next((part for part in parts if includes(tables().in_field(part), Category.CREDENTIALS)), "")


def proves_in_title(context: PolicyContext) -> bool:
    """Whether the title is about proving who somebody is: “Authenticator”."""
    return any(tables().has("proofs", part) for part in _title_parts(context))


def is_name_of_secret(text: str) -> bool:
    """Whether a text says nothing but the name of a secret: “Recovery phrase”, not “Password tips”."""
    return any(words == fold(text) for words in dict(tables().in_field(text)).values())


def names_in_title(context: PolicyContext, text: str) -> bool:
    """Whether a short title of the page, the window or the dialog begins with the words of the control."""
    words = fold(text)
    parts = [fold(part).rstrip("".join(_ENDS_SENTENCE)) for part in _title_parts(context)]
    return any(part == words or part.startswith(words + " ") for part in parts)


def _chooses_account(context: PolicyContext) -> bool:
    return any(includes(tables().in_label(part), Category.LOGIN) for part in _title_parts(context))


def about_software(context: PolicyContext) -> bool:
    """Whether programs are installed there, by the place or its title."""
    if is_software_store(context.app, context.title):
        return True
    return any(includes(tables().in_button(part), Category.PAY, Category.INSTALL) for part in _title_parts(context))


def outward_around(context: PolicyContext) -> str:
    """What around the control says that something there reaches others, costs money, or changes the machine: a title,
    a heading, a field, a sentence; "" if nothing does. A vague answer (“Done”) carries that out."""
    if named := outward_named(context):
        return named
    for text in (*context.control.group, *context.nearby[:_NEAREST]):
        if text and tables().has("outward", text[:LONGEST_LABEL]):
            return text[:PARAGRAPH]
    if about := protects(context):
        return about
    if 0 < len(found := amounts(context)) <= FEW_AMOUNTS:
        return ", ".join(found)
    return next((text[:PARAGRAPH] for text in context.nearby[:_NEAREST] if _is_warning(text)), "")


def _without_nobody(text: str) -> str:
    """A text without the names of lists that are empty there: “Guests: none”."""
    return _NOBODY.sub(" ", text)


def saves_alone(context: PolicyContext) -> bool:
    """Whether the dialog of a program, not of a page, says that nobody takes part in what it saves: “Guests: none”."""
    dialog = context.control.dialog
    if dialog is None or is_browser(context.app):
        return False
    empty = any(tables().has("outward", match.group()) for match in _NOBODY.finditer(dialog.text))
    return empty and not tables().has("outward", _without_nobody(dialog.text))


def outward_named(context: PolicyContext) -> str:
    """What the titles and the dialog itself name of that, "" if nothing."""
    titles = [part.strip() for part in _TITLE_PARTS.split(context.title[:LONGEST_LABEL])]
    if is_browser(context.app) and len(titles) > 1:
        titles = titles[:-1]
    said = context.control.dialog.text if context.control.dialog is not None else ""
    dialog = (dialog_title(context), _without_nobody(said))
    return next((text[:PARAGRAPH] for text in (*titles, *dialog) if tables().has("outward", text[:LONGEST_LABEL])), "")


def is_alone(context: PolicyContext) -> bool:
    """Whether nothing that stands around the control is known: a form without any text is not to be expected."""
    return context.control.dialog is None and not context.nearby


def _is_warning(text: str) -> bool:
    return word_count(text) > _HEADING and tables().has("warning", text)
