"""What all parts of a session share: request, ports, options, clock, recorder and state."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from operator_console.domain.clipboard_contents import Clipboard
from operator_console.domain.events import AutonomyChanged
from operator_console.domain.proposals import Provider
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.tools import ToolSpec
from operator_console.engine.hidden_texts import HiddenTexts
from operator_console.engine.input_state import InputState
from operator_console.engine.limits import Meter
from operator_console.engine.operator_channel import OperatorChannel
from operator_console.engine.past_conversation import PastConversation
from operator_console.engine.ports import (
    Clock,
    Computer,
    EffectPort,
    Elements,
    Guard,
    Injector,
    Journal,
    Reader,
    SecretPort,
)
from operator_console.engine.recorder import Recorder
from operator_console.engine.session_memory import SessionMemory
from operator_console.engine.standing_permissions import Permissions
from operator_console.engine.turn.expected_screen import TurnPicture


def no_command(_pid: int) -> str:
    """How to start a program again is not known."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The other packages' objects that this session works with.

    Attributes:
        open_journal: opens the session file. Blocks, so it is called in a thread; called after every check that can
            refuse the run, so that a refused run writes no file.
        reader: reads text off the screen; None where that is not available.
        elements: asks applications for their accessible elements; None where that is switched off or not available.
        clipboard: what the clipboard of a display holds, nothing if it does not answer; blocks briefly. None where the
            target has none that is known.
        new_files: the names of files that appeared on the target since the session began; blocks briefly. None where
            that is not known.
        secrets: what can be typed by name; None: nothing.
        effects: asked in order; an action that none of them handles is answered "not available here".
        restart_command: what starts the program of a process again so that it tells its controls; "" if not known.
    """

    provider: Provider
    computer: Computer
    injector: Injector
    guard: Guard
    open_journal: Callable[[], Journal]
    reader: Reader | None = None
    elements: Elements | None = None
    clipboard: Callable[[str], Clipboard] | None = None
    new_files: Callable[[], Collection[str]] | None = None
    secrets: SecretPort | None = None
    effects: tuple[EffectPort, ...] = ()
    restart_command: Callable[[int], str] = no_command


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How this session is run, apart from the operator's choices (the SessionRequest).

    Attributes:
        name: the session's name or file, for the lock and `status`.
        answerable: somebody can answer questions; False: each is declined at once, and three in a row end the run.
        continue_question: a pause asks "Continue?" (the terminal); False: Resume is waited for (the app).
        resumed: the file is continued; `history` then tells the model what happened before.
        unknown: tells the model about a last action whose outcome is not known; "" for none.
        last_call, last_call_done: as of `Brief`.
        past: the model's conversation of before, which `history` and `unknown` stand in for where it cannot be used.
        not_past: why there is no `past`, for the record; "" where nothing could be expected.
        typing_delay_s: pause between characters of typed text.
        press_time_s: how long the button of a click and the keys of a chord are held.
        paste: long text that the keyboard layout lacks characters for may be pasted.
        hide: the shutters of the target, as the command line writes them, for the record.
        hide_passwords: fields for passwords are black in what the model is shown.
        accessibility: it is switched on in the desktop session while this session runs.
        own_folders: this console's folders: naming a file there is asked about.
        version, pid: for the record.
    """

    name: str = "session"
    answerable: bool = True
    continue_question: bool = False
    resumed: bool = False
    history: str = ""
    unknown: str = ""
    last_call: str = ""
    last_call_done: bool = False
    past: PastConversation | None = None
    not_past: str = ""
    typing_delay_s: float = 0.0
    press_time_s: float = 0.0
    paste: bool = False
    hide: tuple[str, ...] = ()
    hide_passwords: bool = True
    accessibility: bool = False
    own_folders: tuple[str, ...] = ()
    version: str = ""
    pid: int = 0


class SystemClock:
    """The machine's own monotonic clock and asyncio's sleep."""

    def monotonic(self) -> float:
        """time.monotonic(), on which grants expire."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(max(0.0, seconds))


@dataclass(slots=True)
class Leave:
    """What runs without a question now; the operator may change it at any time.

    Attributes:
        autonomy: the level.
        ahead: so many of the next actions that the side card would ask about are approved.
    """

    autonomy: Autonomy
    ahead: int = 0

    def take_one(self) -> bool:
        """Use one of the approvals given ahead; False if there is none."""
        left, self.ahead = self.ahead, max(0, self.ahead - 1)
        return left > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """One session's request, ports and shared parts.

    Attributes:
        input_state: what the agent itself has pressed, typed and moved.
        turn_picture: what the screen must still look like for the next call of the turn.
        memory: what the session has met.
        permissions: what the operator permitted for the rest of it.
        hidden: the texts that are not recorded.
        leave: what runs without a question.
        functions: the functions offered to the model, by name; filled in before the session begins.
    """

    request: SessionRequest
    ports: Ports
    options: Options
    clock: Clock
    recorder: Recorder
    channel: OperatorChannel
    meter: Meter
    input_state: InputState
    turn_picture: TurnPicture
    memory: SessionMemory
    permissions: Permissions
    hidden: HiddenTexts
    leave: Leave
    functions: dict[str, ToolSpec] = field(default_factory=dict)

    def change_leave(self, *, autonomy: Autonomy | None = None, ahead: int = 0) -> AutonomyChanged:
        """Change what runs without a question; the event is to be recorded. None: the autonomy stays."""
        self.leave.autonomy = self.leave.autonomy if autonomy is None else autonomy
        self.leave.ahead = max(0, ahead)
        return AutonomyChanged(autonomy=self.leave.autonomy, approve_next=self.leave.ahead)

    def withdraw_ahead(self) -> None:
        """Approve nothing ahead any more, because the operator interfered."""
        if self.leave.ahead:
            self.recorder.emit(self.change_leave())
