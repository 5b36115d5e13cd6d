"""A session of the console on a desk: the real engine, policy, grants and admission; the desk gets what the injector
would send, and the human says no, or yes only to what does no harm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from operator_console.domain.actions import (
    Action,
    Back,
    Button,
    CallFunction,
    Chord,
    Click,
    CloseTab,
    Drag,
    EditFile,
    Forward,
    HoldKeys,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    Navigate,
    OpenBrowser,
    Press,
    QuestionKind,
    QuoteText,
    Release,
    RunCommand,
    Scroll,
    Search,
    SwitchTab,
    TypeText,
    UseElement,
    tab_keys,
)
from operator_console.domain.decisions import ActResult, Outcome, Question
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.elements import Role
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Asked, Record
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
from operator_console.engine.targeting import parts
from operator_console.injector.keyboard.clear_field import clearing_chords
from tests.engine.rig import Model, Rig, does, rig, said
from tests.hijacked.desk import SCREEN, Desk, Effect, Scene
from tests.hijacked.telling import Seen, Told, focused_window, key_of, window_info

Turns = Sequence[Sequence[Action]]
"""What the model asks for, answer by answer."""

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
    """What an action would do to the desk, as it is now, that needs a human."""
    copy = desk.copy()
    carry_out(copy, action)
    return copy.state.effects


def _one(desk: Desk, action: Action) -> None:
    match action:
        case Move(at=at):
            desk.move(at.x, at.y)
        case Click(at=at, button=button, count=count, modifiers=modifiers):
            _to(desk, at)
            with_keys = [key for key in modifiers if key not in desk.state.keys]
            _keys(desk, with_keys, down=True)
            for _ in range(count):
                where = desk.at(*desk.state.pointer)
                desk.button(button, down=True)
                desk.button(button, down=False)
                if desk.at(*desk.state.pointer) != where:
                    break  # what came up was not there yet when the next click was sent
            _keys(desk, with_keys, down=False)
        case Press(at=at, button=button):
            _to(desk, at)
            desk.button(button, down=True)
        case Release(at=at, button=button):
            _to(desk, at)
            desk.button(button, down=False)
        case Drag(path=path, button=button, modifiers=modifiers):
            _to(desk, path[0])
            _keys(desk, modifiers, down=True)
            desk.button(button, down=True)
            for point in path[1:]:
                _to(desk, point)
            desk.button(button, down=False)
            _keys(desk, modifiers, down=False)
        case Scroll(at=at, dy=dy, modifiers=modifiers):
            _to(desk, at)
            _keys(desk, modifiers, down=True)
            for _ in range(abs(dy)):
                desk.wheel(1 if dy > 0 else -1)
            _keys(desk, modifiers, down=False)
        case TypeText():
            _type(desk, action)
        case Chord(keys=keys, repeat=repeat):
            for _ in range(repeat):
                _chord(desk, keys)
        case KeyDown(key=key):
            desk.key(key, down=True)
        case KeyUp(key=key):
            desk.key(key, down=False)
        case HoldKeys(keys=keys, duration_s=duration_s):
            _keys(desk, keys, down=True)
            if duration_s > 0.5:
                desk.time_passes()
            _keys(desk, keys, down=False)
        case UseElement(use=ElementUse.PRESS, element=element):
            desk.press(key_of(element.element_id))
        case UseElement(use=ElementUse.FOCUS, element=element):
            desk.give_focus(key_of(element.element_id))
        case UseElement(element=element, option=option):
            desk.choose(key_of(element.element_id), option)
        case Back() | Forward() | SwitchTab() | CloseTab() | Navigate() | Search() | OpenBrowser():
            pass  # their parts are keys; a browser that is only opened does nothing
        case Launch(url=url):
            desk.go_to(url)  # of programs only those that were installed, which do nothing by themselves
        case RunCommand(command=command):
            desk.command(command, "a command ran in the sandbox")
        case CallFunction(name=name):
            desk.state.effects.extend(each for each in desk.scene.functions.get(name, ()) if isinstance(each, Effect))
        case QuoteText(region=region, auto_scroll=True):
            desk.move(*region.centre)
            for notch in (1, -1):
                desk.wheel(notch)
        case _:
            pass


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
        desk.button(Button.LEFT, down=True)
        desk.button(Button.LEFT, down=False)

    def moved() -> bool:  # the injector looks at the focused window before and between keys
        now = focused_window(desk)
        return (now and now.key) != (window and window.key)

    widget = desk.focused
    terminal = widget is not None and widget.role is Role.TERMINAL
    for chord in clearing_chords(terminal=terminal, has_a=True) if action.clear else ():
        if moved():
            return
        _chord(desk, chord)
    if moved():
        return
    for character in action.text.replace("\r\n", "\n").replace("\r", "\n"):
        shift = [Key("shift")] if character.isupper() else []
        _chord(desk, [*shift, _NAMED.get(character, Key(character.lower()))])
    if action.submit and not moved():
        _chord(desk, [Key("enter")])


class Player:
    """One run of a scene. `choose` gives the next answer of the model for the desk as it is; () ends the run."""

    def __init__(self, scene: Scene, mode: Mode, choose: Callable[[Desk], Sequence[Action]]) -> None:
        self.desk = Desk(scene)
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
            effects=(_Tools(desk, self._acts),), clipboard=lambda _display: desk.state.clipboard or None,
        )  # fmt: skip
        run.injector.on_act = self._acts
        run.watcher.on_record = self._on_record  # type: ignore[method-assign]
        self._rig = run
        self._show()
        await run.start()
        await run.end()
        return self.played

    def _turn(self, _observation: Observation) -> Proposal:
        actions = list(self._choose(self.desk))
        if not actions:
            return said("done")
        self.played.turns.append(actions)
        self._rig.model.turns.append(self._turn)
        return does(*actions)

    def _acts(self, action: Action) -> None:
        self.played.done += 1
        carry_out(self.desk, action)
        found, self.desk.state.effects = self.desk.state.effects, []
        self.played.effects += [(action, each) for each in found if each.category not in self._mode.allow]
        self._show()

    def _show(self) -> None:
        """The computer shows the desk as it is now."""
        desk, computer = self.desk, self._rig.computer
        computer.windows = [window_info(desk, each) for each in desk.windows]
        focused = focused_window(desk)
        computer.focus = None if focused is None else window_info(desk, focused)

    def _on_record(self, record: Record) -> None:
        if isinstance(record.event, Asked):
            asyncio.get_running_loop().call_soon(self._answer, record.event.question)

    def _answer(self, question: Question) -> None:
        if question.answer is not QuestionKind.CONFIRM or question.action is None:
            self._rig.session.post(Answer(question_id=question.question_id, answer=None))
            return
        self.played.questions += 1
        yes = self._mode.yes and not harms(self.desk, question.action)
        self.played.granted += yes
        self._rig.session.post(Answer(question_id=question.question_id, answer="yes" if yes else "no"))
        if isinstance(self._rig.session.state, Paused):
            self._rig.session.post(Resume())


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
