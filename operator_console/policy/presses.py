"""Assesses a press on a control, by pointer or by key: what the control says, what it confirms, what is not known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import (
    is_browser,
    is_chat,
    is_code_editor,
    is_file_manager,
    is_messenger,
    is_shop,
    is_software_store,
    names_money,
    names_this_console,
)
from operator_console.policy.control_kinds import (
    LONGEST_LABEL,
    PARAGRAPH,
    Effect,
    Hit,
    hit,
    is_mark,
    is_running_text,
    is_safe,
    word_count,
)
from operator_console.policy.places import is_file_chooser, is_terminal_place, questions, risky_if_unknown
from operator_console.policy.rules import Finding, PolicyContext, categorised, noteworthy, ordinary
from operator_console.policy.surroundings import (
    FEW_AMOUNTS,
    about_software,
    amounts,
    asks_harmless,
    beside_decline,
    is_answer,
    names_amount,
    protects,
    secret_beside,
    verbs_asked,
    warns,
    where_unknown_asks,
)
from operator_console.policy.web_addresses import path_and_query, url_findings
from operator_console.policy.word_tables import fold, tables

_ON_TICK = frozenset((Category.LEGAL, Category.SECURITY, Category.CREDENTIALS))
# Names of places as well, in some languages: what is downloaded, what is installed.
_PLACES_TOO = frozenset((Category.DOWNLOAD_RUN, Category.INSTALL, Category.LEGAL, Category.LOGIN))
# A link with an address of its own only goes there; signing in and consent happen on that page.
_NOT_BY_LINK = frozenset((Category.LOGIN, Category.LEGAL))
# Words of addresses that act when they are opened, as a whole part of the path or as a value.
_ACTING_ADDRESS = re.compile(
    r"(?:^|[/=?&_])(?:do[-_]?)?(?P<verb>delete|remove|destroy|erase|unsubscribe|logout|log[-_]out|signout|sign[-_]out|"
    r"pay|purchase|buy|accept|agree|consent|approve|authori[sz]e|grant|revoke|disable|deactivate|send|submit|transfer|"
    r"merge|publish|uninstall|oauth2?|sso|saml)(?:$|[/?&#])"
)
_ADDRESS_CATEGORIES = {
    Category.DELETE: ("delete", "remove", "destroy", "erase", "unsubscribe", "deactivate"),
    Category.SYSTEM: ("logout", "log-out", "log_out", "signout", "sign-out", "sign_out"),
    Category.PAY: ("pay", "purchase", "buy", "transfer"),
    Category.LEGAL: ("accept", "agree", "consent"),
    Category.SECURITY: ("approve", "authorize", "authorise", "grant", "revoke", "disable"),
    Category.SEND: ("send", "submit"),
    Category.POST: ("merge", "publish"),
    Category.INSTALL: ("uninstall",),
    Category.LOGIN: ("oauth", "oauth2", "sso", "saml"),
}
_PROGRAM_FILE = re.compile(
    r"\.(desktop|sh|bash|run|bin|appimage|exe|msi|bat|cmd|ps1|jar|py|pl|rb|js|vbs|scr|com|deb|rpm|flatpakref|pkg)$",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"[•●∙·*＊∗]{3,}")
_SHORT = 4  # words
_QUESTION_MARKS = ("?", "？", "؟")
_MOST_WORDS_OF_BUTTON = 9
_NO_PUSH_BUTTONS = frozenset((Role.MENU_ITEM, Role.TOGGLE_BUTTON, Role.SWITCH))
_MORE = re.compile(r"(?:…|\.\.\.|>>|▾|▸)$")  # a button that opens another dialog or more of this one
LONGEST_TICK = 200
"""Characters of the text of a check box that are searched for verbs."""
_SHORT_QUESTION = 160  # characters
_FILES_NEARBY = 4
_BESIDE = 3  # texts, of which one may be the sentence beside a check box
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b|[•*xX]{2,}\s?\d{3,4}\b|\b\d{8,26}\b")


def press_findings(context: PolicyContext, *, count: int = 1) -> Iterator[Finding]:
    """Findings for pressing the control that is hit, `count` times in a row."""
    found = hit(context)
    yield from _naming_console(found)
    if is_safe(found):
        yield ordinary("declines")
        return
    match found.effect:
        case Effect.NOTHING:
            return
        case Effect.LEADS:
            yield from _link_findings(context, found)
        case Effect.CHOOSES:
            yield from _tick_findings(context, found.texts)
        case Effect.SELECTS:
            places = context.control.role in (Role.LIST_ITEM, Role.TREE_ITEM, Role.TAB)
            yield from _order_findings(context, found, apart=_PLACES_TOO if places else _NOT_BY_LINK)
            yield from _several_orders(found)
            yield from _file_findings(context, found, count)
        case Effect.ACTS | Effect.UNKNOWN:
            yield from _acting_findings(context, found)
            yield from _file_findings(context, found, count)
    yield from _unknown_findings(context, found)


def label_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """Findings for one text of a control that acts."""
    running = is_running_text(found, text)
    opens = tables().is_exactly("opening", text) and not _is_final(context, text)
    if _asks_reader(context, text):
        return
    named = tuple(_named(context, text))
    for category, words in named:
        if not opens and (category is Category.LEGAL or not running):
            yield categorised(category, f"{category.value}-by-label", words)
    if running or opens:
        return
    if not named:
        named = tuple(_verbs(context, found, text))
        for category, words in named:
            yield categorised(category, f"{category.value}-by-label", words)
    yield from _answer_findings(context, found, text, named=bool(named))
    yield from _special_findings(context, text)


def _asks_reader(context: PolicyContext, text: str) -> bool:
    """Whether it is a question that unfolds its answer, as on pages of help."""
    return context.control.dialog is None and text.rstrip().endswith(_QUESTION_MARKS) and word_count(text) >= _SHORT


def _named(context: PolicyContext, text: str) -> Iterator[tuple[Category, str]]:
    """The categories of the words on a control; a word for the trash is one for the basket in a shop, in some
    languages."""
    for category, words in tables().in_label(text):
        basket = category is Category.DELETE and tables().has("harmless", words)
        if not (basket and is_shop(context.app, context.title, context.url)):
            yield category, words


def _answer_findings(context: PolicyContext, found: Hit, text: str, *, named: bool) -> Iterator[Finding]:
    """What a button carries out that does not name it: a confirmation, or a word that no table knows."""
    if tables().is_exactly("confirm", text) or (word_count(text) <= _SHORT and tables().has("confirm", text)):
        exact = tables().is_exactly("confirm", text)
        yield from confirm_findings(context, sure=exact or not tables().has("harmless", text))
        yield from _submitting_secret(context)
        if _is_button(context, found) and not named and not exact:
            yield from _unknown_button_findings(context, text)
        if tables().is_exactly("assent", text) and is_answer(context) and not asks_harmless(context):
            yield Finding(risk=RiskClass.C3, rule="assents")
    elif not named and (not _leaves(text) or _repeats_title(context, text)):
        yield from _unnamed_findings(context, found, text)


def _repeats_title(context: PolicyContext, text: str) -> bool:
    """Whether a word that usually only closes is the act that the title of the dialog names: “Leave group”, “Leave”."""
    title = context.control.dialog.title if context.control.dialog is not None else ""
    closes = tables().is_exactly("closing", text) or not tables().is_exactly("safe", text)
    return closes and word_count(title) > word_count(text) and fold(text) in fold(title)


def _special_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """What a button does by the place it stands in: submitting, pasting into a terminal, opening a file."""
    if tables().is_exactly("confirm", text) or tables().has("submit", text):
        yield from submit_findings(context)
    if tables().is_exactly("paste", text) and is_terminal_place(context):
        yield categorised(Category.TERMINAL, "pastes-into-terminal")
    if tables().is_exactly("files", text):
        yield from _opening_findings(context)
    if tables().has("closing", text):
        yield noteworthy("closes")
    if tables().has("overwriting", text):
        yield noteworthy("overwrites")


def confirm_findings(context: PolicyContext, *, sentences: bool = False, sure: bool = True) -> Iterator[Finding]:
    """What a plain OK, Yes or Submit confirms, according to the dialog, or the title and the texts nearby.

    Args:
        context: the context of the press.
        sentences: of the texts nearby, only sentences count: it is not certain that the control answers them.
        sure: the control may well confirm; otherwise only plain words of the dialog count.
    """
    asked = questions(context, sentences=sentences)
    title = context.control.dialog.title if context.control.dialog is not None else ""
    for text in asked:
        # A short question and a dialog's title name the act itself, as a control does.
        asks = len(text) <= _SHORT_QUESTION and (text == title or text.rstrip().endswith(("?", "？", "؟")))
        for category, words in tables().in_label(text) if asks else (*tables().in_text(text), *tables().as_order(text)):
            # Terms and policies are named at the foot of every page.
            if category is not Category.LEGAL or is_answer(context) or asks:
                yield categorised(category, f"{category.value}-by-question", words)
    if sure:
        yield from _place_findings(context)
    around = (*asked, *context.nearby)
    found = amounts(context)
    if sure and _moves_money(context, around, count=len(found)):
        yield categorised(Category.PAY, "confirms-payment", ", ".join(found) or context.title)


def _place_findings(context: PolicyContext) -> Iterator[Finding]:
    """What is confirmed by the verbs, the warning or the subject of the dialog, window or page."""
    if is_answer(context):
        for category, words in verbs_asked(context):
            yield categorised(category, f"{category.value}-by-question", words)
    if warning := warns(context):
        yield Finding(risk=RiskClass.C3, rule="warned", values=(warning,))
    if about := protects(context):
        yield categorised(Category.SECURITY, "saves-protection", about)
    if is_software_store(context.app, context.title):
        yield categorised(Category.INSTALL, "install-by-place")


def _verbs(context: PolicyContext, found: Hit, text: str) -> Iterator[tuple[Category, str]]:
    """What a push button or a menu entry carries out, by its verb in any form, its price, or what it protects."""
    if not (found.effect is Effect.ACTS or found.boxed) or word_count(text) > _MOST_WORDS_OF_BUTTON:
        return
    plain = tables().has("harmless", text)
    if not tables().has("trifles", text):
        yield from tables().in_button(text)
    if plain or not _is_button(context, found):
        return
    if names_amount(text):
        yield Category.PAY, text
    if word_count(text) > 1 and tables().has("protection", text):
        yield Category.SECURITY, text


def _unnamed_findings(context: PolicyContext, found: Hit, text: str) -> Iterator[Finding]:
    """A button of which no table says what it carries out, by what stands around it."""
    if _answers(context, found):
        # It may be the yes of a dialog.
        yield from confirm_findings(context, sentences=True, sure=not tables().has("harmless", text))
    elif (found.effect is Effect.ACTS or found.boxed) and not tables().has("harmless", text):
        yield from _payment_findings(context)
    if not _is_button(context, found):
        return
    if tables().is_exactly("updating", text):
        if context.control.dialog is not None or about_software(context):
            yield categorised(Category.INSTALL, "install-by-label", text)
    elif tables().has("harmless", text):
        yield from _submitting_secret(context)
        if protects(context) and tables().is_exactly("saving", text):
            yield categorised(Category.SECURITY, "saves-protection", protects(context))
    else:
        yield from _unknown_button_findings(context, text)


def _unknown_button_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    says = sum(map(str.isalpha, text)) > 1 and not tables().has("harmless", text)
    if says and (place := where_unknown_asks(context)):
        yield Finding(risk=RiskClass.C3, rule="unknown-button", values=(text, place))


def _submitting_secret(context: PolicyContext) -> Iterator[Finding]:
    """Signing in, or a secret that is set, by a button that does not say so."""
    if secret := secret_beside(context):
        yield categorised(Category.LOGIN, "login-by-form", secret)


def _is_button(context: PolicyContext, found: Hit) -> bool:
    return found.effect is Effect.ACTS and context.control.role not in _NO_PUSH_BUTTONS


def _payment_findings(context: PolicyContext) -> Iterator[Finding]:
    """A button that no table knows, on a page that speaks of paying, with few amounts beside it."""
    found = amounts(context)
    pays = any(category is Category.PAY for category, _ in tables().in_label(context.title))
    if 0 < len(found) <= FEW_AMOUNTS and (pays or names_money(context.title)):
        yield categorised(Category.PAY, "confirms-payment", ", ".join(found))


def submit_findings(context: PolicyContext) -> Iterator[Finding]:
    """`send` or `post` if the target, the title, the form or the intent names a recipient or a publication."""
    said = (context.label, context.control.name, context.title, context.intent, *context.control.group)
    if any(tables().has("publication", text) for text in said):
        yield categorised(Category.POST, "submit-publishes")
    elif any(tables().has("recipient", text) for text in said) or is_messenger(context.app, context.title, context.url):
        yield categorised(Category.SEND, "submit-sends")


def default_findings(context: PolicyContext) -> Iterator[Finding]:
    """What Enter confirms in the dialog of the control, by its default button; nothing outside a dialog."""
    dialog = context.control.dialog
    if dialog is None or (dialog.default and tables().is_exactly("safe", dialog.default)):
        return
    if dialog.default and not tables().is_exactly("confirm", dialog.default):
        button = Hit(effect=Effect.ACTS, texts=(dialog.default,), known=True, boxed=True)
        yield from label_findings(context, button, dialog.default)
    else:
        yield from confirm_findings(context)
        yield from submit_findings(context)


def _naming_console(found: Hit) -> Iterator[Finding]:
    if found.effect is not Effect.NOTHING and any(names_this_console(text) for text in found.texts):
        yield categorised(Category.SECURITY, "names-this-console")


def _acting_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    for text in found.texts:
        yield from label_findings(context, found, text)
    if found.icon == "lock" and not is_browser(context.app):
        yield categorised(Category.SECURITY, "security-by-label", found.icon)
    if is_browser(context.app) and any(_HIDDEN.search(text) for text in found.texts):
        yield categorised(Category.CREDENTIALS, "fills-in-secret")
    if context.control.role is Role.SWITCH:
        yield from _tick_findings(context, found.texts)
    if found.effect is Effect.UNKNOWN and is_mark(context):
        # A box beside its sentence.
        yield from _tick_findings(context, context.nearby[:_BESIDE])


def _tick_findings(context: PolicyContext, texts: tuple[str, ...]) -> Iterator[Finding]:
    said = texts or context.nearby[:_BESIDE]
    for text in said:
        for category, words in (*tables().in_label(text), *tables().in_button(text[:LONGEST_TICK])):
            if category in _ON_TICK:
                yield categorised(category, f"{category.value}-by-label", words)
        if tables().has("protection", text):
            yield categorised(Category.SECURITY, "security-by-label", text)
    if texts and (about := protects(context)):
        yield categorised(Category.SECURITY, "saves-protection", about)


def _order_findings(
    context: PolicyContext, found: Hit, *, apart: frozenset[Category] = frozenset()
) -> Iterator[Finding]:
    """What usually selects acts if its whole text is an order: "Delete" in a list that serves as a menu."""
    for text in found.texts:
        for category, words in tables().as_order(text):
            if category not in apart and not (tables().is_exactly("opening", text) and not _is_final(context, text)):
                yield categorised(category, f"{category.value}-by-label", words)
        if is_browser(context.app) and context.control.role is not Role.CELL and _is_saved_secret(context, text):
            yield categorised(Category.CREDENTIALS, "fills-in-secret")


def _is_saved_secret(context: PolicyContext, text: str) -> bool:
    """Whether an entry offers to fill in what a browser has saved: by its dots, or because it says so."""
    if _HIDDEN.search(text):
        return True
    entry = context.control.role is Role.LIST_ITEM and word_count(text) <= _MOST_WORDS_OF_BUTTON
    return entry and any(category is Category.CREDENTIALS for category, _ in tables().in_button(text))


def _several_orders(found: Hit) -> Iterator[Finding]:
    """A cell or an entry that only holds other controls ("Browse Empty Drop"): it is not known which one is hit."""
    for text in found.texts:
        if word_count(text) <= _SHORT:
            orders = [order for word in text.split() for order in tables().as_order(word)]
            for category, words in orders if len(orders) > 1 else ():
                yield categorised(category, f"{category.value}-by-label", words)


def _link_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    address = context.control.link.strip()
    if not address or address.endswith("#") or address[:11].lower() == "javascript:":
        # Without an address of its own it acts like a button, if it acts at all.
        if address:
            yield from _acting_findings(context, found)
        else:
            yield from _order_findings(context, found)
        return
    yield from (finding for finding in url_findings(address, context.url) if finding.category is not None)
    acting = _ACTING_ADDRESS.search(path_and_query(address))
    if acting is not None:
        for text in found.texts:
            yield from label_findings(context, found, text)
        for category, verbs in _ADDRESS_CATEGORIES.items():
            if acting["verb"] in verbs:
                yield categorised(category, f"{category.value}-by-address", acting["verb"])
        return
    yield from _order_findings(context, found, apart=_NOT_BY_LINK)
    for text in found.texts:
        # "Proceed to x.example (unsafe)"
        if word_count(text) > 1 and (match := tables().labels[Category.SECURITY].search(fold(text))):
            yield categorised(Category.SECURITY, "security-by-label", match.group(0))


def _file_findings(context: PolicyContext, found: Hit, count: int) -> Iterator[Finding]:
    if count <= 1:
        return
    if any(_PROGRAM_FILE.search(text) for text in found.texts) and not is_code_editor(context.app):
        yield categorised(Category.DOWNLOAD_RUN, "starts-file", found.texts[0])
    elif is_file_manager(context.app, context.title):
        yield noteworthy("opens-file")


def _unknown_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    acting = found.effect in (Effect.ACTS, Effect.UNKNOWN)
    if not acting or (found.known and found.texts):
        return
    if found.known:
        # It says nothing: an icon that is not recognised, or an empty place.
        nameless = found.effect is Effect.ACTS or found.boxed
        if nameless and _may_send(context):
            yield from _asks(context, "unnamed-control", only_messengers=True)
        yield noteworthy("unread-target")
        return
    if found.boxed and found.effect is Effect.UNKNOWN:
        # It is drawn like a button.
        place = risky_if_unknown(context) or "drawn like a button"
        yield Finding(risk=RiskClass.C3, rule="unknown-control", values=(place,))
    else:
        yield from _asks(context, "unknown-control", only_messengers=False)
    yield noteworthy("unread-target")


def _may_send(context: PolicyContext) -> bool:
    """Whether a message may be ready there: in a chat, after typing, or where a message is written."""
    if context.typed.strip() or is_chat(context.app, context.title, context.url):
        return True
    return any(tables().has("recipient", text) for text in (context.title, *context.control.group))


def _asks(context: PolicyContext, rule: str, *, only_messengers: bool) -> Iterator[Finding]:
    if only_messengers and not is_messenger(context.app, context.title, context.url):
        return
    if place := risky_if_unknown(context):
        yield Finding(risk=RiskClass.C3, rule=rule, values=(place,))


def _answers(context: PolicyContext, found: Hit) -> bool:
    """Whether it is a button of a dialog."""
    if context.control.dialog is not None:
        return found.effect is Effect.ACTS
    return (found.effect is Effect.ACTS or found.boxed) and beside_decline(context)


def _leaves(text: str) -> bool:
    """Whether a button only declines, closes, or opens something else."""
    groups = ("safe", "closing", "search", "files", "opening")
    return any(tables().is_exactly(group, text) for group in groups) or bool(_MORE.search(text.strip()))


def _is_final(context: PolicyContext, text: str) -> bool:
    """Whether a word that usually opens a form ("Reply", "Share") carries it out here: the form is filled in."""
    wanted = {category for category, _ in tables().in_label(text)}
    if wanted == {Category.LEGAL}:
        return False  # the name of a text to read
    if context.typed.strip() or context.control.dialog is not None:
        return True
    if beside_decline(context):
        return True
    if any(tables().has(kind, group) for kind in ("publication", "recipient") for group in context.control.group):
        return True
    if any(tables().has("publication", near) for near in context.nearby if len(near) <= PARAGRAPH):
        return True
    if any(tables().has("message", near) for near in context.nearby[:_BESIDE] if word_count(near) <= _SHORT):
        return True
    return any(category in wanted for category, _ in tables().in_label(context.title))


def _opening_findings(context: PolicyContext) -> Iterator[Finding]:
    """What a plain Open or Choose gives away or starts."""
    titles = (context.control.dialog.title if context.control.dialog is not None else "", context.title)
    named = [each for title in titles for each in (*tables().in_label(title), *tables().in_button(title))]
    uploads = any(category in (Category.UPLOAD, Category.SEND) for category, _ in named)
    owner = is_browser(context.app) or is_messenger(context.app, context.title)
    if uploads or (owner and is_file_chooser(context)):
        yield categorised(Category.UPLOAD, "chooses-upload")
    program = next((text for text in context.nearby[:_FILES_NEARBY] if _PROGRAM_FILE.search(text)), "")
    if program:
        yield categorised(Category.DOWNLOAD_RUN, "starts-file", program)


def _moves_money(context: PolicyContext, around: tuple[str, ...], *, count: int) -> bool:
    """Whether what is confirmed moves money: an amount with an account or a recipient beside it, or a place or a title
    that speaks of payment. Many amounts are a list."""
    titles = (context.control.dialog.title if context.control.dialog is not None else "", context.title)
    if any(names_money(title) and word_count(title) <= _SHORT for title in titles):
        return True
    if not 0 < count <= FEW_AMOUNTS:
        return False
    if any(names_money(text) for text in around):
        return True
    if any(names_amount(text) and _pays(text) for text in around if len(text) <= PARAGRAPH):
        return True
    return any(_ACCOUNT.search(text[:LONGEST_LABEL]) or tables().has("recipient", text) for text in around)


def _pays(text: str) -> bool:
    return any(category is Category.PAY for category, _ in tables().in_button(text))
