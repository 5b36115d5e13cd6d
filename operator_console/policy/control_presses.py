"""Assesses a press on a control, by pointer or by key, according to what its kind of control does.

What is not known about the control is asked about where it could do harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.elements import Role, TextKnowledge
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import (
    is_browser,
    is_chat,
    is_code_editor,
    is_file_manager,
    is_messenger,
    names_this_console,
)
from operator_console.policy.confirmations import confirm_findings
from operator_console.policy.control_kinds import (
    PARAGRAPH,
    Effect,
    Hit,
    hit,
    is_arrow,
    is_mark,
    is_safe,
    undoes,
    word_count,
)
from operator_console.policy.control_labels import explains_change, label_findings
from operator_console.policy.file_paths import is_program_file, names_program_file
from operator_console.policy.findings import (
    Finding,
    PolicyContext,
    categorised,
    named_by,
    not_known,
    noteworthy,
    ordinary,
)
from operator_console.policy.input_places import A_DIALOG, is_file_chooser, is_question, questions, risky_if_unknown
from operator_console.policy.links import NOT_BY_LINK, address_opened, link_findings
from operator_console.policy.surrounding_text import (
    acts_in_title,
    fills_in_person,
    holds_account,
    lists_settings,
    masks_secret,
    names_terms,
    outward_around,
    protects,
    resets_machine,
    saves_for_guests,
    schedules,
    secret_beside,
    signs_in,
    verbs_asked,
    warns,
)
from operator_console.policy.text_orders import (
    drawn_cell_findings,
    mixed_orders_findings,
    order_findings,
    painted_findings,
)
from operator_console.policy.ways_out import leaves_as_it_is
from operator_console.policy.word_tables import includes, tables

_ON_TICK = frozenset((Category.LEGAL, Category.SECURITY, Category.CREDENTIALS))
# Names of places as well, in some languages: what is downloaded, what is installed.
_PLACES_TOO = frozenset((Category.DOWNLOAD_RUN, Category.INSTALL, Category.LEGAL, Category.LOGIN))
_LONGEST_TICK = 200  # characters of the text of a check box that are searched for verbs
_READ = frozenset((Role.LABEL, Role.PARAGRAPH, Role.STATUS_BAR))  # a double click selects a word there
_ENTRIES = frozenset((Role.MENU_ITEM, Role.LIST_ITEM, Role.CELL, Role.BUTTON, Role.LABEL, Role.TREE_ITEM))
_WORDS_OF_ANSWER = 4  # “Anyone with the link can view”
_OPTIONS = frozenset((Role.LIST_ITEM, Role.MENU_ITEM))
_TIME_OF_DAY = re.compile(
    r"(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)|\d\s?[ap]\.?m\b|\d\s?[時时点點시]|(?:上午|下午|午前|午後|오전|오후)\s?\d",
    re.IGNORECASE,
)
_WORD_SHAPE = 1.5  # width of a box that may hold a word, in its heights: a short word with its margins
_TALLEST_BUTTON = 120  # native pixels
_BESIDE = 3  # texts, the nearest first, of which one may be the sentence beside a check box


def press_findings(context: PolicyContext, *, count: int = 1) -> Iterator[Finding]:
    """Findings for pressing the control that is hit, `count` times in a row."""
    found = hit(context)
    yield from _naming_console(found)
    despite = tuple(_despite_declining(context, found))
    yield from despite
    undone = found.texts and not is_browser(context.app) and all(map(undoes, found.texts))
    left = found.texts and found.known and all(leaves_as_it_is(context, text) for text in found.texts)
    if not despite and (is_safe(found) or undone or left):
        yield ordinary("declines")
        return
    match found.effect:
        case Effect.NOTHING:
            return
        case Effect.LEADS:
            yield from _account_findings(context, found)
            if address := address_opened(context.control):
                yield from link_findings(context, found, address)
            elif context.control.link.strip():  # it acts like a button
                yield from _acting_findings(context, found)
            else:
                yield from order_findings(context, found)
        case Effect.CHOOSES:
            yield from _tick_findings(context, found.texts)
        case Effect.SELECTS:
            places = context.control.role in (Role.LIST_ITEM, Role.TREE_ITEM, Role.TAB)
            yield from order_findings(context, found, apart=_PLACES_TOO if places else NOT_BY_LINK)
            if context.control.role is Role.CELL and context.control.pressable:
                yield from drawn_cell_findings(context, found)
            yield from mixed_orders_findings(found)
            yield from _entry_findings(context, found, count)
            if context.control.role is Role.LABEL:
                yield from painted_findings(context, found)
            yield from _file_findings(context, found, count)
        case Effect.ACTS | Effect.UNKNOWN:
            yield from _entry_findings(context, found, count)
            yield from _acting_findings(context, found)
            yield from _file_findings(context, found, count)
    yield from _unknown_findings(context, found)


def _despite_declining(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    """What a control carries out there although its words usually decline, keep or only save."""
    if _restores(found) and resets_machine(context):
        yield categorised(Category.SYSTEM, "system-by-label", found.texts[0])
    elif _restores(found) and (warning := warns(context)):
        yield Finding(risk=RiskClass.C3, rule="warned", values=(warning,))
    elif _keeps_program(context, found):
        yield categorised(Category.DOWNLOAD_RUN, "download-run-by-label", found.texts[0])
    elif version := next((text for text in found.texts if _chooses_version(context, text)), ""):
        yield categorised(Category.DELETE, "delete-by-label", version)
    elif _loses_work(context, found):
        yield categorised(Category.DELETE, "delete-by-question", found.texts[0])
    elif saves_for_guests(context, found.texts):
        yield categorised(Category.SEND, "submit-sends")
    else:
        yield from _scheduling_findings(context, found)


def _loses_work(context: PolicyContext, found: Hit) -> bool:
    """Whether it is the no to whether changes are saved. The no to whether to leave without saving keeps them."""
    if not any(tables().is_exactly("plain-no", text) for text in found.texts):
        return False
    asked = [text for text in (*questions(context), context.title) if is_question(text) or _asks_by_ending(text)]
    return any(tables().has("unsaved", text) and not tables().has("without", text) for text in asked)


def _asks_by_ending(text: str) -> bool:
    return text.rstrip(" .。").endswith("か")


def _keeps_program(context: PolicyContext, found: Hit) -> bool:
    """Whether it keeps a download that a browser warns of."""
    if not is_browser(context.app) or not any(tables().has("declining", text) for text in found.texts):
        return False
    names = (context.title, *context.nearby[:_BESIDE])
    warned = warns(context) or tables().has("warning", context.title)
    deletes = includes((*tables().in_label(context.title), *verbs_asked(context)), Category.DELETE)
    return bool(warned) and not deletes and any(map(names_program_file, names))


def _chooses_version(context: PolicyContext, text: str) -> bool:
    """Whether a button of a dialog keeps or takes one of two versions, the other of which is lost: “Keep the newer”."""
    if context.control.dialog is None or not tables().has("versions", text):
        return False
    if includes(tuple(verbs_asked(context)), Category.DELETE):
        return False  # “Delete the original?”
    kept = any(tables().is_at_edge(group, text) for group in ("keeping", "declining"))
    return kept and tables().is_made_of(("keeping", "declining", "versions", "small-words"), text)


def _scheduling_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    """What an entry with a time of day carries out then, where the dialog or the menu is about sending or posting."""
    entry = context.control.role in _ENTRIES or found.effect is Effect.CHOOSES
    if entry and any(_TIME_OF_DAY.search(text) for text in found.texts):
        yield from named_by("title", schedules(context))


def _restores(found: Hit) -> bool:
    return any(tables().is_exactly("restoring", text) for text in found.texts)


def _account_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    """What an entry signs in with: an account, where one is chosen."""
    for text in found.texts:
        if holds_account(context, text):
            yield categorised(Category.LOGIN, "login-by-form", text)


def _entry_findings(context: PolicyContext, found: Hit, count: int) -> Iterator[Finding]:
    """What an entry of a list or a menu fills in or signs in with, and what a double click on it answers."""
    yield from _account_findings(context, found)
    for text in found.texts:
        if _is_option(context) and tables().has("protection", text) and _shares(context, text):
            yield categorised(Category.SECURITY, "security-by-label", text)
        entry = context.control.role in (Role.MENU_ITEM, Role.LIST_ITEM) and is_browser(context.app)
        if entry and fills_in_person(context, text):
            yield categorised(Category.PERSONAL_DATA, "fills-in-person", text)
    selects = (
        found.effect is Effect.SELECTS and context.control.dialog is not None and context.control.role not in _READ
    )
    if count > 1 and selects and not is_file_chooser(context):
        yield from confirm_findings(context)


def _is_option(context: PolicyContext) -> bool:
    """Whether it is an entry to choose, or may be one where something is shared, of a kind that is not told."""
    shares = includes(tuple(acts_in_title(context)), Category.POST)
    return context.control.role in _OPTIONS or (context.control.role is Role.UNKNOWN and shares)


def _shares(context: PolicyContext, text: str) -> bool:
    """Whether an entry is an answer: in a dialog, where the title names sharing, or by a sentence that says who may do
    what. Elsewhere it is a place of settings."""
    if lists_settings(context) and not tables().in_control(text):
        return False
    if context.control.dialog is not None or includes(tuple(acts_in_title(context)), Category.POST):
        return True
    answers = word_count(text) >= _WORDS_OF_ANSWER and tables().has("outward", text) and not is_question(text)
    return answers and not explains_change(context, text)


def _acting_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    for text in found.texts:
        yield from label_findings(context, found, text)
    if _may_write(context) and any(map(is_arrow, found.texts)):
        yield categorised(Category.SEND, "send-by-label", found.texts[0])
    if found.icon == "lock" and not is_browser(context.app):
        yield categorised(Category.SECURITY, "security-by-label", found.icon)
    if is_browser(context.app) and any(masks_secret(text) for text in found.texts):
        yield categorised(Category.CREDENTIALS, "fills-in-secret")
    # The tabs of programs are toggle buttons, too.
    if context.control.role is Role.SWITCH or (context.control.role is Role.TOGGLE_BUTTON and is_browser(context.app)):
        yield from _tick_findings(context, found.texts)
    if found.effect is Effect.UNKNOWN and is_mark(context):
        # A box beside its sentence.
        yield from _tick_findings(context, context.nearby[:_BESIDE])


def _tick_findings(context: PolicyContext, texts: tuple[str, ...]) -> Iterator[Finding]:
    said = texts or context.nearby[:_BESIDE]
    for text in said:
        named = (*tables().in_label(text), *tables().in_button(text[:_LONGEST_TICK]))
        yield from named_by("label", (each for each in named if each[0] in _ON_TICK))
        if tables().has("protection", text):
            yield categorised(Category.SECURITY, "security-by-label", text)
    if texts and (about := names_terms(context)):
        yield categorised(Category.LEGAL, "legal-by-question", about)
    known = any(tables().has("harmless", text) and not tables().in_label(text) for text in texts)
    if texts and not known and (about := protects(context)):
        yield categorised(Category.SECURITY, "saves-protection", about)


def option_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """An option of a combo box that says who may get in or what is protected, chosen without seeing the others."""
    if tables().has("protection", text):
        yield categorised(Category.SECURITY, "security-by-label", text)
    elif not tables().has("harmless", text) and (about := protects(context)):
        yield categorised(Category.SECURITY, "saves-protection", about)


def _file_findings(context: PolicyContext, found: Hit, count: int) -> Iterator[Finding]:
    if count <= 1:
        return
    if any(is_program_file(text) for text in found.texts) and not is_code_editor(context.app):
        yield categorised(Category.DOWNLOAD_RUN, "starts-file", found.texts[0])
    elif is_file_manager(context.app, context.title):
        yield noteworthy("opens-file")


def _naming_console(found: Hit) -> Iterator[Finding]:
    if found.effect is not Effect.NOTHING and any(names_this_console(text) for text in found.texts):
        yield categorised(Category.SECURITY, "names-this-console")


def _unknown_findings(context: PolicyContext, found: Hit) -> Iterator[Finding]:
    acting = found.effect in (Effect.ACTS, Effect.UNKNOWN)
    if not acting or (found.known and found.texts):
        return
    if found.known:
        # It says nothing: an icon that is not recognised, or an empty place.
        nameless = found.effect is Effect.ACTS or found.boxed
        if nameless and (place := outward_around(context)):
            yield not_known(context, "unnamed-control", f"near “{place}”")
        elif nameless and _names_recipient(context):
            yield not_known(context, "unnamed-control", f"in “{context.title}”")
        elif nameless and _may_send(context):
            yield from _asks(context, "unnamed-control", only_messengers=True)
        yield noteworthy("unread-target")
        return
    if found.boxed and found.effect is Effect.UNKNOWN and _may_be_button(context):
        yield from _not_read(context, "unknown-control", risky_if_unknown(context) or "drawn like a button")
    else:
        yield from _asks(context, "unknown-control", only_messengers=False)
    yield noteworthy("unread-target")


def _may_be_button(context: PolicyContext) -> bool:
    """Whether the box has the height of a button, and is not read yet or wide enough for a word that cannot be read; a
    square one holds a sign."""
    extent = context.control.extent
    if extent is None:
        return True
    not_yet = context.control.knowledge is TextKnowledge.NOT_YET
    return extent.height <= _TALLEST_BUTTON and (not_yet or extent.width >= _WORD_SHAPE * extent.height)


def _may_send(context: PolicyContext) -> bool:
    """Whether a message may be ready there: in a chat, after typing, or where a message is written."""
    if context.typed.strip() or is_chat(context.app, context.title, context.url):
        return True
    return _names_recipient(context)


def _may_write(context: PolicyContext) -> bool:
    """Whether a message may be written there: a chat, a recipient, text that was typed, or a field for a message."""
    if _may_send(context) or is_messenger(context.app, context.title, context.url):
        return True
    near = (text for text in context.nearby[:_BESIDE] if len(text) <= PARAGRAPH)
    return any(tables().has("message", text) for text in near)


def _names_recipient(context: PolicyContext) -> bool:
    return any(tables().has("recipient", text) for text in (context.title, *context.control.group))


def _asks(context: PolicyContext, rule: str, *, only_messengers: bool) -> Iterator[Finding]:
    if only_messengers and not is_messenger(context.app, context.title, context.url):
        return
    place = risky_if_unknown(context) or outward_around(context)
    if not place and not only_messengers:
        place = _signs_in_or_answers(context)
    if place:
        yield from _not_read(context, rule, place)


def _not_read(context: PolicyContext, rule: str, place: str) -> Iterator[Finding]:
    """It is not known, and in such a place; what a dialog asks is known."""
    yield not_known(context, rule, place)
    if place == A_DIALOG:
        for text in questions(context):
            yield from named_by("question", tables().in_text(text))


def _signs_in_or_answers(context: PolicyContext) -> str:
    """Why what could not be read may sign in or carry something out there; "" if it may not."""
    if context.control.dialog is not None and any(verbs_asked(context)):
        return "a dialog"
    if secret_beside(context):
        return "a form with a secret"
    return "a page that signs in" if signs_in(context) else ""
