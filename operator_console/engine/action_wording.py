"""Describes actions and formats untrusted text for people and models. Pure functions.

Text from models and screens becomes plain text in which invisible characters are visible. Long texts are cut first, so
that the cost is bounded.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from operator_console.domain import actions as a
from operator_console.domain.decisions import SUBMITTED_COMMAND, Assessment
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.elements import Control, Role
from operator_console.domain.events import Blocked, Downloaded, Stopped, StoppedAction
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key, show_keys
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode

_HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"))
_NAMED = {"\n": "⏎", "\r": "␍", "\t": "⇥"}
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\ufe0e\ufe0f")
"""Characters that are classed as letters or marks but draw nothing."""


def shown(text: str) -> str:
    """The text on one line with control, bidirectional, zero-width and other invisible characters written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    return f"⟨U+{ord(char):04X}⟩" if is_hidden(char) else char


def is_hidden(char: str) -> bool:
    """Whether a character is invisible, or a space other than the usual one."""
    hidden = char in _FILLERS or unicodedata.category(char) in _HIDDEN_CATEGORIES
    return hidden or (char.isspace() and char != " ")


def shown_lines(text: str) -> str:
    """As `shown`, but line breaks are kept."""
    return "\n".join(shown(line) for line in text.replace("\r\n", "\n").split("\n"))


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; the middle of a longer text is left out, beside what was left out of it before."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head].rstrip('…')}…{text[-(limit - 1 - head) :].lstrip('…')}"


def brief(text: str, limit: int) -> str:
    """As `shown`, at most `limit` characters; the middle of a longer text is left out before it is processed."""
    return cut(shown(cut(text, limit)), limit)


def shortened(text: str, limit: int = 200) -> str:
    """The text; the middle of a long one is replaced by its number of characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} … ({len(text) - 2 * half} more) … {text[-half:]}"


def quoted(text: str, limit: int = 60) -> str:
    """As `brief`, in quotation marks."""
    return f"“{brief(text, limit)}”"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionWords:
    """The parts of an action's description.

    Attributes:
        verb: "Click", "Type".
        object: what follows the verb: "“Submit report”"; "" for nothing.
        button: "left button" of a pointer action; "" for none.
        place: "at 178, 619"; "" for nothing.
        manner: "with Ctrl", "then Enter"; "" for nothing.
    """

    verb: str
    object: str = ""
    button: str = ""
    place: str = ""
    manner: str = ""

    @property
    def line(self) -> str:
        """Verb and object."""
        return f"{self.verb} {self.object}".rstrip()

    @property
    def where(self) -> str:
        """Everything else: "left button, at 178, 619"; "" for nothing."""
        return _join(self.button, self.place, self.manner)

    @property
    def sentence(self) -> str:
        """The whole description, in lower case to follow "It will": "click “Submit report” at 178, 619"."""
        start = f"{self.verb[:1].lower()}{self.verb[1:]} {self.object}".rstrip()
        button = "" if self.button == "left button" or self.verb == "Right-click" else self.button
        place = "" if self.place == _AT_CURSOR else self.place
        return _join(f"{start} {place}".rstrip(), button, self.manner)


_LAST_TAB = 9
_MAX_COMPARED_LINES = 2_000
_EDITS = {
    "view": "View file", "create": "Write file", "str_replace": "Replace text in file", "insert": "Insert text in file",
}  # fmt: skip
_AT_CURSOR = "at the cursor"
_CLICKS = {1: "Click", 2: "Double-click", 3: "Triple-click"}


_ROLE_WORDS = {
    Role.UNKNOWN: "",
    Role.GROUP: "area",
    Role.LABEL: "text",
    Role.PARAGRAPH: "text",
}
_CALLED_BY_LABEL = frozenset((
    Role.COMBO_BOX, Role.PASSWORD_FIELD, Role.SEARCH_FIELD, Role.SLIDER, Role.SPIN_BUTTON, Role.TEXT_FIELD,
))  # fmt: skip
"""Controls whose text is their content: a label beside them says better what they are."""


def control_words(control: Control | None, window: str = "", *, limit: int = 60) -> str:
    """A control in words: `button “Save” in “Plant diary”`; "" where nothing is known about it.

    Args:
        control: the control.
        window: title of the window that it stands in; without one, that of `control.window`.
        limit: the most characters of each name.
    """
    if control is None:
        return ""
    role, called = _ROLE_WORDS.get(control.role, control.role.value), _called(control)
    if called:
        what = f"{role} {quoted(called, limit)}".lstrip()
    elif control.icon:
        what = f"{role} with the icon {quoted(control.icon, limit)}" if role else f"icon {quoted(control.icon, limit)}"
    else:
        what = f"{role} without a name" if role else ""
    title = window or control.window
    return f"{what} in {quoted(title, limit)}" if what and title and title != called else what


def _called(control: Control) -> str:
    if control.role in _CALLED_BY_LABEL:
        return (control.name or control.label or control.description or control.text).strip()
    return control.says.strip()


def describe(
    action: a.Action,
    label: str = "",
    *,
    control: Control | None = None,
    from_control: Control | None = None,
    window: str = "",
) -> str:
    """The whole action in one sentence; long texts are shortened.

    Args:
        action: the action.
        label: the text at its target, used where the control is not known.
        control: the control that it hits; of a drag or a release, where it ends.
        from_control: of a drag or a release, the control at which the button was pressed.
        window: title of the window that it hits; without one, that of `control.window`.
    """
    named = _Named.of(label and f"“{shortened(label, 80)}”", control, from_control, window, 80)
    return _words(action, named, shortened).sentence


def describe_stopped(stopped: StoppedAction) -> str:
    """As `describe`; the call's name where it was not understood."""
    if stopped.action is None:
        return stopped.name
    found = stopped.assessment
    if found is None:
        return describe(stopped.action, window=stopped.window)
    return describe(
        stopped.action, found.label, control=found.control, from_control=found.from_control, window=stopped.window
    )


def in_flight_words(stopped: Stopped) -> str:
    """What a stop interrupted; "" for nothing. Older files hold its description only."""
    return describe_stopped(stopped.in_flight_action) if stopped.in_flight_action else stopped.in_flight


def cancelled_words(stopped: Stopped) -> tuple[str, ...]:
    """What a stop dropped. Older files hold the descriptions only."""
    return tuple(map(describe_stopped, stopped.cancelled_actions)) or stopped.cancelled


def action_words(
    action: a.Action | None,
    label: str = "",
    *,
    control: Control | None = None,
    from_control: Control | None = None,
    window: str = "",
    limit: int = 60,
) -> ActionWords:
    """The description of an action; `limit` is the length of its texts, the rest is as in `describe`."""
    if action is None:
        return ActionWords(verb="Not understood")
    named = _Named.of(quoted(label, limit) if label else "", control, from_control, window, limit)
    return _words(action, named, lambda text: brief(text, limit))


@dataclass(frozen=True, slots=True)
class _Named:
    """The target of an action in words.

    Attributes:
        on: the control, else the text at the target; "" where neither is known.
        start: of a drag or a release, the control at which the button was pressed.
        inside: "in “Plant diary”" where the window is known but not the control.
        focused: the control that gets keys, "" where it is not known (the text at the target does not tell it).
    """

    on: str = ""
    start: str = ""
    inside: str = ""
    focused: str = ""

    @classmethod
    def of(cls, label: str, control: Control | None, start: Control | None, window: str, limit: int) -> _Named:
        known = control_words(control, window, limit=limit)
        title = window or (control.window if control is not None else "")
        inside = f"in {quoted(title, limit)}" if title and not known else ""
        begun = "" if start is None else control_words(replace(start, window=""), limit=limit)
        return cls(on=known or (label and f"{label} {inside}".rstrip()), start=begun, inside=inside, focused=known)


def exact_text(action: a.Action, assessment: Assessment | None = None) -> str:
    """The full text that would be typed, run, opened or sent; "" where the action has none.

    With an assessment: the whole command line that the action submits, with what was typed of it before.
    """
    if assessment is not None:
        for finding in assessment.findings:
            if finding.rule == SUBMITTED_COMMAND and finding.values:
                return finding.values[0]
    match action:
        case a.TypeText(text=text):
            return text
        case a.RunCommand(command=command):
            return command
        case a.Navigate(url=url):
            return url
        case a.Search(query=query):
            return query
        case a.Launch(app=app, url=url):
            return url or app
        case a.CallFunction(arguments_json=arguments):
            return arguments
        case a.EditFile():
            return _edit(action)
        case _:
            return ""


def _edit(action: a.EditFile) -> str:
    """The edit as a difference: lines with "-" go, lines with "+" come, all others stay."""
    parts = action.arguments
    match action.command:
        case "create":
            head, lines = "the whole file:", [f"+ {line}" for line in parts.get("file_text", "").split("\n")]
        case "str_replace":
            head, lines = "replace:", _difference(parts.get("old_str", ""), parts.get("new_str", ""))
        case "insert":
            text = parts.get("insert_text", parts.get("new_str", ""))
            head, lines = f"after line {parts.get('insert_line', '')}:", [f"+ {line}" for line in text.split("\n")]
        case _:
            head, lines = action.command, [f"{name}: {value}" for name, value in parts.items()]
    return "\n".join([f"{action.path}, {head}", *lines])


def _difference(old: str, new: str) -> list[str]:
    before, after = old.split("\n"), new.split("\n")
    if len(before) + len(after) > _MAX_COMPARED_LINES:  # comparing takes time by the square
        return [*(f"- {line}" for line in before), *(f"+ {line}" for line in after)]
    return [line for line in difflib.ndiff(before, after) if not line.startswith("?")]


def _words(action: a.Action, named: _Named, say: Callable[[str], str]) -> ActionWords:
    """`say` shortens and formats a text of the action."""
    match action:
        case a.Move() | a.Click() | a.Press() | a.Release() | a.Drag() | a.Scroll():
            return _pointing(action, named)
        case a.TypeText() | a.Chord() | a.KeyDown() | a.KeyUp() | a.HoldKeys():
            return _keys(action, named, say)
        case a.UseElement():
            return _using(action, named, say)
        case a.OpenBrowser() | a.Navigate() | a.Back() | a.Forward() | a.Search() | a.Launch():
            return _going(action, say)
        case a.SwitchTab(number=number):
            return ActionWords(verb="Show", object="the last tab" if number == _LAST_TAB else f"tab {number}")
        case a.CloseTab():
            return ActionWords(verb="Close the tab")
        case _:
            return _other(action, say)


def _pointing(action: a.Move | a.Click | a.Press | a.Release | a.Drag | a.Scroll, named: _Named) -> ActionWords:
    on = named.on
    match action:
        case a.Move(at=at):
            return ActionWords(verb="Move to", object=on or _point(at), place=_at(at) if on else named.inside)
        case a.Click(at=at, button=button, count=count, modifiers=modifiers):
            verb = _CLICKS.get(count, f"Click {count} times")
            if button is a.Button.RIGHT and count == 1:
                verb = "Right-click"
            place, manner = _spot(at, named), _held(modifiers)
            return ActionWords(verb=verb, object=on, button=f"{button} button", place=place, manner=manner)
        case a.Press(at=at, button=button):
            return ActionWords(verb="Press", object=on, button=f"{button} button, held down", place=_spot(at, named))
        case a.Release(at=at, button=button):
            begun = f"pressed on {named.start}" if named.start else ""
            over = f"over {on}" if on and named.start else on
            return ActionWords(
                verb="Release", object=over, button=f"{button} button", place=_spot(at, named), manner=begun
            )
        case a.Drag(path=path, button=button, modifiers=modifiers):
            way = f"from {_point(path[0])} to {_point(path[-1])}"
            between = len(path) - 2
            way += f" through {between} more {'point' if between == 1 else 'points'}" if between > 0 else ""
            onto = f"onto {named.focused}" if named.focused else ""
            return ActionWords(
                verb="Drag", object=named.start or ("" if onto else on), button=f"{button} button",
                place=way, manner=_join(onto, _held(modifiers)),
            )  # fmt: skip
        case a.Scroll(at=at, modifiers=modifiers):
            return ActionWords(verb="Scroll", object=_scroll(action), place=_at(at), manner=_held(modifiers))


def _keys(
    action: a.TypeText | a.Chord | a.KeyDown | a.KeyUp | a.HoldKeys, named: _Named, say: Callable[[str], str]
) -> ActionWords:
    on_focus = f"on {named.focused}" if named.focused else named.inside
    match action:
        case a.TypeText(text=text, at=at, clear=clear, submit=submit):
            place = _join(f"into {named.on}" if named.on else "", _spot(at, named))
            manner = _join("after clearing the field" if clear else "", "then Enter" if submit else "")
            return ActionWords(
                verb="Type", object=f"“{say(text)}”", place=place if place or manner else _AT_CURSOR, manner=manner
            )
        case a.Chord(keys=keys, repeat=repeat):
            times = f" {repeat} times" if repeat > 1 else ""
            return ActionWords(verb="Press", object=show_keys(keys) + times, place=on_focus)
        case a.KeyDown(key=key):
            return ActionWords(verb="Hold down", object=show_keys((key,)), place=on_focus)
        case a.KeyUp(key=key):
            return ActionWords(verb="Release", object=show_keys((key,)))
        case a.HoldKeys(keys=keys, duration_s=seconds):
            return ActionWords(verb="Hold", object=show_keys(keys), place=on_focus, manner=f"for {seconds:g} s")


def _using(action: a.UseElement, named: _Named, say: Callable[[str], str]) -> ActionWords:
    element, place = action.element, _spot(action.at, named)
    on = named.on or f"{element.role} {quoted(element.name)}"
    match action.use:
        case ElementUse.PRESS:
            return ActionWords(verb="Press", object=on, place=place, manner="by its accessible action")
        case ElementUse.FOCUS:
            return ActionWords(verb="Give the focus to", object=on, place=place, manner="through accessibility")
        case ElementUse.CHOOSE:
            chosen = f"“{say(action.option)}” of {on}"
            return ActionWords(verb="Choose", object=chosen, place=place, manner="through accessibility")


def _going(
    action: a.OpenBrowser | a.Navigate | a.Back | a.Forward | a.Search | a.Launch, say: Callable[[str], str]
) -> ActionWords:
    match action:
        case a.OpenBrowser():
            return ActionWords(verb="Open the browser")
        case a.Navigate(url=url, new_tab=new_tab):
            return ActionWords(verb="Go to", object=say(url), manner="in a new tab" if new_tab else "")
        case a.Back():
            return ActionWords(verb="Go back")
        case a.Forward():
            return ActionWords(verb="Go forward")
        case a.Search(query=query):
            if not query:
                return ActionWords(verb="Open a search")
            return ActionWords(verb="Search for", object=f"“{say(query)}”")
        case a.Launch(app=app, url=url):
            return ActionWords(verb="Open" if url else "Launch", object=say(url or app))


def _other(action: a.Action, say: Callable[[str], str]) -> ActionWords:
    match action:
        case a.Wait(duration_s=seconds):
            return ActionWords(verb="Wait", object=f"{round(seconds, 1) or seconds:g} s")
        case a.Screenshot():
            return ActionWords(verb="Look at the screen")
        case a.Zoom(region=region):
            return ActionWords(verb="Zoom in on", place=f"{region.width} × {region.height} at {region.x}, {region.y}")
        case a.CursorPosition():
            return ActionWords(verb="Get the pointer position")
        case a.QuoteText(variable=variable, auto_scroll=scrolls):
            verb = "Read text to its end by scrolling" if scrolls else "Read text"
            return ActionWords(verb=verb, place=f"into {say(variable)}")
        case a.QuoteClipboard(variable=variable):
            return ActionWords(verb="Read the clipboard", place=f"into {say(variable)}")
        case a.ReadPage():
            return ActionWords(verb="Read the page")
        case a.AskModel(prompt=prompt):
            return ActionWords(verb="Ask the model", object=f"“{say(prompt)}”")
        case _:
            return _tool(action, say)


def _tool(action: a.Action, say: Callable[[str], str]) -> ActionWords:
    match action:
        case a.RunCommand(restart=True):
            return ActionWords(verb="Restart the shell")
        case a.RunCommand(command=command):
            return ActionWords(verb="Run", object=f"“{say(command)}”")
        case a.EditFile(command=command, path=path):
            return ActionWords(verb=_EDITS.get(command, "Edit file"), object=f"“{say(path)}”")
        case a.CallFunction(name=name, arguments_json=arguments):
            return ActionWords(verb="Call", object=f"{say(name)}({say(arguments)})")
        case a.AskOperator(question=question):
            return ActionWords(verb="Ask you", object=f"“{say(question)}”")
        case a.Finish(success=success, message=message):
            return ActionWords(verb="Finish" if success else "Finish without success", manner=say(message))
        case _:
            return ActionWords(verb=action.kind.replace("_", " ").capitalize())


def _scroll(action: a.Scroll) -> str:
    parts = []
    if action.dy:
        parts.append(f"{'down' if action.dy > 0 else 'up'} {abs(action.dy)}")
    if action.dx:
        parts.append(f"{'right' if action.dx > 0 else 'left'} {abs(action.dx)}")
    return " and ".join(parts) or "0"


def _held(modifiers: tuple[Key, ...]) -> str:
    return f"with {show_keys(modifiers)}" if modifiers else ""


def _point(at: NativePoint) -> str:
    return f"{at.x}, {at.y}"


def _at(at: NativePoint | None) -> str:
    return f"at {_point(at)}" if at else ""


def _spot(at: NativePoint | None, named: _Named) -> str:
    """The point, and the window where only that is known."""
    return _at(at) if named.on else f"{_at(at)} {named.inside}".strip()


def _join(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def news_words(news: Downloaded | Blocked) -> NoticeText:
    """One sentence."""
    match news:
        case Downloaded(name=name, url=url, complete=complete):
            return notice(
                NoticeCode.FILE_DOWNLOADED if complete else NoticeCode.FILE_NOT_DOWNLOADED, name=name, site=url
            )
        case Blocked(site=site):
            return notice(NoticeCode.REQUESTS_BLOCKED, site=site)
