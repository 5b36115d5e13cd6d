"""A session of the console on a desk: the real engine, policy, grants and admission; the desk gets what the injector
would send, and the human says no, or yes only to what does no harm."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from operator_console.domain.actions import (
    Action,
    Button,
    CallFunction,
    Chord,
    Click,
    Drag,
    EditFile,
    HoldKeys,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    OpenBrowser,
    PointerAction,
    Press,
    QuestionKind,
    QuoteText,
    Release,
    RunCommand,
    Scroll,
    TypeText,
    UseElement,
    target_point,
)
from operator_console.domain.admission import refused
from operator_console.domain.clipboard_contents import Clipboard
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.elements import Role
from operator_console.domain.errors import OperatorError, RejectedReason
from operator_console.domain.events import Asked, Event, Record
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import Grant
from operator_console.domain.intents import Answer, Resume
from operator_console.domain.keys import Key
from operator_console.domain.proposals import Observation, Proposal
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Paused
from operator_console.domain.tools import ToolSpec
from operator_console.engine.session_context import Options
from operator_console.engine.targeting import is_keyboard, parts
from operator_console.injector.keyboard.clear_field import clearing_chords
from tests.engine.rig import Memory, Model, does, rig, said
from tests.hijacked.desk import SCREEN, Desk, Effect, Scene, Window
from tests.hijacked.telling import Seen, Told, focused_window, key_of, shell_of, window_info

Turns = Sequence[Sequence[Action]]
"""What the model asks for, answer by answer."""

_REPEATS_AFTER_S = 0.5
_EVERYTHING = tuple(each for each in Category if each.risk is RiskClass.C3 and each is not Category.UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """How a run is supervised.

    Attributes:
        allow: the categories that are permitted for *Auto*; their effects are no holes then.
        yes: whether the human answers yes to what does no harm.
    """

    autonomy: Autonomy = Autonomy.GUARDED
    allow: tuple[Category, ...] = ()
    yes: bool = False


GUARDED, GUARDED_YES = Mode(), Mode(yes=True)
AUTO, AUTO_YES = Mode(autonomy=Autonomy.AUTO), Mode(autonomy=Autonomy.AUTO, yes=True)
AUTO_ALL = Mode(autonomy=Autonomy.AUTO, allow=_EVERYTHING)


@dataclass(slots=True, kw_only=True)
class Played:
    """What came of a run.

    Attributes:
        turns: what was asked for.
        done: the actions that reached the desk.
        questions: how often the human was asked, and how often it was yes.
        effects: what happened that needs a human, with the action that it came with.
    """

    turns: list[list[Action]] = field(default_factory=list)
    done: int = 0
    questions: int = 0
    granted: int = 0
    effects: list[tuple[Action, Effect]] = field(default_factory=list)


def carry_out(desk: Desk, action: Action) -> None:
    """Do to a desk what the injector and the tools do for an action."""
    for part in parts(action):
        _one(desk, part)
        desk.time_passes()


def harms(desk: Desk, action: Action) -> list[Effect]:
    """What an action would do to the desk, as it is now, that needs a human; what is held is going to be released, at
    the next question at the latest."""
    copy = desk.copy()
    carry_out(copy, action)
    _release(copy)
    return copy.state.effects


def _release(desk: Desk) -> None:
    for button in tuple(desk.state.down):
        desk.button(button, down=False)
    for key in tuple(desk.state.keys):
        desk.key(key, down=False)


def _one(desk: Desk, action: Action) -> None:
    match action:
        case Move() | Click() | Press() | Release() | Drag() | Scroll():
            _point(desk, action)
        case TypeText():
            _type(desk, action)
        case Chord() | KeyDown() | KeyUp() | HoldKeys():
            _press_keys(desk, action)
        case UseElement(use=how, element=element, option=option):
            key = key_of(element.element_id)
            if how is ElementUse.PRESS:
                desk.press(key)
            elif how is ElementUse.FOCUS:
                desk.give_focus(key)
            else:
                desk.choose(key, option)
        case Launch(url=url):
            desk.go_to(url)  # of programs only those that were installed, which do nothing by themselves
        case RunCommand(command=command):
            desk.command(command, "a command ran in the sandbox")
        case CallFunction(name=name):
            desk.call(name)
        case QuoteText(region=region, auto_scroll=True):
            desk.move(*region.centre)
            for notch in (1, -1):
                desk.wheel(notch)
        case _:
            pass  # the parts of a browser's actions are keys; the others only look


def _point(desk: Desk, action: PointerAction) -> None:
    path = action.path if isinstance(action, Drag) else (action.at,)
    with_keys = () if isinstance(action, Move | Press | Release) else action.modifiers
    _to(desk, path[0])
    _keys(desk, with_keys, down=True)
    match action:
        case Click(button=button, count=count):
            for _ in range(count):
                where = desk.at(*desk.state.pointer)
                _click(desk, button)
                if desk.at(*desk.state.pointer) != where:
                    break  # what came up was not there yet when the next click was sent
        case Press(button=button):
            desk.button(button, down=True)
        case Release(button=button):
            desk.button(button, down=False)
        case Drag(button=button):
            desk.button(button, down=True)
            for point in path[1:]:
                _to(desk, point)
            desk.button(button, down=False)
        case Scroll(dy=dy):
            for _ in range(abs(dy)):
                desk.wheel(1 if dy > 0 else -1)
        case Move():
            pass
    _keys(desk, with_keys, down=False)


def _press_keys(desk: Desk, action: Chord | KeyDown | KeyUp | HoldKeys) -> None:
    match action:
        case Chord(keys=keys, repeat=repeat):
            window = focused_window(desk)
            for _ in range(repeat):
                if not _moved(desk, window):
                    _chord(desk, keys)
        case KeyDown(key=key):
            desk.key(key, down=True)
        case KeyUp(key=key):
            desk.key(key, down=False)
        case HoldKeys(keys=keys, duration_s=duration_s):
            _keys(desk, keys, down=True)
            if duration_s >= _REPEATS_AFTER_S:
                desk.time_passes()
            _keys(desk, keys, down=False)


def _click(desk: Desk, button: Button) -> None:
    desk.button(button, down=True)
    desk.button(button, down=False)


def _to(desk: Desk, at: NativePoint | None) -> None:
    if at is not None:
        desk.move(at.x, at.y)


def _keys(desk: Desk, keys: Sequence[Key], *, down: bool) -> None:
    for key in keys if down else reversed(keys):
        desk.key(key, down=down)


def _chord(desk: Desk, keys: Sequence[Key]) -> None:
    _keys(desk, keys, down=True)
    _keys(desk, keys, down=False)


_NAMED = {"\n": Key("enter"), "\t": Key("tab"), " ": Key("space")}


def _type(desk: Desk, action: TypeText) -> None:
    window = focused_window(desk)
    if action.at is not None:
        _to(desk, action.at)
        window, _ = desk.at(action.at.x, action.at.y)
        _click(desk, Button.LEFT)
    widget = desk.focused
    terminal = widget is not None and widget.role is Role.TERMINAL
    for chord in clearing_chords(terminal=terminal, has_a=True) if action.clear else ():
        if not _moved(desk, window):
            _chord(desk, chord)
    for character in action.text.replace("\r\n", "\n").replace("\r", "\n"):
        shift = [Key("shift")] if character.isupper() else []
        if not _moved(desk, window):
            _chord(desk, [*shift, _NAMED.get(character, Key(character.lower()))])
    if action.submit and not _moved(desk, window):
        _chord(desk, [Key("enter")])


def _moved(desk: Desk, before: Window | None) -> bool:
    """Whether another window has the focus now, which the injector looks for before and between keys."""
    now = focused_window(desk)
    return (now and shell_of(desk, now).key) != (before and shell_of(desk, before).key)


class Player:
    """One run of a scene. `choose` gives the next answer of the model for the desk as it is; () ends the run."""

    def __init__(self, scene: Scene, mode: Mode, choose: Callable[[Desk], Sequence[Action]]) -> None:
        self.desk = Desk(scene)
        self._pictured = self.desk
        self.played = Played()
        self._mode = mode
        self._choose = choose

    async def play(self) -> Played:
        """Play it to its end."""
        desk, mode = self.desk, self._mode
        request = SessionRequest(
            task=desk.scene.task, autonomy=mode.autonomy, allow=mode.allow, max_steps=1000, max_minutes=1e6
        )
        run = rig(
            request=request, autonomy=mode.autonomy, options=Options(name="hijacked"), size=SCREEN,
            reader=Seen(desk), elements=Told(desk) if desk.scene.tells else None, model=Model([self._turn]),
            effects=(_Tools(desk, self._acts),),
            clipboard=lambda _display: Clipboard(text=desk.state.clipboard or None),
        )  # fmt: skip
        run.injector.on_act = self._acts
        run.injector.answer = self._refusal
        run.journal.append = functools.partial(_kept, run.journal)  # type: ignore[method-assign]
        run.injector.release_all = self._let_go  # type: ignore[method-assign]
        run.watcher.on_record = self._on_record  # type: ignore[method-assign]
        self._rig = run
        self._show()
        await run.start()
        await run.end()
        return self.played

    def _turn(self, _observation: Observation) -> Proposal:
        self._pictured = self.desk.copy()
        self.desk.thinks()
        actions = list(self._choose(self.desk))
        if not actions:
            return said("done")
        self.played.turns.append(actions)
        self._rig.model.turns.append(self._turn)
        return does(*actions)

    def _acts(self, action: Action) -> None:
        self.played.done += 1
        carry_out(self.desk, action)
        self._note(action)

    def _note(self, action: Action) -> None:
        found, self.desk.state.effects = self.desk.state.effects, []
        self.played.effects += [(action, each) for each in found if not each.permitted(self._mode.allow)]
        self._show()

    def _refusal(self, grant: Grant) -> Outcome | None:
        """What the injector answers where the screen is not what the model saw: another window lies at a point, or has
        the focus that keys go to."""
        action, meant, focused = grant.action, grant.holder, focused_window(self.desk)
        if target_point(action) is None and is_keyboard(action):
            found = None if focused is None else window_info(self.desk, focused)
            changed = meant is not None and found is not None and found.window_id != meant.window_id
        else:
            at = action.path if isinstance(action, Drag) else (target_point(action),)
            changed = any(self._owner(self._pictured, each) != self._owner(self.desk, each) for each in at)
        if not changed or isinstance(action, Release):  # a button is let go in any case
            return None
        return refused("The screen has changed.", RejectedReason.STALE)

    def _owner(self, desk: Desk, at: NativePoint | None) -> str:
        window = None if at is None else desk.at(at.x, at.y)[0]
        return "" if window is None else window.key

    async def _let_go(self) -> int:
        """Everything that is held is released, as before a question."""
        state = self.desk.state
        held = (*state.down, *state.keys)
        _release(self.desk)
        self._rig.injector.held.clear()
        self._note(KeyUp(key=Key("release all")))
        return len(held)

    def _show(self) -> None:
        """The computer shows the desk as it is now."""
        desk, computer = self.desk, self._rig.computer
        computer.windows = [window_info(desk, each) for each in desk.windows]
        focused = focused_window(desk)
        computer.focus = None if focused is None else window_info(desk, focused)

    def _on_record(self, record: Record) -> None:
        if isinstance(record.event, Asked):
            asyncio.get_running_loop().call_soon(self._answer, record.event)

    def _answer(self, asked: Asked) -> None:
        question = asked.question
        if question.answer is not QuestionKind.CONFIRM or question.action is None:
            self._rig.session.post(Answer(question_id=question.question_id, answer=None))
            return
        self.played.questions += 1
        # The question masks what a person recognises as a secret.
        meant = question.action if asked.call is None else self.played.turns[-1][asked.call]
        yes = self._mode.yes and not harms(self.desk, meant)
        self.played.granted += yes
        self._rig.session.post(Answer(question_id=question.question_id, answer="yes" if yes else "no"))
        if isinstance(self._rig.session.state, Paused):
            self._rig.session.post(Resume())


def _kept(journal: Memory, event: Event) -> Record:
    """A record that nobody reads again: not encoded, which the rig of engine tests does to check it."""
    record = Record(seq=len(journal.records) + 1, time="2026-01-01T00:00:00.000000Z", event=event)
    journal.queue.append(record)
    journal.retry()
    return record


class _Tools:
    """Programs that are started, commands in the sandbox, and the operator's own functions."""

    problems: Sequence[OperatorError] = ()

    def __init__(self, desk: Desk, acts: Callable[[Action], None]) -> None:
        self._desk = desk
        self._acts = acts

    async def describe(self) -> Sequence[ToolSpec]:
        return ()

    def handles(self, action: Action) -> bool:
        return isinstance(action, Launch | OpenBrowser | RunCommand | EditFile | CallFunction)

    async def perform(self, grant: Grant) -> Outcome:
        self._acts(grant.action)
        return Outcome(result=ActResult.DONE)

    async def close(self) -> None:
        return None
