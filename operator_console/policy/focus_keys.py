"""Assesses Enter, Space, Escape, Delete and access keys by the control that has the focus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from operator_console.domain.elements import Control, ControlSource, ElementState, Role, TextKnowledge
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from operator_console.policy.applications import (
    is_browser,
    is_chat,
    is_file_manager,
    is_image_viewer,
    is_mail,
    is_messenger,
    is_money_place,
    is_sheet,
)
from operator_console.policy.carried_data import carried_findings
from operator_console.policy.confirmations import confirm_findings, submit_findings
from operator_console.policy.control_kinds import (
    PARAGRAPH,
    Effect,
    Hit,
    content_of,
    counts,
    effect_of,
    is_closed_choice,
    is_multi_line,
    is_search_field,
    takes_text,
    word_count,
)
from operator_console.policy.control_labels import label_findings
from operator_console.policy.control_presses import option_findings, press_findings
from operator_console.policy.file_paths import is_program_file
from operator_console.policy.findings import Finding, PolicyContext, categorised, named_by, not_known, noteworthy
from operator_console.policy.form_submission import form_findings, knows_default
from operator_console.policy.input_places import (
    entries_act,
    is_in_dialog,
    is_question,
    is_terminal_place,
    questions,
    risky_if_unknown,
)
from operator_console.policy.links import opened_address_findings
from operator_console.policy.surrounding_text import outward_around, protects
from operator_console.policy.web_addresses import is_script, url_findings
from operator_console.policy.word_tables import fold, tables

_COLLECTIONS = (Role.LIST, Role.TABLE, Role.TREE)
_PRESSED_BY_KEYS = (Effect.ACTS, Effect.CHOOSES, Effect.LEADS, Effect.SELECTS)
_WORDS_OF_BUTTON = 3
_MESSAGE_WORDS = 3  # in a line of a program
_ENUMERATES = re.compile(r"\w *[,،、，] *\w")  # what may be looked for: “Song, artist, album”
_CELL = re.compile(r"[A-Z]{1,3}[1-9]\d{0,5}")  # of a spreadsheet
_NUMBER = re.compile(r"[-+]?\d{1,6}(?:[.,]\d{1,4})?")
_UNIT = re.compile(
    r"(?:m²|m2|m³|cm²|km²|℃|°\s?[CF]?|%|\b(?:mm|cm|km|kg|mg|ml|kcal|kwh|lbs?|oz|inch\w*|feet|miles?|met(?:er|re)s?|"
    r"kilomet\w+|celsius|fahrenheit|litr\w+|liter\w*|gramm?\w*|m[eè]tres?|metros?|metri|meter|кг|см|км|м|мл|м²|л|"
    r"метр\w*|кілометр\w*|километр\w*|kilogram\w*)\b|マイル|キロ|メートル|平米|公里|平方米|公斤|厘米|英里|미터|평방|킬로)",
    re.IGNORECASE,
)
_NAMELESS = "a field without a name"
_OF_SHEETS = frozenset((Role.CELL, Role.TABLE, Role.DOCUMENT, Role.GROUP, Role.IMAGE, Role.UNKNOWN))
_HOLD_ALL = frozenset((Role.DOCUMENT, Role.IMAGE))  # what is drawn there is selected as a whole
_FIELD_SHAPE = 2  # width of a field, in its heights
_TALLEST_LINE = 48  # native pixels: of a field for one line
_SHOWN = frozenset((Role.LABEL, Role.PARAGRAPH, Role.STATUS_BAR, Role.TAB))  # holds nothing that keys would delete
_LEAD_TO_ADDRESS = (frozenset(map(Key, ("ctrl", "l"))), frozenset(map(Key, ("ctrl", "t"))))
_MENU = frozenset((Role.MENU, Role.MENU_ITEM, Role.MENU_BAR))


def enter_findings(
    context: PolicyContext, text: str | None = None, *, submits: bool = False, modified: bool = False
) -> Iterator[Finding]:
    """Findings for Enter outside terminals, with `text` in the focused field (by default what was typed so far).

    Args:
        context: the context of the key or the text.
        text: what the field holds then.
        submits: Enter is meant to submit the text, in a field with several lines too.
        modified: a modifier key is held, with which some toolkits' buttons leave Enter to the dialog.
    """
    whole = context.typed if text is None else text
    control = context.control
    effect = effect_of(control)
    # What was typed is lost where a browser tells another element for its address bar.
    content = content_of(control) if takes_text(control) else ""
    yield from _address_findings(context, whole if whole.strip() else content)
    if effect in _PRESSED_BY_KEYS:
        yield from press_findings(context, count=2)
        if modified or effect in (Effect.SELECTS, Effect.CHOOSES):
            yield from _default_findings(context)
        if effect is Effect.CHOOSES:
            yield from _form_of_choice_findings(context)
        return
    if control.role is Role.SLIDER:
        yield from _form_of_choice_findings(context)
    if is_program_file(whole) and is_file_manager(context.app, context.title) and not takes_text(control):
        yield categorised(Category.DOWNLOAD_RUN, "starts-file", whole.strip())  # what was typed chose it
    if is_search_field(context):
        if control.dialog is not None and control.dialog.default:
            yield from _default_findings(context)
        return
    if takes_text(control):
        yield from _field_findings(context)
        if not is_multi_line(control) and not is_mail(context.app, context.title, context.url):
            yield from form_findings(context)
        yield from _unknown_form_findings(context, whole.strip() or control.value.strip(), submits=submits)
    else:
        if effect is Effect.UNKNOWN:
            yield from _unknown_focus_findings(context, typed=bool(whole.strip()))
            yield from form_findings(context) if whole.strip() and not context.label else ()
            yield from _unknown_field_findings(context, whole, submits=submits)
        yield from _default_findings(context)


def _unknown_field_findings(context: PolicyContext, text: str, *, submits: bool) -> Iterator[Finding]:
    """Enter after `text` where the picture alone tells of a field: in a bank it may pay, whatever the field is for, and
    on a page several words may be a message."""
    pays = is_money_place(context.app, context.title, context.url)
    mail = is_mail(context.app, context.title, context.url)
    says = submits and is_browser(context.app) and not mail and word_count(text) >= _MESSAGE_WORDS
    if says or (pays and not tables().has("search", context.label)):
        yield not_known(context, "submits-unknown", context.label or _NAMELESS)


def space_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for Space outside terminals."""
    effect = effect_of(context.control)
    if effect in (Effect.ACTS, Effect.CHOOSES, Effect.SELECTS):
        yield from press_findings(context)
        if effect is Effect.SELECTS and (about := protects(context)):  # perhaps the box in a line of a list
            yield categorised(Category.SECURITY, "saves-protection", about)
    elif effect is Effect.UNKNOWN and context.control.role in (Role.UNKNOWN, Role.GROUP):
        typed = bool(context.typed.strip()) and not _may_be_pressed(context)
        yield from () if typed else _unknown_focus_findings(context, typed=False, submits=False)


def saving_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for the key that saves where a page has listened to it: it does what a button “Save” there would."""
    if is_browser(context.app) and (takes_text(context.control) or context.typed.strip()):
        save = Hit(effect=Effect.ACTS, texts=("Save",), known=True, boxed=True)
        yield from label_findings(context, save, "Save")


def step_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for a key that moves a slider, counts up and down, or chooses another option of a combo box, at once,
    also where the picture alone tells of that."""
    yield from value_findings(context)
    if may_be_choice(context):
        yield from option_findings(context, context.label)


def may_be_choice(context: PolicyContext) -> bool:
    """Whether what has the focus may be a combo box that the picture alone shows: a box with a text that was clicked,
    or what Tab has led to."""
    control = context.control
    if control.source is ControlSource.PICTURE:
        return bool(control.text)
    return context.focus_moved and control.source is ControlSource.NONE and not context.read


def value_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for what changes the value of a slider or a spin button, or chooses another option of a combo box."""
    control = context.control
    if counts(control):
        for text in filter(None, (control.name, control.label, control.description)):
            yield from named_by("label", tables().in_control(text))
    elif is_closed_choice(control):
        for text in filter(None, (control.name, control.label, control.description, control.value)):
            yield from option_findings(context, text)


def wheel_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for the wheel over a control, which changes the values that keys change, and chooses in a combo box that
    can be written in, too."""
    control = context.control
    if control.role is Role.COMBO_BOX:
        control = replace(control, states=tuple(each for each in control.states if each is not ElementState.EDITABLE))
    yield from value_findings(replace(context, control=control))


def escape_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for Escape: it answers a dialog."""
    if is_in_dialog(context):
        yield noteworthy("closes")


def letter_findings(letter: str, context: PolicyContext) -> Iterator[Finding]:
    """Findings for a single letter or digit, which may be the access key of a button or a menu entry."""
    if takes_text(context.control):
        return
    if context.control.role in _MENU or context.menu_open:
        if is_terminal_place(context):
            yield categorised(Category.TERMINAL, "pastes-into-terminal")
        elif place := risky_if_unknown(context) or outward_around(context) or _menu_that_acts(context):
            yield not_known(context, "menu-by-letter", place)
        else:
            yield noteworthy("opens-menu-entry")
    elif effect_of(context.control) is Effect.UNKNOWN and context.typed.strip():
        return
    elif is_in_dialog(context):
        yield from access_key_findings(letter, context)
    elif context.control.role is Role.UNKNOWN and (place := risky_if_unknown(context)):
        # Perhaps the entry of an open menu: Qt does not tell that a menu has the focus.
        yield not_known(context, "menu-by-letter", place)


def _menu_that_acts(context: PolicyContext) -> str:
    """The open menu of which no entry is known, where the entries of menus act on what is selected; "" if none is."""
    unknown = context.menu_open and context.control.role not in _MENU
    return "a menu" if unknown and entries_act(context) else ""


def access_key_findings(letter: str, context: PolicyContext) -> Iterator[Finding]:
    """Findings for a letter with Alt, which presses the button or opens the menu with that access key."""
    if context.control.role in _MENU and is_terminal_place(context):
        yield categorised(Category.TERMINAL, "pastes-into-terminal")
    elif context.control.role in _MENU and (place := risky_if_unknown(context)):
        yield not_known(context, "menu-by-letter", place)
    if is_in_dialog(context):
        for text in questions(context):
            yield from named_by("question", tables().in_text(text))
        yield from _default_findings(context)
    yield from _accessed_findings(letter, context)


def _accessed_findings(letter: str, context: PolicyContext) -> Iterator[Finding]:
    """What a button nearby that may have the access key carries out: an order with the letter at the start of a word,
    or inside one where no other control there begins with it."""
    short = [text for text in context.nearby if 0 < word_count(text) <= _WORDS_OF_BUTTON]
    near = [text for text in short if not tables().is_exactly("opening", text)]  # “Format” is a menu
    initial = [text for text in near if any(word.startswith(letter) for word in fold(text).split())]
    if is_browser(context.app):
        for text in initial:
            pressed = Hit(effect=Effect.ACTS, texts=(text,), known=True, boxed=True)
            named = (each for each in label_findings(context, pressed, text) if each.category is not None)
            yield from (each for each in named if each.category is not Category.UNKNOWN)
        return
    for text in initial or [text for text in near if letter in fold(text)]:
        yield from named_by("label", tables().as_order(text))
        if tables().is_exactly("safe", text):
            yield from press_findings(
                replace(context, control=replace(context.control, name=text, text=text, label=""))
            )


def delete_findings(context: PolicyContext, *, forever: bool = False) -> Iterator[Finding]:
    """Findings for the Delete key, with or without modifiers: outside fields it deletes what is selected, in a sheet
    the content of cells. With Shift it deletes files for ever (`forever`), and is seldom meant for text."""
    if _may_write_in(context):
        return
    sheet = is_sheet(context.app, context.title)
    lists = (
        forever and context.control.role is Role.UNKNOWN,
        _is_chosen_in(context.control) and not sheet,
        # A page listens to its keys wherever the focus is; without a field there is nothing else to delete.
        is_browser(context.app) and context.control.role not in _MENU and not sheet,
        is_file_manager(context.app, context.title),
        is_image_viewer(context.app, context.title),
        is_messenger(context.app, context.title, context.url),
    )
    if any(lists):
        yield categorised(Category.DELETE, "delete-key")


def clearing_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for what empties a field before text is typed: Ctrl+A, then the Delete key. Where there is no field that
    deletes everything there, in a sheet all of its cells."""
    control = context.control
    if is_terminal_place(context) or control.role in _MENU:
        return  # Ctrl+U there; a menu knows neither key
    sheet = is_sheet(context.app, context.title) and control.role in _OF_SHEETS and not context.typed.strip()
    if sheet or (not _may_write_in(context) and control.role in _HOLD_ALL):
        yield categorised(Category.DELETE, "delete-key")
    elif not _may_write_in(context) and not _is_drawn_field(context):
        yield from delete_findings(context, forever="shift" in context.held)
        if control.role is Role.UNKNOWN:
            yield noteworthy("clears-unknown")


def _is_drawn_field(context: PolicyContext) -> bool:
    """Whether the picture shows a box around the place in which text may be written; one that is empty may be short, as
    for a number. Where the Delete key deletes files and messages the box must be empty, and have a name beside it: rows
    of lists are boxes, too."""
    control = context.control
    box = control.extent
    if control.source is not ControlSource.PICTURE or box is None:
        return False
    empty = control.knowledge is TextKnowledge.READ and not control.text and not control.icon
    short = empty and box.height <= _TALLEST_LINE and box.width > box.height
    if not short and box.width < _FIELD_SHAPE * box.height:
        return False
    lists = is_file_manager(context.app, context.title) or is_image_viewer(context.app, context.title)
    if lists or is_messenger(context.app, context.title, context.url):
        return empty and bool(control.label)
    return True


def backspace_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for Backspace, which deletes what is chosen as the Delete key does in mail and on pages: keyboards
    without a Delete key have no other. In a file manager it goes to the folder above."""
    told = _is_chosen_in(context.control) and context.control.role not in _SHOWN
    deletes = is_browser(context.app) or is_mail(context.app, context.title)
    if told and deletes and not is_sheet(context.app, context.title):
        yield from delete_findings(context)


def shortcut_findings(pressed: str, context: PolicyContext) -> Iterator[Finding]:
    """Findings for a single sign that is no letter: a hash deletes what is chosen on pages with mail or files."""
    if pressed == "#" and is_browser(context.app) and not _may_write_in(context):
        yield categorised(Category.DELETE, "delete-key")


def _may_write_in(context: PolicyContext) -> bool:
    """Whether the focus is in text. What is typed where a list has the focus only finds an entry, and a button takes
    none; file managers and image viewers show lists where no field is known."""
    if takes_text(context.control):
        return True
    pressed = _is_chosen_in(context.control) or effect_of(context.control) in _PRESSED_BY_KEYS
    lists = is_file_manager(context.app, context.title) or is_image_viewer(context.app, context.title)
    finds = pressed or (lists and not _is_drawn_field(context))
    return bool(context.typed.strip()) and not finds


def _is_chosen_in(control: Control) -> bool:
    """Whether what has the focus is, or holds, something that can be chosen, and no text is written there."""
    return control.role in _COLLECTIONS or effect_of(control) in (Effect.SELECTS, Effect.CHOOSES)


def _address_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """An address that Enter opens: it may be the address bar. A word in a search field has no scheme and no program
    file extension."""
    whole = text.strip()
    if not is_browser(context.app) or not whole or context.control.role is Role.SEARCH_FIELD:
        return
    # A script may contain spaces, other addresses do not.
    if is_script(text) or not re.search(r"\s", whole):
        yield from (finding for finding in url_findings(text, context.url) if finding.category)
        if re.match(r"\w+://|[\w\-]+(?:\.[\w\-]+)+/", whole):
            yield from opened_address_findings(whole)
            yield from carried_findings(whole if "://" in whole else f"https://{whole}", context.met)


def _field_findings(context: PolicyContext) -> Iterator[Finding]:
    control = context.control
    chat = is_chat(context.app, context.title, context.url)
    if is_multi_line(control) and not chat:
        return  # a new line
    names = (control.name, control.label, control.description)
    if control.role is Role.PASSWORD_FIELD:
        yield categorised(Category.LOGIN, "login-by-enter", control.name or control.label)
    yield from _login_findings(names)
    # In mail, Enter in a line goes on to the next one.
    if chat or (not is_mail(context.app, context.title, context.url) and _names_form(context, names)):
        yield from submit_findings(context)
    if not is_mail(context.app, context.title, context.url) and any(_names_message(name) for name in names):
        yield categorised(Category.SEND, "submit-sends")
    if control.dialog is not None:
        yield from _default_findings(context)
    else:
        yield from _title_findings(context)


def _unknown_form_findings(context: PolicyContext, text: str, *, submits: bool) -> Iterator[Finding]:
    """Enter after `text` in a field of a page or a message's line, unless its name says that it only looks up, names
    or counts something. Without a name, several words are a message; elsewhere a line is an entry of the program."""
    control = context.control
    if not text or control.dialog is not None or is_mail(context.app, context.title, context.url):
        return
    if knows_default(control) and not is_multi_line(control):
        return  # it is judged as that
    if is_multi_line(control) and not (submits and is_browser(context.app)):
        return  # a new line
    names = [name for name in (control.name, control.label, control.description) if name]
    plain = [name for name in names if not is_question(name)]
    if any(tables().has(group, name) for group in ("harmless", "search", "files") for name in plain):
        return
    cell = plain and all(_CELL.fullmatch(name.strip()) for name in plain)
    if cell or _measures(context, plain, text) or _limits(context, plain, text):
        return
    if tables().has("search", context.title) and any(_ENUMERATES.search(name) for name in plain):
        return
    if is_browser(context.app) or word_count(text) >= _MESSAGE_WORDS:
        yield not_known(context, "submits-unknown", next(iter(names), _NAMELESS))


def _measures(context: PolicyContext, names: list[str], text: str) -> bool:
    """Whether a number goes into a field for a length, an area, a weight or the like, where nothing is sent or paid."""
    if not _NUMBER.fullmatch(text.strip()) or not any(_UNIT.search(name) for name in names):
        return False
    return not outward_around(context) and not risky_if_unknown(context)


def _limits(context: PolicyContext, names: list[str], text: str) -> bool:
    """Whether a number goes into one of the two fields, “from” and “to”, of a filter."""
    pairs = product((name.strip(" :.") for name in names), (near.strip(" :.") for near in context.nearby))
    ranges = (f"{low} {high}" for pair in pairs for low, high in (pair, pair[::-1]))
    return bool(_NUMBER.fullmatch(text.strip())) and any(tables().is_exactly("limits", each) for each in ranges)


def _names_message(name: str) -> bool:
    """Whether a message is written in the field with this name."""
    return 0 < len(name) <= PARAGRAPH and tables().has("message", name)


def _names_form(context: PolicyContext, names: tuple[str, ...]) -> bool:
    said = (context.title, context.intent, *names, *context.control.group)
    return any(tables().has(group, text) for group in ("publication", "recipient") for text in said)


def _form_of_choice_findings(context: PolicyContext) -> Iterator[Finding]:
    """Enter on a check box, a radio button or a slider of a page, which submits its form: what stands there says of
    what."""
    if not is_browser(context.app) or context.control.dialog is not None:
        return
    yield from submit_findings(context)
    yield from _title_findings(context)
    if place := risky_if_unknown(context) or outward_around(context):
        yield not_known(context, "unknown-focus", place)


def _title_findings(context: PolicyContext) -> Iterator[Finding]:
    for text in questions(context):
        yield from named_by("title", tables().in_text(text))


def _unknown_focus_findings(context: PolicyContext, *, typed: bool, submits: bool = True) -> Iterator[Finding]:
    """What has the focus is not known: a field if text was typed into it, else perhaps a button."""
    mail = is_mail(context.app, context.title, context.url)
    if submits and not (typed and mail):
        yield from submit_findings(context)
    if context.control.dialog is None:
        yield from _title_findings(context)
    yield from _login_findings((context.label,))
    if typed and submits and not mail and _names_message(context.label):
        yield categorised(Category.SEND, "submit-sends")
    focused = Hit(effect=Effect.UNKNOWN, texts=(context.label,), known=True, boxed=False)
    if context.label:
        yield from label_findings(context, focused, context.label)
    elif _answers_as_whole(context) or (typed and not _may_be_pressed(context)):
        return
    elif place := risky_if_unknown(context) or outward_around(context) or _menu_that_acts(context):
        yield not_known(context, "unknown-focus", place)


def _may_be_pressed(context: PolicyContext) -> bool:
    """Whether what has the focus may be a button although text was typed there: on a page, where nothing tells what has
    the focus, and the keys right before have not led to the address bar."""
    return is_browser(context.app) and not context.read and frozenset(context.before) not in _LEAD_TO_ADDRESS


def _default_findings(context: PolicyContext) -> Iterator[Finding]:
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


def _answers_as_whole(context: PolicyContext) -> bool:
    """Whether the dialog itself has the focus, so that only its default button answers."""
    dialog = context.control.dialog
    return dialog is not None and bool(dialog.default) and context.control.role is not Role.UNKNOWN


def _login_findings(names: tuple[str, ...]) -> Iterator[Finding]:
    for name in names:
        for category, words in tables().in_field(name):
            if category is Category.CREDENTIALS:
                yield categorised(Category.LOGIN, "login-by-enter", words)
