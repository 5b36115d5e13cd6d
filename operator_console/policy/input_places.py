"""Where input lands: terminals of every kind, dialogs that ask, file choosers, and where the unknown may harm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.elements import Dialog, Role
from operator_console.domain.risk import Category
from operator_console.policy.applications import (
    is_browser,
    is_code_editor,
    is_dialog_title,
    is_file_manager,
    is_messenger,
    is_money_place,
    is_notebook_cell,
    is_remote_viewer,
    is_shop,
    is_software_store,
    is_terminal,
    is_web_editor,
    is_web_terminal,
    names_console,
    names_terminal_input,
    shows_prompt,
)
from operator_console.policy.commands import command_findings
from operator_console.policy.control_kinds import (
    LONGEST_LABEL,
    PARAGRAPH,
    Effect,
    effect_of,
    is_multi_line,
    takes_text,
    word_count,
)
from operator_console.policy.file_paths import names_program_file
from operator_console.policy.findings import PolicyContext
from operator_console.policy.word_tables import includes, tables

_DIALOG_PART = 600
"""Characters at the start and the end of a dialog's text that are taken for its question; questions count anywhere."""
_QUESTION = re.compile(r"[^.!?？！。\n]{0,300}[?？]")
_QUESTION_MARKS = ("?", "？", "؟")
_ENDS_SENTENCE = (".", "?", "!", ":", "？", "！", "。", "؟")
_SENTENCE_WORDS = 4
_FILE_NAME = re.compile(r"\.\w{1,5}$")
_TITLE_PARTS = re.compile(r"\s[-–—]\s|\s?[|·•]\s?")
_DANGEROUS = (Category.PAY, Category.DELETE, Category.SEND, Category.SECURITY, Category.CREDENTIALS)
_MENUS = frozenset((Role.MENU, Role.MENU_BAR, Role.MENU_ITEM))
_NEARBY = 12
A_DIALOG = "a dialog"
"""The kind of place that `risky_if_unknown` names where something is asked."""
_GROUPS = 3


def is_terminal_place(context: PolicyContext) -> bool:
    """Whether a shell reads what is typed: a terminal emulator, a terminal in a page, or a terminal in an editor."""
    control = context.control
    if is_terminal(context.app, context.title) or control.role is Role.TERMINAL:
        return True
    if is_web_terminal(context.app, context.title, context.url or control.url):
        return not _is_named_field(context)
    if is_browser(context.app) and takes_text(control) and not _is_named_field(context) and _is_console(context):
        return True
    embeds = is_code_editor(context.app) or is_browser(context.app)
    return embeds and any(names_terminal_input(name) for name in (control.name, control.description, control.label))


def is_beside_line(context: PolicyContext) -> bool:
    """Whether the control is another one than the terminal's line: a menu, a button or a box of its window."""
    control = context.control
    return control.role in _MENUS or effect_of(control) in (Effect.ACTS, Effect.CHOOSES, Effect.LEADS)


def runs_command_lines(context: PolicyContext) -> bool:
    """Whether a submitted line may be a command line: a terminal, a desktop's own line, or the screen of another
    machine."""
    if is_terminal_place(context) or context.asks_for_line:
        return True
    return is_remote_viewer(context.app, context.title, context.url) and not _is_named_field(context)


def may_run_command(context: PolicyContext, line: str) -> bool:
    """Whether a submitted line may be a command line because it is a risky one, and what has the focus is not known.

    A terminal that no application tells of is known by what is read around it, which may not have been read yet.
    """
    return context.control.role is Role.UNKNOWN and bool(command_findings(line))


def runs_as_cell(context: PolicyContext) -> bool:
    """Whether the focused field is a cell of a notebook: Enter with a modifier runs it."""
    control = context.control
    return is_multi_line(control) and is_notebook_cell(context.title, (control.name, control.label))


def is_editor_place(context: PolicyContext) -> bool:
    """Whether it is a code editor of which it is not known whether its terminal has the focus."""
    editor = is_code_editor(context.app) or (is_browser(context.app) and is_web_editor(context.url))
    return editor and not takes_text(context.control)


def questions(context: PolicyContext, *, sentences: bool = False) -> tuple[str, ...]:
    """The texts that say what a plain OK, Yes or Continue at the target confirms; with `sentences`, of the texts
    nearby only sentences and questions, no words of other controls."""
    control = context.control
    groups = control.group[:_GROUPS]
    if control.dialog is not None:
        title = control.dialog.title or context.title
        return tuple(text for text in (title, *_dialog_parts(control.dialog), *groups) if text)
    return (*_title_questions(context), *groups, *_nearby_questions(context, sentences=sentences))


def is_question(text: str) -> bool:
    """Whether the text ends with a question mark."""
    return text.rstrip().endswith(_QUESTION_MARKS)


def dialog_title(context: PolicyContext) -> str:
    """The title of the dialog of the control, "" without one."""
    return context.control.dialog.title if context.control.dialog is not None else ""


def is_in_dialog(context: PolicyContext) -> bool:
    """Whether the control stands in a dialog, or its window asks a question."""
    return context.control.dialog is not None or is_question(context.title)


def is_file_chooser(context: PolicyContext) -> bool:
    """Whether files are chosen or named there, by the title of the dialog or the name of the field."""
    control = context.control
    titles = [dialog_title(context), control.window, context.title]
    if any(tables().is_exactly("files", title) for title in titles if title):
        return True
    if not is_browser(context.app) and any(tables().has("files", title) for title in titles if 0 < len(title) <= 60):
        return not any(re.search(r"\s[-–—]\s", title) for title in titles)
    field = context.control.name or context.control.label or context.label
    return takes_text(control) and 0 < len(field) <= PARAGRAPH and tables().has("files", field)


def place_that_sends_or_buys(context: PolicyContext) -> str:
    """The kind of place where much that can be pressed sends, pays or installs; "" elsewhere."""
    if is_messenger(context.app, context.title, context.url):
        return "mail or chat"
    if is_money_place(context.app, context.title, context.url):
        return "a bank or a payment page"
    if is_shop(context.app, context.title, context.url):
        return "a shop"
    return "a software store" if is_software_store(context.app, context.title) else ""


def risky_if_unknown(context: PolicyContext) -> str:
    """Why a control that is not known may send, pay, delete or grant there: the kind of place; "" if it may not."""
    if context.control.dialog is not None:
        texts = questions(context)
        if not any(texts) or any(tables().in_text(text) for text in texts):
            return A_DIALOG
    elif any(tables().in_text(text) for text in _title_questions(context)):
        return A_DIALOG
    if kind := place_that_sends_or_buys(context):
        return kind
    if is_file_manager(context.app, context.title):
        return "a file manager"
    if any(names_program_file(text) for text in context.nearby[:_NEARBY]):
        return "a program file"
    return "risky controls" if any(_risky_control(text) for text in context.nearby[:_NEARBY]) else ""


def _risky_control(text: str) -> bool:
    return len(text) <= PARAGRAPH and includes(tables().as_order(text), *_DANGEROUS)


def _is_console(context: PolicyContext) -> bool:
    """Whether a page shows a machine's console: by its title, or by a shell's prompt beside the field."""
    return names_console(context.title) or any(shows_prompt(text) for text in context.nearby[:_NEARBY])


def _is_named_field(context: PolicyContext) -> bool:
    """Whether the control is a field of a page or of a remote screen whose name is no terminal's."""
    control = context.control
    if control.role in (Role.SEARCH_FIELD, Role.PASSWORD_FIELD):
        return True
    name = control.name or control.label or context.label
    return 0 < len(name) <= PARAGRAPH and (tables().has("search", name) or bool(tables().in_field(name)))


def _dialog_parts(dialog: Dialog) -> Iterator[str]:
    if len(dialog.text) <= 2 * _DIALOG_PART:
        yield dialog.text
        return
    yield dialog.text[:_DIALOG_PART]
    yield dialog.text[-_DIALOG_PART:]
    yield from _QUESTION.findall(dialog.text[:LONGEST_LABEL])


def _title_questions(context: PolicyContext) -> tuple[str, ...]:
    title = context.title
    if not title:
        return ()
    if not is_browser(context.app) and is_dialog_title(title, context.app):
        return (title,)
    # A part of "document - application" or of a page's title, if it says nothing but an order.
    return tuple(part for part in _TITLE_PARTS.split(title[:LONGEST_LABEL]) if _is_order_title(part.strip()))


def _is_order_title(part: str) -> bool:
    if _FILE_NAME.search(part):
        return False
    if is_question(part):
        return True
    return bool(tables().as_order(part)) or (word_count(part) <= 2 and bool(tables().in_text(part)))


def _nearby_questions(context: PolicyContext, *, sentences: bool) -> tuple[str, ...]:
    """Of the texts nearby those that ask or tell; all of them beside a control that declines."""
    nearby = tuple(text for text in context.nearby[:_NEARBY] if text)
    if (
        not sentences
        and effect_of(context.control) is Effect.UNKNOWN
        and any(tables().is_exactly("safe", text) for text in nearby)
    ):
        return nearby
    return tuple(
        text for text in nearby if text.rstrip().endswith(_ENDS_SENTENCE) or word_count(text) >= _SENTENCE_WORDS
    )


def entries_act(context: PolicyContext) -> bool:
    """Whether the menus there mostly act on what is selected: in pages, mail, chat and file managers. The menus of
    other programs mostly edit and arrange."""
    if is_browser(context.app) or is_messenger(context.app, context.title, context.url):
        return True
    return is_file_manager(context.app, context.title)
