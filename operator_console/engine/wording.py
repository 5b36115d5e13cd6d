"""Describes actions and formats untrusted text for people and models. Pure functions.

Text from models and screens becomes plain text in which invisible characters are visible. Long texts are cut first, so
that the cost is bounded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from operator_console.domain import actions as a
from operator_console.domain.events import Stopped, StoppedAction
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key, show_keys

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
    hidden = char in _FILLERS or unicodedata.category(char) in _HIDDEN_CATEGORIES
    if hidden or (char.isspace() and char != " "):
        return f"⟨U+{ord(char):04X}⟩"
    return char


def shown_lines(text: str) -> str:
    """As `shown`, but line breaks are kept."""
    return "\n".join(shown(line) for line in text.replace("\r\n", "\n").split("\n"))


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; the middle of a longer text is left out."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head]}…{text[-(limit - 1 - head) :]}"


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


_AT_CURSOR = "at the cursor"
_CLICKS = {1: "Click", 2: "Double-click", 3: "Triple-click"}


def describe(action: a.Action, label: str = "") -> str:
    """The whole action in one sentence; long texts are shortened. `label` is the text at its target."""
    return _words(action, label and f"“{shortened(label, 80)}”", shortened).sentence


def describe_stopped(stopped: StoppedAction) -> str:
    """As `describe`; the call's name where it was not understood."""
    if stopped.action is None:
        return stopped.name
    return describe(stopped.action, stopped.assessment.label if stopped.assessment is not None else "")


def in_flight_words(stopped: Stopped) -> str:
    """What a stop interrupted; "" for nothing. Older files hold its description only."""
    return describe_stopped(stopped.in_flight_action) if stopped.in_flight_action else stopped.in_flight


def cancelled_words(stopped: Stopped) -> tuple[str, ...]:
    """What a stop dropped. Older files hold the descriptions only."""
    return tuple(map(describe_stopped, stopped.cancelled_actions)) or stopped.cancelled


def action_words(action: a.Action | None, label: str = "", *, limit: int = 60) -> ActionWords:
    """The description of an action; `label` is the text read at its target, `limit` the length of its texts."""
    if action is None:
        return ActionWords(verb="Not understood")
    return _words(action, quoted(label, limit) if label else "", lambda text: brief(text, limit))


def exact_text(action: a.Action) -> str:
    """The full text that would be typed, run, opened or sent; "" where the action has none."""
    match action:
        case a.TypeText(text=text):
            return text
        case a.RunCommand(command=command):
            return command
        case a.Navigate(url=url):
            return url
        case a.CallFunction(arguments_json=arguments):
            return arguments
        case a.EditFile(arguments=parts, path=path):
            return "\n".join([path, *(f"{name}: {value}" for name, value in parts.items())])
        case _:
            return ""


def _words(action: a.Action, on: str, say: Callable[[str], str]) -> ActionWords:
    """`on`: the text at the target, in quotation marks; `say` shortens and formats a text of the action."""
    match action:
        case a.Move() | a.Click() | a.Press() | a.Release() | a.Drag() | a.Scroll():
            return _pointing(action, on)
        case a.TypeText() | a.Chord() | a.KeyDown() | a.KeyUp() | a.HoldKeys():
            return _keys(action, on, say)
        case a.OpenBrowser() | a.Navigate() | a.Back() | a.Forward() | a.Search() | a.Launch():
            return _going(action, say)
        case _:
            return _other(action, say)


def _pointing(action: a.Move | a.Click | a.Press | a.Release | a.Drag | a.Scroll, on: str) -> ActionWords:
    match action:
        case a.Move(at=at):
            return ActionWords(verb="Move to", object=on or _point(at), place=_at(at) if on else "")
        case a.Click(at=at, button=button, count=count, modifiers=modifiers):
            verb = _CLICKS.get(count, f"Click {count} times")
            if button is a.Button.RIGHT and count == 1:
                verb = "Right-click"
            return ActionWords(verb=verb, object=on, button=f"{button} button", place=_at(at), manner=_held(modifiers))
        case a.Press(at=at, button=button):
            return ActionWords(verb="Press", object=on, button=f"{button} button, held down", place=_at(at))
        case a.Release(at=at, button=button):
            return ActionWords(verb="Release", object=on, button=f"{button} button", place=_at(at))
        case a.Drag(path=path, button=button, modifiers=modifiers):
            way = f"from {_point(path[0])} to {_point(path[-1])}"
            way += f" through {len(path) - 2} more points" if len(path) > 2 else ""
            return ActionWords(verb="Drag", object=on, button=f"{button} button", place=way, manner=_held(modifiers))
        case a.Scroll(at=at, modifiers=modifiers):
            return ActionWords(verb="Scroll", object=_scroll(action), place=_at(at), manner=_held(modifiers))


def _keys(
    action: a.TypeText | a.Chord | a.KeyDown | a.KeyUp | a.HoldKeys, on: str, say: Callable[[str], str]
) -> ActionWords:
    match action:
        case a.TypeText(text=text, at=at, clear=clear, submit=submit):
            place = _join(f"into {on}" if on else "", _at(at))
            manner = _join("after clearing the field" if clear else "", "then Enter" if submit else "")
            return ActionWords(
                verb="Type", object=f"“{say(text)}”", place=place if place or manner else _AT_CURSOR, manner=manner
            )
        case a.Chord(keys=keys, repeat=repeat):
            return ActionWords(verb="Press", object=show_keys(keys) + (f" {repeat} times" if repeat > 1 else ""))
        case a.KeyDown(key=key):
            return ActionWords(verb="Hold down", object=show_keys((key,)))
        case a.KeyUp(key=key):
            return ActionWords(verb="Release", object=show_keys((key,)))
        case a.HoldKeys(keys=keys, duration_s=seconds):
            return ActionWords(verb="Hold", object=show_keys(keys), manner=f"for {seconds:g} s")


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
        case a.AskModel(prompt=prompt):
            return ActionWords(verb="Ask the model", object=f"“{say(prompt)}”")
        case _:
            return _tool(action, say)


def _tool(action: a.Action, say: Callable[[str], str]) -> ActionWords:
    match action:
        case a.RunCommand(command=command):
            return ActionWords(verb="Run", object=f"“{say(command)}”")
        case a.EditFile(command=command, path=path):
            return ActionWords(verb="Edit file", object=f"“{say(path)}”", manner=say(command))
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


def _join(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
