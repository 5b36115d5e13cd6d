"""Actions, states and untrusted text in the words that people read. Pure; no Qt. Used by every widget and the model.

Nothing here decides anything; text from models and screens comes out as plain text whose invisible characters show.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from operator_console.domain import actions as a
from operator_console.domain.events import Observed, PauseCause, StopCause
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key, show_keys
from operator_console.domain.risk import Category

_HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"))
_NAMED = {"\n": "⏎", "\r": "␍", "\t": "⇥"}
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\ufe0e\ufe0f")
"""Characters that count as letters or marks and yet draw nothing."""
LONG_TEXT = 2_000
"""Longer texts are cut in the middle, and say so, wherever they are not the very thing that is approved."""


def shown(text: str) -> str:
    """The text on one line with control, bidirectional, zero-width and other unseen characters written out."""
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    hidden = char in _FILLERS or unicodedata.category(char) in _HIDDEN_CATEGORIES
    if hidden or (char.isspace() and char != " "):
        return f"⟨U+{ord(char):04X}⟩"
    return char


def shown_lines(text: str) -> str:
    """As `shown`, line breaks kept."""
    return "\n".join(shown(line) for line in text.replace("\r\n", "\n").split("\n"))


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, the middle left out."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head]}…{text[-(limit - 1 - head) :]}"


def task_line(text: str, limit: int = 160) -> str:
    """A task in one line: its first, visible and cut, without the sign of a comment; "…" where more lines follow."""
    first, *more = text.strip().splitlines() or [""]
    return f"{cut(shown(first.lstrip('#').strip()), limit)}{' …' if more else ''}"


def quoted(text: str, limit: int = 60) -> str:
    """The text in quotation marks, visible and cut."""
    return f"“{cut(shown(text), limit)}”"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionWords:
    """An action as a person would say it.

    Attributes:
        verb: "Click", "Type".
        object: what follows the verb: "“Submit report”"; "" for nothing.
        where: "left button, at 178, 619"; "" for nothing.
    """

    verb: str
    object: str = ""
    where: str = ""

    @property
    def line(self) -> str:
        """Verb and object."""
        return f"{self.verb} {self.object}".rstrip()


_CLICKS = {1: "Click", 2: "Double-click", 3: "Triple-click"}


def action_words(action: a.Action | None, label: str = "", *, limit: int = 60) -> ActionWords:  # noqa: C901, PLR0911, PLR0912 - one arm an action
    """The words for an action; `label` is the text read at its target, `limit` cuts long texts."""
    on = quoted(label, limit) if label else ""
    match action:
        case None:
            return ActionWords(verb="Not understood")
        case a.Move(at=at):
            return ActionWords(verb="Move to", object=on or _point(at), where=_at(at) if on else "")
        case a.Click():
            return _click(action, on)
        case a.Press(at=at, button=button):
            return ActionWords(verb="Press", object=on, where=_join(f"{button} button, kept down", _at(at)))
        case a.Release(at=at, button=button):
            return ActionWords(verb="Release", object=on, where=_join(f"{button} button", _at(at)))
        case a.Drag(path=path, button=button, modifiers=modifiers):
            where = _join(f"{button} button", f"from {_point(path[0])} to {_point(path[-1])}", _held(modifiers))
            return ActionWords(verb="Drag", object=on, where=where)
        case a.Scroll():
            return ActionWords(
                verb="Scroll", object=_scroll(action), where=_join(_at(action.at), _held(action.modifiers))
            )
        case a.TypeText():
            return _type(action, on, limit)
        case a.Chord(keys=keys, repeat=repeat):
            return ActionWords(verb="Press", object=show_keys(keys) + (f" {repeat} times" if repeat > 1 else ""))
        case a.KeyDown(key=key):
            return ActionWords(verb="Hold down", object=show_keys((key,)))
        case a.KeyUp(key=key):
            return ActionWords(verb="Let go of", object=show_keys((key,)))
        case a.HoldKeys(keys=keys, duration_s=seconds):
            return ActionWords(verb="Hold", object=show_keys(keys), where=f"for {seconds:g} s")
        case a.AskOperator(question=question):
            return ActionWords(verb="Ask you", object=quoted(question, limit))
        case a.Finish(success=success, message=message):
            verb = "Finish" if success else "Give up"
            return ActionWords(verb=verb, where=cut(shown(message), limit))
        case a.EditFile(command=command, path=path_text):
            return ActionWords(verb="Edit file", object=quoted(path_text, limit), where=shown(command))
        case a.CallFunction(name=name, arguments_json=arguments):
            return ActionWords(verb="Call", object=shown(name), where=cut(shown(arguments), limit))
        case _:
            return _other(action, limit)


def _other(action: a.Action, limit: int) -> ActionWords:  # noqa: C901, PLR0911 - one arm an action
    match action:
        case a.Wait(duration_s=seconds):
            return ActionWords(verb="Wait", object=f"{seconds:g} s")
        case a.Screenshot():
            return ActionWords(verb="Look at the screen")
        case a.Zoom(region=region):
            return ActionWords(verb="Look closer", where=f"{region.width} × {region.height} at {region.x}, {region.y}")
        case a.OpenBrowser():
            return ActionWords(verb="Open the browser")
        case a.Navigate(url=url, new_tab=new_tab):
            return ActionWords(verb="Go to", object=cut(shown(url), limit), where="in a new tab" if new_tab else "")
        case a.Back():
            return ActionWords(verb="Go back")
        case a.Forward():
            return ActionWords(verb="Go forward")
        case a.Search(query=query):
            return ActionWords(verb="Search", object=quoted(query, limit) if query else "")
        case a.Launch(app=app, url=url):
            return ActionWords(verb="Open" if url else "Launch", object=cut(shown(url or app), limit))
        case a.QuoteText(variable=variable, auto_scroll=scrolls):
            verb = "Read text to its end by scrolling" if scrolls else "Read text"
            return ActionWords(verb=verb, where=f"into {shown(variable)}")
        case a.QuoteClipboard(variable=variable):
            return ActionWords(verb="Read the clipboard", where=f"into {shown(variable)}")
        case a.AskModel(prompt=prompt):
            return ActionWords(verb="Ask the model", object=quoted(prompt, limit))
        case a.RunCommand(command=command):
            return ActionWords(verb="Run", object=quoted(command, limit))
        case _:
            return ActionWords(verb=action.kind.replace("_", " ").capitalize())


def _click(action: a.Click, on: str) -> ActionWords:
    verb = _CLICKS.get(action.count, f"Click {action.count} times")
    if action.button is a.Button.RIGHT and action.count == 1:
        verb = "Right-click"
    return ActionWords(
        verb=verb, object=on, where=_join(f"{action.button} button", _at(action.at), _held(action.modifiers))
    )


def _type(action: a.TypeText, on: str, limit: int) -> ActionWords:
    into = f"into {on}" if on else ""
    where = _join(
        into, _at(action.at), "field emptied first" if action.clear else "", "then Enter" if action.submit else ""
    )
    return ActionWords(verb="Type", object=quoted(action.text, limit), where=where or "at the cursor")


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


STOP_WORDS: dict[StopCause, str] = {
    StopCause.HOTKEY: "hotkey",
    StopCause.BUTTON: "the Stop button",
    StopCause.COMMAND: "the stop command",
    StopCause.CORNER: "the pointer in a screen corner",
    StopCause.LAPSE: "a console that no longer answered",
    StopCause.DISPLAY_LOST: "the loss of the display",
    StopCause.CONSOLE_DIED: "the death of the console",
    StopCause.STOP_NOT_LIVE: "a stop that was not live",
    StopCause.INTERRUPT: "an interrupt",
    StopCause.GUARD_DIED: "the death of the guard",
    StopCause.CARD: "your answer",
}

PAUSE_WORDS: dict[PauseCause, str] = {
    PauseCause.HUMAN: "by you",
    PauseCause.HOTKEY: "by hotkey",
    PauseCause.SCREEN_LOCK: "the screen was locked",
    PauseCause.LEASE: "the console was busy",
    PauseCause.STOP_NOT_LIVE: "the stop is not live",
    PauseCause.SUSPEND: "the machine slept",
    PauseCause.LAPSED_QUESTION: "a question was not answered",
    PauseCause.PROVIDER_BLOCKED: "the model’s service blocked this",
    PauseCause.TARGET: "the target cannot be seen",
    PauseCause.LIMIT: "a limit was reached",
    PauseCause.RECORD: "the record cannot be written",
}

CATEGORY_WORDS: dict[Category, str] = {
    Category.SEND: "sends data",
    Category.POST: "publishes",
    Category.DELETE: "deletes",
    Category.TERMINAL: "runs a command",
    Category.INSTALL: "installs",
    Category.DOWNLOAD_RUN: "runs a download",
    Category.UPLOAD: "uploads",
    Category.LOGIN: "signs in",
    Category.PERSONAL_DATA: "personal data",
    Category.SYSTEM: "changes the system",
    Category.PAY: "pays",
    Category.CREDENTIALS: "fills in a secret",
    Category.SECURITY: "changes security",
    Category.LEGAL: "accepts terms",
}


def clock_words(seconds: float) -> str:
    """0:42, 12:05, 1:02:03."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{secs:02}" if hours else f"{minutes}:{secs:02}"


def count_words(number: int) -> str:
    """842, 18.4 k, 1.2 M."""
    if number < 1_000:
        return str(number)
    if number < 999_950:
        return f"{number / 1_000:.1f} k"
    return f"{number / 1_000_000:.1f} M"


def size_words(size_bytes: int) -> str:
    """12 KB, 3.4 MB."""
    if size_bytes < 1_000_000:
        return f"{max(1, round(size_bytes / 1_000))} KB"
    return f"{size_bytes / 1_000_000:.1f} MB"


def age_words(seconds: float) -> str:
    """0.4 s, 12 s, 3 min."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def window_words(seen: Observed, target: TargetRef | None) -> str:
    """Which window the next input goes to: the target's own, or on a monitor the one with the focus; never ours."""
    if target is None or target.kind is not TargetKind.MONITOR or seen.focus is None or seen.focus.own:
        return seen.title
    return f"{seen.focus.title} — {seen.focus.app}" if seen.focus.app else seen.focus.title
