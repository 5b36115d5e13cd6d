r"""The language of runbooks: its steps, their parser, and their description in words.

There is one step on each line, or several separated by `;`. `#` begins a comment. Texts are in "double quotes", with
the escapes \" \\ \n \t, or in typographic quotes:

    click "A" [near "B"]        double-click, right-click, middle-click
    type "A" [into "B"]         replace "B" with "A"
    check "A"                   uncheck "A"
    press Ctrl+S [3 times]      scroll down 3 [on "A"]       drag "A" to "B"
    wait for "A" [up to 90 s]   expect "A"                   ask "question"
    go to ADDRESS               open tab ADDRESS             close tab
    tab 2                       back                         forward

Before a text that is on the screen its role may stand: `click button "A"`, `wait for list item "A"`.

Mistakes are reported with line and column, which the tokenizers of the standard library do not provide.

What a step does is in planning.py: a new step needs a case there too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from operator_console.domain.actions import Button
from operator_console.domain.elements import Role
from operator_console.domain.errors import TaskMistake
from operator_console.domain.keys import Key, UnknownKey, parse_chord, show_keys
from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode

WAIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A place on the screen with this text; `near` distinguishes several. `role` None: any control or text."""

    text: str
    near: str = ""
    role: Role | None = None

    @property
    def name(self) -> str:
        """Role and text: `button “Save”`."""
        return f"{self.role.value} “{self.text}”" if self.role is not None else f"“{self.text}”"

    @property
    def words(self) -> str:
        """The place in words, for a sentence."""
        return f"{self.name} near “{self.near}”" if self.near else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnyStep:
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _TargetStep(_AnyStep):
    target: Named


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickStep(_TargetStep):
    """`click "A"`, `double-click`, `right-click`, `middle-click`."""

    button: Button = Button.LEFT
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeStep(_AnyStep):
    """`type "A"`, `type "A" into "B"`, `replace "B" with "A"`."""

    text: str
    into: Named | None = None
    replace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStep(_TargetStep):
    """`check "A"`, `uncheck "A"`; clicks only where the state is another one."""

    on: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PressStep(_AnyStep):
    """`press Ctrl+S`, `press Tab 3 times`."""

    keys: tuple[Key, ...]
    repeat: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrollStep(_AnyStep):
    """`scroll down 3`, `scroll up 2 on "A"`; in wheel notches."""

    dx: int = 0
    dy: int = 0
    on: Named | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DragStep(_AnyStep):
    """`drag "A" to "B"`."""

    start: Named
    end: Named


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitStep(_TargetStep):
    """`wait for "text"`, `wait for "text" up to 90 s`."""

    limit_s: float = WAIT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectStep(_TargetStep):
    """`expect "text"`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskStep(_AnyStep):
    """`ask "question"`; continues after a yes."""

    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoStep(_AnyStep):
    """`go to https://example.org`, `open tab https://example.org`."""

    url: str
    new_tab: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TabStep(_AnyStep):
    """`tab 2`: shows another tab of the browser."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseTabStep(_AnyStep):
    """`close tab`: closes the tab of the browser that is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryStep(_AnyStep):
    """`back`, `forward`: one page in the history of the browser."""

    forward: bool = False


BrowserStep: TypeAlias = GoStep | TabStep | CloseTabStep | HistoryStep
Step: TypeAlias = (
    ClickStep | TypeStep | CheckStep | PressStep | ScrollStep | DragStep | WaitStep | ExpectStep | AskStep | BrowserStep
)

_CLICK_VERBS = {
    (Button.LEFT, 1): "click",
    (Button.LEFT, 2): "double-click",
    (Button.RIGHT, 1): "right-click",
    (Button.MIDDLE, 1): "middle-click",
}


def verb(step: Step) -> str:
    """The verb of a step."""
    match step:
        case ClickStep():
            return _CLICK_VERBS[step.button, step.count]
        case TypeStep():
            return "replace" if step.replace else "type"
        case CheckStep():
            return "check" if step.on else "uncheck"
        case PressStep():
            return "press"
        case ScrollStep():
            return "scroll"
        case DragStep():
            return "drag"
        case WaitStep():
            return "wait for"
        case ExpectStep():
            return "expect"
        case AskStep():
            return "ask"
        case GoStep() | TabStep() | CloseTabStep() | HistoryStep():
            return _browser_verb(step)


def _browser_verb(step: BrowserStep) -> str:
    match step:
        case GoStep():
            return "open tab" if step.new_tab else "go to"
        case TabStep():
            return "tab"
        case CloseTabStep():
            return "close tab"
        case HistoryStep():
            return "forward" if step.forward else "back"


def show(step: Step) -> str:
    """A step in words: `click “Save”`."""
    return f"{verb(step)} {_object(step)}".strip()


def _object(step: Step) -> str:
    match step:
        case ClickStep() | WaitStep() | ExpectStep():
            return step.target.words
        case CheckStep():
            return replace(step.target, role=None).words if step.target.role is Role.CHECK_BOX else step.target.words
        case TypeStep(replace=True, into=Named() as into):
            return f"{into.words} with “{step.text}”"
        case TypeStep():
            return f"“{step.text}”" + (f" into {step.into.words}" if step.into else "")
        case PressStep():
            return show_keys(step.keys) + (f" {step.repeat} times" if step.repeat > 1 else "")
        case ScrollStep():
            return _direction(step) + (f" on {step.on.words}" if step.on else "")
        case DragStep():
            return f"{step.start.words} to {step.end.words}"
        case AskStep():
            return f"“{step.question}”"
        case GoStep() | TabStep() | CloseTabStep() | HistoryStep():
            return _browser_object(step)


def _browser_object(step: BrowserStep) -> str:
    match step:
        case GoStep():
            return step.url
        case TabStep():
            return str(step.number)
        case CloseTabStep() | HistoryStep():
            return ""


def _direction(step: ScrollStep) -> str:
    if step.dy:
        return f"{'down' if step.dy > 0 else 'up'} {abs(step.dy)}"
    return f"{'right' if step.dx > 0 else 'left'} {abs(step.dx)}"


_LEXEME = re.compile(
    r"""(?P<blank>[ \t\u00a0]+)
      | (?P<address>[A-Za-z][A-Za-z0-9+.-]*://[^\s"“]*[^\s"“;])
      | (?P<comment>\#.*)
      | (?P<end>;)
      | "(?P<quoted>(?:[^"\\]|\\.)*)"
      | “(?P<typographic>[^”]*)”
      | (?P<open>["“])
      | (?P<word>[^\s"“;\#]+)""",
    re.VERBOSE,
)
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
ROLES = {role.value: role for role in Role if role is not Role.UNKNOWN}
"""Roles by the words that stand for them in a runbook."""
_BOX = {"box": Role.CHECK_BOX}
_SPACED = ("double", "right", "middle")
_MAX_REPEATS = 100
_MAX_NOTCHES = 200
_MAX_TABS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word, a text in quotes, or the end of a step."""

    text: str
    line: int
    column: int
    quoted: bool = False
    end: bool = False


def load(task: str) -> str:
    """The text of the runbook: the task itself, or the content of FILE if the task is `@FILE`. Raises TaskMistake."""
    stripped = task.strip()
    if not stripped.startswith("@"):
        return task
    path = Path(stripped[1:]).expanduser()
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskMistake(
            notice(NoticeCode.RUNBOOK_UNREADABLE, path=str(path)),
            detail=f"{error.strerror}." if isinstance(error, OSError) else notice(NoticeCode.NOT_UTF8_TEXT),
            remedy=notice(NoticeCode.GIVE_RUNBOOK_FILE),
        ) from error


def parse(text: str, *, first_line: int = 1) -> tuple[Step, ...]:
    """Parse a runbook with at least one step. Raises TaskMistake with line and column."""
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=first_line):
        steps.extend(_StepParser(tokens).step() for tokens in _split(_tokens(line, number)))
    if not steps:
        remedy = joined(notice(NoticeCode.WRITE_STEPS_ON_LINES), notice(NoticeCode.RUNBOOK_STEPS))
        raise TaskMistake(notice(NoticeCode.RUNBOOK_EMPTY), remedy=remedy)
    return tuple(steps)


def _mistake(token: Token, detail: str, remedy: NoticeCode = NoticeCode.RUNBOOK_STEPS) -> TaskMistake:
    return TaskMistake(_title(token), detail=detail, remedy=notice(remedy), line=token.line, column=token.column)


def _title(token: Token) -> NoticeText:
    return notice(NoticeCode.RUNBOOK_MISTAKE, line=token.line, column=token.column)


def _tokens(line: str, number: int) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(line):
        match = _LEXEME.match(line, at)
        here = Token(text="", line=number, column=at + 1)
        if match is None:
            # Only other white space gets here, such as form feeds.
            at += 1
            continue
        if match["open"]:
            raise _mistake(here, notice(NoticeCode.QUOTE_NOT_CLOSED), NoticeCode.CLOSE_QUOTE)
        if match["quoted"] is not None:
            text = _unescape(match["quoted"], number, at + 2)
            tokens.append(Token(text=text, line=number, column=at + 1, quoted=True))
        elif match["typographic"] is not None:
            tokens.append(Token(text=match["typographic"], line=number, column=at + 1, quoted=True))
        elif word := match["word"] or match["address"]:
            tokens.append(Token(text=word, line=number, column=at + 1))
        elif match["end"]:
            tokens.append(Token(text="", line=number, column=at + 1, end=True))
        at = match.end()
    tokens.append(Token(text="", line=number, column=len(line) + 1, end=True))
    return tokens


def _unescape(text: str, line: int, column: int) -> str:
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\":
            if text[at + 1] not in _ESCAPES:
                token = Token(text="", line=line, column=column + at)
                what = notice(NoticeCode.NO_SUCH_ESCAPE, character=text[at + 1])
                raise _mistake(token, what, NoticeCode.WRITE_ESCAPES)
            out.append(_ESCAPES[text[at + 1]])
            at += 2
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _split(tokens: list[Token]) -> list[list[Token]]:
    """The steps of one line, each with its end token, without empty ones."""
    steps: list[list[Token]] = []
    current: list[Token] = []
    for token in tokens:
        current.append(token)
        if token.end:
            if len(current) > 1:
                steps.append(current)
            current = []
    return steps


def _expected(expected: NoticeText, token: Token) -> NoticeText:
    if token.end:
        return notice(NoticeCode.EXPECTED_BUT_STEP_ENDS, expected=expected)
    return notice(NoticeCode.EXPECTED_BUT_FOUND, expected=expected, found=token.text)


class _StepParser:
    """Parses the tokens of one step."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def step(self) -> Step:
        """Parse the step. Raises TaskMistake."""
        first = self._next()
        verbs: dict[str, Callable[[int], Step]] = {
            "click": lambda line: ClickStep(line=line, target=self._named()),
            "double-click": lambda line: ClickStep(line=line, target=self._named(), count=2),
            "right-click": lambda line: ClickStep(line=line, target=self._named(), button=Button.RIGHT),
            "middle-click": lambda line: ClickStep(line=line, target=self._named(), button=Button.MIDDLE),
            "check": lambda line: CheckStep(line=line, target=self._named(_BOX)),
            "uncheck": lambda line: CheckStep(line=line, target=self._named(_BOX), on=False),
            "type": self._type,
            "replace": self._replace,
            "press": self._press,
            "scroll": self._scroll,
            "drag": self._drag,
            "wait": self._wait,
            "expect": lambda line: ExpectStep(line=line, target=self._shown()),
            "go": self._go,
            "open": self._open,
            "close": self._close,
            "tab": lambda line: TabStep(line=line, number=self._number(1, _MAX_TABS)),
            "back": lambda line: HistoryStep(line=line),
            "forward": lambda line: HistoryStep(line=line, forward=True),
            "ask": lambda line: AskStep(
                line=line, question=self._text(NoticeCode.QUESTION_IN_QUOTES, NoticeCode.WRITE_QUESTION)
            ),
        }
        verb = first.text.lower()
        if verb in _SPACED and self._word("click"):
            verb = f"{verb}-click"
        make = None if first.quoted else verbs.get(verb)
        if make is None:
            raise _mistake(first, notice(NoticeCode.NOT_A_STEP, text=first.text))
        step = make(first.line)
        rest = self._peek()
        if not rest.end:
            what = notice(NoticeCode.STEP_ENDS_BEFORE, text=rest.text)
            raise _mistake(rest, what, NoticeCode.PUT_STEPS_ON_LINES)
        return step

    def _type(self, line: int) -> Step:
        text = self._text(NoticeCode.TEXT_TO_TYPE_IN_QUOTES, NoticeCode.WRITE_TEXT_TO_TYPE)
        return TypeStep(line=line, text=text, into=self._named() if self._word("into") else None)

    def _replace(self, line: int) -> Step:
        into = self._named()
        self._need("with")
        text = self._text(NoticeCode.NEW_TEXT_IN_QUOTES, NoticeCode.HOW_TO_CLEAR_FIELD)
        return TypeStep(line=line, text=text, into=into, replace=True)

    def _press(self, line: int) -> Step:
        first = self._next()
        if first.end:
            raise _mistake(first, notice(NoticeCode.KEYS_EXPECTED), NoticeCode.KEYS_EXAMPLE)
        names = [first.text]
        while not self._peek().end and not (self._peek().text.isdecimal() and self._peek(1).text == "times"):
            names.append(self._next().text)
        try:
            keys = parse_chord(" ".join(names))
        except UnknownKey as error:
            raise _mistake(first, error.text, NoticeCode.WRITE_KEYS_LIKE) from error
        repeat = 1
        if not self._peek().end:
            repeat = self._number(1, _MAX_REPEATS)
            self._need("times")
        return PressStep(line=line, keys=keys, repeat=repeat)

    def _scroll(self, line: int) -> Step:
        token = self._next()
        directions = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
        if token.quoted or token.text not in directions:
            raise _mistake(token, notice(NoticeCode.DIRECTION_EXPECTED), NoticeCode.SCROLL_EXAMPLE)
        dx, dy = directions[token.text]
        notches = self._number(1, _MAX_NOTCHES) if self._peek().text.isdecimal() else 1
        on = self._named() if self._word("on") else None
        return ScrollStep(line=line, dx=dx * notches, dy=dy * notches, on=on)

    def _go(self, line: int) -> Step:
        self._need("to")
        return GoStep(line=line, url=self._address())

    def _open(self, line: int) -> Step:
        self._need("tab")
        return GoStep(line=line, url=self._address(), new_tab=True)

    def _close(self, line: int) -> Step:
        self._need("tab")
        return CloseTabStep(line=line)

    def _address(self) -> str:
        token = self._next()
        if token.end or not token.text.strip():
            raise _mistake(token, _expected(notice(NoticeCode.ADDRESS_OF_PAGE), token), NoticeCode.WRITE_ADDRESS)
        return token.text.strip()

    def _drag(self, line: int) -> Step:
        start = self._named()
        self._need("to")
        return DragStep(line=line, start=start, end=self._named())

    def _wait(self, line: int) -> Step:
        self._need("for")
        target = self._shown()
        limit_s = WAIT_S
        if self._word("up"):
            self._need("to")
            limit_s = float(self._number(1, 3600))
            self._need("s")
        return WaitStep(line=line, target=target, limit_s=limit_s)

    def _shown(self) -> Named:
        role = self._role()
        return Named(text=self._text(), role=role)

    def _named(self, more_roles: Mapping[str, Role] | None = None) -> Named:
        role = self._role(more_roles or {})
        text = self._text()
        return Named(text=text, near=self._text() if self._word("near") else "", role=role)

    def _role(self, more: Mapping[str, Role] | None = None) -> Role | None:
        """The role that the words before a text in quotes stand for; None if there are no such words."""
        words: list[Token] = []
        while not (ahead := self._peek(len(words))).quoted and not ahead.end:
            words.append(ahead)
        if not words or self._peek(len(words)).end:
            return None  # without a text in quotes, that is the mistake
        name = " ".join(word.text.lower() for word in words)
        role = {**ROLES, **(more or {})}.get(name)
        if role is None:
            known = ", ".join(sorted(ROLES))
            raise TaskMistake(
                _title(words[0]), detail=notice(NoticeCode.NOT_A_ROLE, name=name),
                remedy=notice(NoticeCode.USE_ROLE, roles=known), line=words[0].line,
                column=words[0].column,
            )  # fmt: skip
        self._at += len(words)
        return role

    def _text(
        self, expected: NoticeCode = NoticeCode.TEXT_IN_QUOTES, if_empty: NoticeCode = NoticeCode.WRITE_TEXT_ON_SCREEN
    ) -> str:
        token = self._next()
        if not token.quoted:
            raise _mistake(token, _expected(notice(expected), token), NoticeCode.PUT_IN_QUOTES)
        if not token.text.strip():
            raise _mistake(token, notice(NoticeCode.TEXT_EMPTY), if_empty)
        return token.text

    def _number(self, least: int, most: int) -> int:
        token = self._next()
        if token.quoted or not token.text.isdecimal() or not least <= int(token.text) <= most:
            what = notice(NoticeCode.NUMBER_EXPECTED, least=least, most=most)
            raise _mistake(token, what, NoticeCode.WRITE_DIGITS)
        return int(token.text)

    def _need(self, word: str) -> None:
        token = self._peek()
        if not self._word(word):
            raise _mistake(token, _expected(notice(NoticeCode.WORD_OF_STEP, word=word), token))

    def _word(self, word: str) -> bool:
        token = self._peek()
        if token.quoted or token.text != word:
            return False
        self._at += 1
        return True

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _next(self) -> Token:
        token = self._peek()
        if not token.end:
            self._at += 1
        return token
