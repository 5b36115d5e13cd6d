"""Describes actions for people, models and the record. Pure functions.

The record and the model get English: `describe`, `describe_control`, `describe_stopped`. All others are in the language
of the process, for a person. Messages are phrases as within a sentence; `capital` begins a line with one.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from gettext import NullTranslations

from operator_console.domain import actions as a
from operator_console.domain.decisions import SUBMITTED_COMMAND, Assessment
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.elements import Control, Role
from operator_console.domain.events import Blocked, Downloaded, Stopped, StoppedAction
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key, show_keys
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.translations import ENGLISH, current
from operator_console.engine.visible_text import brief

_INNER_QUOTES = str.maketrans("“”", "‘’")


def shortened(text: str, limit: int = 200, language: NullTranslations = ENGLISH) -> str:
    """The text; the middle of a long one is replaced by its number of characters."""
    if len(text) <= limit:
        return text
    _, half = language.gettext, limit // 2
    left_out = _("({count} more)").format(count=len(text) - 2 * half)
    return f"{text[:half]} … {left_out} … {text[-half:]}"


def capital(phrase: str) -> str:
    """The phrase as a line begins with it."""
    return phrase[:1].upper() + phrase[1:]


def quoted(text: str, limit: int = 60) -> str:
    """As `brief`, in quotation marks."""
    return f"“{brief(text, limit)}”"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionWords:
    """The parts of an action's description.

    Attributes:
        act: "click", "type", in lower case.
        phrase: the act and what it is done to: "click “Submit report”".
        button: "left button" of a pointer action; "" for none.
        place: "at 178, 619"; "" for nothing.
        manner: "with Ctrl", "then Enter"; "" for nothing.
        usual: which of button and place go without saying in `sentence`.
    """

    act: str
    phrase: str
    button: str = ""
    place: str = ""
    manner: str = ""
    usual: tuple[str, ...] = ()

    @property
    def verb(self) -> str:
        """The act, as a line begins with it."""
        return capital(self.act)

    @property
    def line(self) -> str:
        """The act and what it is done to, as a line of its own."""
        return capital(self.phrase)

    @property
    def where(self) -> str:
        """Everything else: "left button, at 178, 619"; "" for nothing."""
        return _join(self.button, self.place, self.manner)

    @property
    def sentence(self) -> str:
        """The whole description, to follow "It will": "click “Submit report” at 178, 619"."""
        button, place = ("" if part in self.usual else part for part in (self.button, self.place))
        return _join(f"{self.phrase} {place}".rstrip(), button, self.manner)


def _act(
    words: str, what: str = "", *, number: int = 0, button: str = "", place: str = "", manner: str = "",
    usual: tuple[str, ...] = (),
) -> ActionWords:  # fmt: skip
    """`words`: the act, with {what} in the place of what it is done to, and {number}."""
    act = " ".join(words.format(what="", number=number).split())
    phrase = words.format(what=what, number=number).strip() if what else act
    return ActionWords(act=act, phrase=phrase, button=button, place=place, manner=manner, usual=usual)


_LAST_TAB = 9
_MAX_COMPARED_LINES = 2_000
_CALLED_BY_LABEL = frozenset((
    Role.COMBO_BOX, Role.PASSWORD_FIELD, Role.SEARCH_FIELD, Role.SLIDER, Role.SPIN_BUTTON, Role.TEXT_FIELD,
))  # fmt: skip
"""Controls whose text is their content: a label beside them says better what they are."""
_MOST_CONTENT = 60
"""Characters of a content that still tell which control it is; a whole document's do not."""


def control_words(control: Control | None, window: str = "", *, limit: int = 60) -> str:
    """A control in words: `button “Save” in “Plant diary”`; "" where nothing is known about it.

    Args:
        control: the control.
        window: title of the window that it stands in; without one, that of `control.window`.
        limit: the most characters of each name.
    """
    return _control(control, window, limit, current())


def describe_control(control: Control | None) -> str:
    """As `control_words`, in English."""
    return _control(control, "", 60, ENGLISH)


def _control(control: Control | None, window: str, limit: int, language: NullTranslations) -> str:
    if control is None:
        return ""
    _, role, called = language.gettext, _role(control.role, language), _called(control)
    if called:
        what = f"{role} {quoted(called, limit)}".lstrip()
    elif control.icon:
        icon = quoted(control.icon, limit)
        what = (_("{role} with the icon {icon}") if role else _("icon {icon}")).format(role=role, icon=icon)
    else:
        what = _("{role} without a name").format(role=role) if role else ""
    title = window or control.window
    if not what or not title or title == called:
        return what
    return _("{control} in {window}").format(control=what, window=quoted(title, limit))


def _role(role: Role, language: NullTranslations) -> str:
    _ = language.gettext
    match role:
        case Role.UNKNOWN:
            return ""
        case Role.GROUP:
            return _("area")
        case Role.LABEL | Role.PARAGRAPH:
            return _("text")
        case _:
            return _(role.value)


def _called(control: Control) -> str:
    if control.role in _CALLED_BY_LABEL:
        called = control.name or control.label or control.description
        return (called or (control.text if len(control.text) <= _MOST_CONTENT else "")).strip()
    return (control.line or control.says).strip()


def describe(
    action: a.Action,
    label: str = "",
    *,
    control: Control | None = None,
    from_control: Control | None = None,
    window: str = "",
    language: NullTranslations = ENGLISH,
) -> str:
    """The whole action in one sentence, in English unless a language is given; long texts are shortened.

    Args:
        action: the action.
        label: the text at its target, used where the control is not known.
        control: the control that it hits; of a drag or a release, where it ends.
        from_control: of a drag or a release, the control at which the button was pressed.
        window: title of the window that it hits; without one, that of `control.window`.
        language: of the sentence.
    """
    named = _Named.of(label and f"“{shortened(label, 80, language)}”", control, from_control, window, 80, language)
    return _words(action, named, lambda text: shortened(text, language=language), language).sentence


def describe_stopped(stopped: StoppedAction) -> str:
    """As `describe`; the call's name where it was not understood."""
    return _stopped(stopped, ENGLISH)


def _stopped(stopped: StoppedAction, language: NullTranslations) -> str:
    if stopped.action is None:
        return stopped.name
    found = stopped.assessment
    if found is None:
        return describe(stopped.action, window=stopped.window, language=language)
    return describe(
        stopped.action, found.label, control=found.control, from_control=found.from_control, window=stopped.window,
        language=language,
    )  # fmt: skip


def in_flight_words(stopped: Stopped) -> str:
    """What a stop interrupted; "" for nothing. Older files hold its description only."""
    return _stopped(stopped.in_flight_action, current()) if stopped.in_flight_action else stopped.in_flight


def cancelled_words(stopped: Stopped) -> tuple[str, ...]:
    """What a stop dropped. Older files hold the descriptions only."""
    return tuple(_stopped(each, current()) for each in stopped.cancelled_actions) or stopped.cancelled


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
    language = current()
    if action is None:
        _ = language.gettext
        return _act(_("not understood"))
    named = _Named.of(quoted(label, limit) if label else "", control, from_control, window, limit, language)
    return _words(action, named, lambda text: brief(text, limit), language)


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
    def of(
        cls, label: str, control: Control | None, start: Control | None, window: str, limit: int,
        language: NullTranslations,
    ) -> _Named:  # fmt: skip
        _, known = language.gettext, _control(control, window, limit, language)
        title = window or (control.window if control is not None else "")
        inside = _("in {window}").format(window=quoted(title, limit)) if title and not known else ""
        begun = "" if start is None else _control(replace(start, window=""), "", limit, language)
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
    _, parts = current().gettext, action.arguments
    match action.command:
        case "create":
            head, lines = _("{path}, the whole file:"), [f"+ {line}" for line in parts.get("file_text", "").split("\n")]
        case "str_replace":
            head, lines = _("{path}, replace:"), _difference(parts.get("old_str", ""), parts.get("new_str", ""))
        case "insert":
            text = parts.get("insert_text", parts.get("new_str", ""))
            head, lines = _("{path}, after line {line}:"), [f"+ {line}" for line in text.split("\n")]
        case _:
            head, lines = "{path}, {command}", [f"{name}: {value}" for name, value in parts.items()]
    first = head.format(path=action.path, line=parts.get("insert_line", ""), command=action.command)
    return "\n".join([first, *lines])


def _difference(old: str, new: str) -> list[str]:
    before, after = old.split("\n"), new.split("\n")
    if len(before) + len(after) > _MAX_COMPARED_LINES:  # comparing takes time by the square
        return [*(f"- {line}" for line in before), *(f"+ {line}" for line in after)]
    return [line for line in difflib.ndiff(before, after) if not line.startswith("?")]


def _words(action: a.Action, named: _Named, say: Callable[[str], str], language: NullTranslations) -> ActionWords:
    """`say` shortens and formats a text of the action."""
    _ = language.gettext
    match action:
        case a.Move() | a.Click() | a.Press() | a.Release() | a.Drag() | a.Scroll():
            return _pointing(action, named, language)
        case a.TypeText() | a.Chord() | a.KeyDown() | a.KeyUp() | a.HoldKeys():
            return _keys(action, named, say, language)
        case a.UseElement():
            return _using(action, named, say, language)
        case a.OpenBrowser() | a.Navigate() | a.Back() | a.Forward() | a.Search() | a.Launch():
            return _going(action, say, language)
        case a.SwitchTab(number=number):
            return _act(_("show the last tab") if number == _LAST_TAB else _("show tab {number}"), number=number)
        case a.CloseTab():
            return _act(_("close the tab"))
        case _other:
            return _looking(action, say, language)


def _pointing(
    action: a.Move | a.Click | a.Press | a.Release | a.Drag | a.Scroll, named: _Named, language: NullTranslations
) -> ActionWords:
    _, on = language.gettext, named.on
    match action:
        case a.Move(at=at):
            return _act(_("move to {what}"), on or _point(at), place=_at(at, language) if on else named.inside)
        case a.Click(at=at, button=button, count=count, modifiers=modifiers):
            said, pressed = _clicks(button, count, language), _button(button, language)
            place, manner = _spot(at, named, language), _held(modifiers, language)
            usual = button is a.Button.LEFT or (button is a.Button.RIGHT and count == 1)
            return _act(
                said, on, number=count, button=pressed, place=place, manner=manner, usual=(pressed,) if usual else ()
            )
        case a.Press(at=at, button=button):
            held = _("{button}, held down").format(button=_button(button, language))
            return _act(_("press {what}"), on, button=held, place=_spot(at, named, language))
        case a.Release(at=at, button=button):
            begun = _("pressed on {control}").format(control=named.start) if named.start else ""
            pressed, usual = _button(button, language), button is a.Button.LEFT
            said = _("release over {what}") if on and named.start else _("release {what}")
            return _act(
                said, on, button=pressed, place=_spot(at, named, language), manner=begun,
                usual=(pressed,) if usual else (),
            )  # fmt: skip
        case a.Drag(path=path, button=button, modifiers=modifiers):
            onto = _("onto {control}").format(control=named.focused) if named.focused else ""
            pressed, usual = _button(button, language), button is a.Button.LEFT
            return _act(
                _("drag {what}"), named.start or ("" if onto else on), button=pressed, place=_way(path, language),
                manner=_join(onto, _held(modifiers, language)), usual=(pressed,) if usual else (),
            )  # fmt: skip
        case a.Scroll(at=at, modifiers=modifiers):
            amount = _scroll(action, language)
            return _act(_("scroll {what}"), amount, place=_at(at, language), manner=_held(modifiers, language))


def _clicks(button: a.Button, count: int, language: NullTranslations) -> str:
    _ = language.gettext
    match count:
        case 1:
            return _("right-click {what}") if button is a.Button.RIGHT else _("click {what}")
        case 2:
            return _("double-click {what}")
        case 3:
            return _("triple-click {what}")
        case _more:
            return _("click {number} times {what}")


def _button(button: a.Button, language: NullTranslations) -> str:
    _ = language.gettext
    match button:
        case a.Button.LEFT:
            return _("left button")
        case a.Button.MIDDLE:
            return _("middle button")
        case a.Button.RIGHT:
            return _("right button")
        case a.Button.BACK:
            return _("back button")
        case a.Button.FORWARD:
            return _("forward button")


def _way(path: tuple[NativePoint, ...], language: NullTranslations) -> str:
    _, ngettext, between = language.gettext, language.ngettext, len(path) - 2
    if between <= 0:
        said = _("from {start} to {end}")
    else:
        said = ngettext(
            "from {start} to {end} through {count} more point", "from {start} to {end} through {count} more points",
            between,
        )  # fmt: skip
    return said.format(start=_point(path[0]), end=_point(path[-1]), count=between)


def _keys(
    action: a.TypeText | a.Chord | a.KeyDown | a.KeyUp | a.HoldKeys, named: _Named, say: Callable[[str], str],
    language: NullTranslations,
) -> ActionWords:  # fmt: skip
    _ = language.gettext
    on_focus = _("on {control}").format(control=named.focused) if named.focused else named.inside
    match action:
        case a.TypeText(text=text, at=at, clear=clear, submit=submit):
            into = _("into {control}").format(control=named.on) if named.on else ""
            place = _join(into, _spot(at, named, language))
            manner = _join(_("after clearing the field") if clear else "", _("then Enter") if submit else "")
            if place or manner:
                return _act(_("type {what}"), f"“{say(text)}”", place=place, manner=manner)
            at_cursor = _("at the cursor")
            return _act(_("type {what}"), f"“{say(text)}”", place=at_cursor, usual=(at_cursor,))
        case a.Chord(keys=keys, repeat=repeat):
            pressed = show_keys(keys)
            if repeat > 1:
                pressed = _("{keys} {count} times").format(keys=pressed, count=repeat)
            return _act(_("press {what}"), pressed, place=on_focus)
        case a.KeyDown(key=key):
            return _act(_("hold down {what}"), show_keys((key,)), place=on_focus)
        case a.KeyUp(key=key):
            return _act(_("release {what}"), show_keys((key,)))
        case a.HoldKeys(keys=keys, duration_s=seconds):
            manner = _("for {seconds:g} s").format(seconds=seconds)
            return _act(_("hold {what}"), show_keys(keys), place=on_focus, manner=manner)


def _using(action: a.UseElement, named: _Named, say: Callable[[str], str], language: NullTranslations) -> ActionWords:
    _, element, place = language.gettext, action.element, _spot(action.at, named, language)
    on = named.on or f"{_role(element.role, language)} {quoted(element.name)}".strip()
    match action.use:
        case ElementUse.PRESS:
            return _act(_("press {what}"), on, place=place, manner=_("by its accessible action"))
        case ElementUse.FOCUS:
            return _act(_("give the focus to {what}"), on, place=place, manner=_("through accessibility"))
        case ElementUse.CHOOSE:
            chosen = _("“{option}” of {control}").format(option=say(action.option), control=on)
            return _act(_("choose {what}"), chosen, place=place, manner=_("through accessibility"))


def _going(
    action: a.OpenBrowser | a.Navigate | a.Back | a.Forward | a.Search | a.Launch, say: Callable[[str], str],
    language: NullTranslations,
) -> ActionWords:  # fmt: skip
    _ = language.gettext
    match action:
        case a.OpenBrowser():
            return _act(_("open the browser"))
        case a.Navigate(url=url, new_tab=new_tab):
            return _act(_("go to {what}"), say(url), manner=_("in a new tab") if new_tab else "")
        case a.Back():
            return _act(_("go back"))
        case a.Forward():
            return _act(_("go forward"))
        case a.Search(query=query):
            return _act(_("search for {what}"), f"“{say(query)}”") if query else _act(_("open a search"))
        case a.Launch(app=app, url=url):
            return _act(_("open {what}") if url else _("launch {what}"), say(url or app))


def _looking(action: a.Action, say: Callable[[str], str], language: NullTranslations) -> ActionWords:
    _ = language.gettext
    match action:
        case a.Wait(duration_s=seconds):
            return _act(_("wait {what}"), _("{seconds:g} s").format(seconds=round(seconds, 1) or seconds))
        case a.Screenshot():
            return _act(_("look at the screen"))
        case a.Zoom(region=region):
            place = _("{width} × {height} at {x}, {y}").format(
                width=region.width, height=region.height, x=region.x, y=region.y
            )
            return _act(_("zoom in on {what}"), place=place)
        case a.CursorPosition():
            return _act(_("get the pointer position"))
        case a.QuoteText(variable=variable, auto_scroll=scrolls):
            said = _("read text to its end by scrolling") if scrolls else _("read text")
            return _act(said, place=_("into {variable}").format(variable=say(variable)))
        case a.QuoteClipboard(variable=variable):
            return _act(_("read the clipboard"), place=_("into {variable}").format(variable=say(variable)))
        case a.ReadPage():
            return _act(_("read the page"))
        case a.AskModel(prompt=prompt):
            return _act(_("ask the model {what}"), f"“{say(prompt)}”")
        case _other:
            return _tool(action, say, language)


def _tool(action: a.Action, say: Callable[[str], str], language: NullTranslations) -> ActionWords:
    _ = language.gettext
    match action:
        case a.RunCommand(restart=True):
            return _act(_("restart the shell"))
        case a.RunCommand(command=command):
            return _act(_("run {what}"), f"“{say(command)}”")
        case a.EditFile(command=command, path=path):
            return _act(_edits(command, language), f"“{say(path)}”")
        case a.CallFunction(name=name, arguments_json=arguments):
            return _act(_("call {what}"), f"{say(name)}({say(arguments)})")
        case a.AskOperator(question=question):
            return _act(_("ask you {what}"), f"“{say(question).translate(_INNER_QUOTES)}”")
        case a.Finish(success=success, message=message):
            return _act(_("finish") if success else _("failed"), manner=say(message))
        case _other:
            return _act(action.kind.replace("_", " "))


def _edits(command: str, language: NullTranslations) -> str:
    _ = language.gettext
    match command:
        case "view":
            return _("view file {what}")
        case "create":
            return _("write file {what}")
        case "str_replace":
            return _("replace text in file {what}")
        case "insert":
            return _("insert text in file {what}")
        case _other:
            return _("edit file {what}")


def _scroll(action: a.Scroll, language: NullTranslations) -> str:
    _ = language.gettext
    down = (_("down {count}") if action.dy > 0 else _("up {count}")).format(count=abs(action.dy)) if action.dy else ""
    aside = _("right {count}") if action.dx > 0 else _("left {count}")
    aside = aside.format(count=abs(action.dx)) if action.dx else ""
    return _("{one} and {other}").format(one=down, other=aside) if down and aside else down or aside or "0"


def _held(modifiers: tuple[Key, ...], language: NullTranslations) -> str:
    _ = language.gettext
    return _("with {keys}").format(keys=show_keys(modifiers)) if modifiers else ""


def _point(at: NativePoint) -> str:
    return f"{at.x}, {at.y}"


def _at(at: NativePoint | None, language: NullTranslations) -> str:
    _ = language.gettext
    return _("at {point}").format(point=_point(at)) if at else ""


def _spot(at: NativePoint | None, named: _Named, language: NullTranslations) -> str:
    """The point, and the window where only that is known."""
    return _at(at, language) if named.on else f"{_at(at, language)} {named.inside}".strip()


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
