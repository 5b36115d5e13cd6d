"""Assigns an action a risk class C0-C4, with categories and named reasons.

Pure and deterministic: the same action and context always give the same assessment. An action that the operator
edited is assessed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from operator_console.domain.actions import (
    Action,
    AskModel,
    AskOperator,
    Back,
    Button,
    CallFunction,
    Chord,
    Click,
    CloseTab,
    CursorPosition,
    Drag,
    EditFile,
    Finish,
    Forward,
    HoldKeys,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    Navigate,
    OpenBrowser,
    Press,
    QuoteClipboard,
    QuoteText,
    ReadPage,
    Release,
    RunCommand,
    Screenshot,
    Scroll,
    Search,
    SwitchTab,
    TypeText,
    UseElement,
    Wait,
    Zoom,
    tab_keys,
)
from operator_console.domain.decisions import Assessment
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.elements import UNKNOWN_CONTROL, Control, ControlSource, Role, TextKnowledge
from operator_console.domain.keys import MODIFIERS
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import (
    is_browser,
    is_file_manager,
    is_file_transfer,
    is_messenger,
    pastes_by_right_click,
)
from operator_console.policy.control_kinds import (
    Effect,
    changed_by_wheel,
    counts,
    declines,
    effect_of,
    hit,
    takes_text,
    word_count,
)
from operator_console.policy.control_presses import option_findings, press_findings
from operator_console.policy.effects import effect_findings
from operator_console.policy.findings import (
    Finding,
    PolicyContext,
    categorised,
    combine,
    intent_findings,
    named_by,
    not_known,
    noteworthy,
    observation,
    ordinary,
    window_findings,
)
from operator_console.policy.focus_keys import value_findings, wheel_findings
from operator_console.policy.held_keys import (
    held_button_findings,
    held_over_findings,
    keys_held,
    meets_control,
    order_findings,
    repeat_findings,
    repeats,
)
from operator_console.policy.input_places import is_terminal_place
from operator_console.policy.key_presses import chord_findings
from operator_console.policy.labels_that_only_show import only_reads
from operator_console.policy.pasted_text import pasting_findings
from operator_console.policy.places_of_files import place_findings
from operator_console.policy.session_scope import scope_findings
from operator_console.policy.surrounding_text import assigns_roles
from operator_console.policy.text_content import field_findings
from operator_console.policy.typed_text import typed_findings
from operator_console.policy.web_addresses import is_script
from operator_console.policy.word_tables import tables

_FEW = 2  # words
_MOST_WORDS = 6  # of a text that may say what a drop does
_FILE_NAME = re.compile(r"\w\.\w{2,5}$")
_MOST_WORDS_OF_FOLDER = 3
_ADDED = re.compile(r"\s*[(（\[·•|–—:,、，]")  # what is in a folder, behind its name
_MOVED = frozenset((Role.LIST_ITEM, Role.TREE_ITEM, Role.CELL))
# What pages make things of that can be dragged, without saying so.
_MAY_BE_MOVED = frozenset((Role.LABEL, Role.PARAGRAPH, Role.IMAGE, Role.GROUP, Role.LINK, Role.BUTTON, Role.UNKNOWN))
_MOST_WORDS_OF_ROLE = 4
_ON_TRACK = 2  # texts that may be written on the track of a slider, the nearest first
_AROUND = 6  # texts near a drag's end that may name what it ends on
Pressing: TypeAlias = Click | Press | Release | Drag


def assess(action: Action, context: PolicyContext) -> Assessment:
    """Assess `action`: its risk class, and all categories and reasons that apply, highest risk first."""
    control = context.control if context.control != UNKNOWN_CONTROL else None
    if isinstance(action, Click) and action.button is Button.LEFT and context.clicks:
        action = replace(action, count=action.count + context.clicks)
    found = (*_findings(action, context), *_held_findings(action, context), *_carried_findings(action, context))
    if not context.focus_told:
        found += (ordinary("focus-not-told"),)
    if any(finding.risk > RiskClass.C0 for finding in found):
        found += (*scope_findings(action, context, found), *place_findings(action, context))
    return combine(found, label=context.label, control=control)


def _findings(action: Action, context: PolicyContext) -> tuple[Finding, ...]:
    match action:
        case Move() | KeyUp():
            return _moving_findings(action, context)
        case Scroll() | QuoteText(auto_scroll=True):
            # By the picture alone, a box in a list may be one that the wheel changes.
            acts = context.control.source is ControlSource.PICTURE or changed_by_wheel(context.control)
            return (*window_findings(context, acts=acts), *wheel_findings(context), ordinary("ordinary-input"))
        case (
            Wait() | Screenshot() | Zoom() | CursorPosition() | QuoteText() | ReadPage()
            | AskModel() | AskOperator() | Finish()
        ):  # fmt: skip
            return (observation(),)
        case Click() | Press() | Release() | Drag():
            return pointing_findings(action, context)
        case UseElement():
            return used_element_findings(action, context)
        case TypeText():
            return typed_findings(action, context)
        case Chord(keys=keys) | HoldKeys(keys=keys):
            return chord_findings(keys, context)
        case KeyDown(key=key):
            return chord_findings((key,), context)
        case SwitchTab() | CloseTab():
            return chord_findings(tab_keys(action), context)
        case (
            OpenBrowser() | Navigate() | Back() | Forward() | Search() | Launch() | QuoteClipboard()
            | RunCommand() | EditFile() | CallFunction()
        ):  # fmt: skip
            return effect_findings(action, context)


def _moving_findings(action: Move | KeyUp, context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for a move, with a button held down those of the drop that it leads to.

    A question about the drop itself would come too late: whatever is held is released before a question opens.
    """
    if isinstance(action, Move) and context.buttons:
        return pointing_findings(Release(at=action.at, button=context.buttons[-1]), context)
    return (ordinary("ordinary-input"),)


def _held_findings(action: Action, context: PolicyContext) -> Iterator[Finding]:
    """What keys do that are held down meanwhile, or are pressed more than once."""
    if meets_control(action) and any(key not in MODIFIERS for key in keys_held(action, context)):
        # What stands in a field that gets the focus is not known.
        there = replace(context, typed="", typed_known=False, held=keys_held(action, context), intent="")
        yield from (finding for finding in chord_findings((), there) if finding.risk >= RiskClass.C3)
    yield from held_over_findings(action, context)
    if isinstance(action, Chord | HoldKeys | KeyDown):
        keys = (action.key,) if isinstance(action, KeyDown) else action.keys
        yield from order_findings(keys, context)
        yield from held_button_findings(keys, context)
        if repeats(action):
            yield from repeat_findings(keys, context)


def _carried_findings(action: Action, context: PolicyContext) -> Iterator[Finding]:
    """What an action drops that leads the pointer elsewhere with a button held down: at its point, by the next question
    at the latest. A further press leaves open what is carried."""
    if not context.buttons:
        return
    scrolls = isinstance(action, Scroll) or (isinstance(action, QuoteText) and action.auto_scroll)
    if isinstance(action, Press | Drag):
        yield Finding(risk=RiskClass.C3, rule="drops-elsewhere")
    elif scrolls or isinstance(action, Click) or (isinstance(action, TypeText) and action.at is not None):
        released = pointing_findings(Release(button=context.buttons[-1]), context)
        yield from (each for each in released if each.risk >= RiskClass.C3)


def pointing_findings(action: Pressing, context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for a button pressed at the target, or for the release that completes a click or a drag."""
    found: list[Finding] = []
    if action.button is Button.RIGHT and (
        isinstance(action, Drag) or (isinstance(action, Release) and _moved(context))
    ):
        # In the menu that the press has opened, which the model's picture does not show.
        found.append(not_known(context, "unknown-focus", context.title))
    if action.button is Button.RIGHT and not isinstance(action, Drag):
        in_menu = context.menu_open or context.control.role in (Role.MENU, Role.MENU_ITEM)
        # By the picture alone, what is under the pointer may be an entry of an open list, which takes any button.
        found += window_findings(context, acts=in_menu or context.control.source is ControlSource.PICTURE)
        if in_menu:
            found += press_findings(context)  # menus take any button
        if pastes_by_right_click(context.app):
            found.append(categorised(Category.TERMINAL, "pastes-into-terminal"))
        found.append(ordinary("opens-menu"))
    else:
        acts = effect_of(context.control) in (Effect.ACTS, Effect.CHOOSES, Effect.UNKNOWN) and not _declines(context)
        acts = acts or counts(context.control) or counts(context.from_control)
        found += window_findings(context, acts=acts)
        if effect_of(context.control) is not Effect.NOTHING:
            found += intent_findings(context)
        found += _press_findings(action, context)
    found.append(ordinary("ordinary-pointing"))
    return tuple(found)


def used_element_findings(action: UseElement, context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for using an element through accessibility: those of the click that it stands for.

    An option that is chosen is judged as a click on it as well.
    """
    click = Click(at=action.at)
    found = pointing_findings(click, context)
    if action.use is not ElementUse.CHOOSE:
        return found
    option = Control(
        source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.LIST_ITEM, name=action.option,
        text=action.option, group=context.control.group, dialog=context.control.dialog, app=context.control.app,
        window=context.control.window, url=context.control.url,
    )  # fmt: skip
    return (
        *found,
        *window_findings(context),
        *value_findings(context),
        *option_findings(context, action.option),
        *pointing_findings(click, replace(context, control=option, label=action.option, read=True)),
    )


def _press_findings(action: Pressing, context: PolicyContext) -> Iterator[Finding]:
    if isinstance(action, Drag):
        yield from _drop_findings(context)
        if _reorders(context):
            return
        if not _moved(context):
            yield from press_findings(context)  # within one control it is a click
            return
        # What a drag ends on is not pressed; cards that are put in another order are drawn as buttons are.
        target = replace(context.control, pressable=False)
        if target.source is ControlSource.PICTURE:
            target = replace(target, source=ControlSource.NONE, extent=None)
        yield from press_findings(replace(context, control=target))
        return
    if isinstance(action, Release) and _moved(context):
        yield from _drop_findings(context)
    if action.button is Button.MIDDLE and is_terminal_place(context):
        yield from pasting_findings(replace(context, pasted=None))  # the other selection, of which nothing is known
    elif action.button is Button.MIDDLE:
        yield noteworthy("middle-click")
        if takes_text(context.control):  # it pastes what is selected anywhere
            yield from field_findings("", context)
    yield from press_findings(context, count=_count(action, context))


def _count(action: Pressing, context: PolicyContext) -> int:
    """How often in a row the control is pressed then."""
    if isinstance(action, Click):
        return action.count
    return 1 + context.clicks if isinstance(action, Press) and action.button is Button.LEFT else 1


def _drop_findings(context: PolicyContext) -> Iterator[Finding]:
    """What dropping something on the control does; `from_control` is where the drag began."""
    source, target = context.from_control, context.control
    words = tuple(dict.fromkeys((*(hit(context).texts or (context.label,)), target.says)))
    if _reorders(context):
        words = ()
    words = (*words, *_other_list(source, target))
    # Without a control at one end, what the drag passes is among the texts nearby.
    unknown = source == UNKNOWN_CONTROL or effect_of(target) is Effect.UNKNOWN
    # What is dragged is a thing, unless it is a control: the name of a song is no order.
    moved = "" if effect_of(source) in (Effect.SELECTS, Effect.LEADS) else source.says
    near = context.nearby[:_AROUND] if unknown else ()
    if source.role is Role.SLIDER and source.says.strip():
        # Its handle stays on its track; the words of buttons above are not of it.
        near = tuple(text for text in context.nearby[:_AROUND] if text != source.says)[:_ON_TRACK]
    around = (*words, moved, *near)
    for text in around:
        yield from named_by("drag", tables().in_label(text))
    for text in words:
        if word_count(text) <= _FEW and text != source.says and not is_file_manager(context.app, context.title):
            yield from named_by("drag", tables().as_result(text))  # “Published”, as columns are named
        elif word_count(text) <= _MOST_WORDS:
            yield from named_by("drag", tables().in_button(text))
    if source.role is Role.LINK and is_script(source.link) and target.url != source.url:
        yield categorised(Category.SECURITY, "script-address", "javascript")  # a bookmark that runs on other pages
    if any(_names_trash(text) for text in around if text):
        yield categorised(Category.DELETE, "drops-on-trash")
    yield from named_by("drag", ((Category.SECURITY, role) for role in _role_at_end(context)))
    yield from _dropped_file_findings(context, words)
    if takes_text(target):
        yield from field_findings("", replace(context, label=target.says, nearby=()))


def _other_list(source: Control, target: Control) -> tuple[str, ...]:
    """The name of the list, column or group that a drag ends in, if it began in another."""
    moved = source != UNKNOWN_CONTROL and source.group[:1] != target.group[:1]
    return target.group[:1] if moved else ()


def _role_at_end(context: PolicyContext) -> Iterator[str]:
    """The role or the right that somebody gets, or loses, who is put into the list of those who have it."""
    source, target = context.from_control, context.control
    if is_file_manager(context.app, context.title):
        return
    around = target.group[:1]
    if source.role in _MOVED or source.pressable:
        around = (*target.group, *context.nearby[:_AROUND])
        if title := assigns_roles(context):
            yield title
    elif not _is_name(source):
        return  # a drag from running text selects it
    for text in (target.says, *around):
        if text != source.says and 0 < word_count(text) <= _MOST_WORDS_OF_ROLE and tables().is_at_edge("roles", text):
            yield text


def _is_name(control: Control) -> bool:
    """Whether it is a short text by itself, as the names are that a page lets somebody drag."""
    return control.role in _MAY_BE_MOVED and 0 < word_count(control.says) <= _MOST_WORDS_OF_ROLE


def _dropped_file_findings(context: PolicyContext, words: tuple[str, ...]) -> Iterator[Finding]:
    """What a drop from another window, or of a file, does on a control that says `words`."""
    source = context.from_control
    if _from_elsewhere(context):
        if is_terminal_place(context):
            yield categorised(Category.TERMINAL, "drops-into-terminal")
        if is_file_manager(source.app, source.window) and (
            is_browser(context.app) or is_messenger(context.app, context.title)
        ):
            yield categorised(Category.UPLOAD, "drops-file")
    if is_browser(context.app) and _names_file(context) and _instructs(words):
        yield categorised(Category.UPLOAD, "drops-file")
    if is_file_transfer(context.app, context.title):
        yield categorised(Category.UPLOAD, "drops-file")
    if is_file_manager(context.app, context.title) or is_file_manager(source.app, source.window):
        yield noteworthy("moves-files")


def _reorders(context: PolicyContext) -> bool:
    """Whether an entry is put beside another of the same list, such as two songs: their names are no orders."""
    source, target = context.from_control, context.control
    if source.role is not target.role or target.role not in (Role.LIST_ITEM, Role.CELL):
        return False
    if is_file_manager(context.app, context.title) or is_messenger(context.app, context.title):
        return False
    said = (source.says.strip(), target.says.strip())
    names = all(1 < word_count(text) <= _MOST_WORDS and not _FILE_NAME.search(text) for text in said)
    return names and not any(map(_names_trash, said)) and not tables().has("files", said[1])


def _names_trash(text: str) -> bool:
    """Whether the text is the name of the trash, also with what is in it: “Bin (empty)”, “🗑 Trash · 3 items”."""
    return tables().is_exactly("trash", text) or tables().is_exactly("trash", _ADDED.split(text)[0])


def _names_file(context: PolicyContext) -> bool:
    """Whether what is dragged has the name of a file."""
    return any(_FILE_NAME.search(text.strip()) for text in (context.label, context.from_control.says) if text)


def _instructs(words: tuple[str, ...]) -> bool:
    """Whether the place where a drag ends says a sentence, as places for files do, or is not known; folders have short
    names."""
    said = [text for text in words if text and not _FILE_NAME.search(text.strip())]
    return not said or any(word_count(text) > _MOST_WORDS_OF_FOLDER for text in said)


def _moved(context: PolicyContext) -> bool:
    """Whether the button may have been pressed on another control than the one it is released on."""
    return context.from_control != context.control


def _from_elsewhere(context: PolicyContext) -> bool:
    """Whether a drag began in another window than the one it ends in, or in another control than the terminal."""
    source, target = context.from_control, context.control
    if source == UNKNOWN_CONTROL:
        return False
    if target.role is Role.TERMINAL or source.role is Role.TERMINAL:
        return source.role is not target.role or source.window != target.window
    return _place(source, context) != _place(target, context)


def _place(control: Control, context: PolicyContext) -> tuple[str, str]:
    return control.app or context.app, control.window or context.title


def _declines(context: PolicyContext) -> bool:
    found = hit(replace(context, typed=""))
    return (
        found.known
        and bool(found.texts)
        and all(
            declines(text)
            or only_reads(text)
            or tables().is_exactly("closing", text)
            or tables().is_exactly("topics", text)
            for text in found.texts
        )
    )
