"""The window's handles: a running session, and a session file opened for reading."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.app.machine_snapshots import append_to_record
from operator_console.domain.actions import Action
from operator_console.domain.decisions import Assessment
from operator_console.domain.errors import ConsoleError, OperatorError, RecordError
from operator_console.domain.events import Record, Snapshot
from operator_console.domain.frames import Frame, machine_name
from operator_console.domain.hand_input import Hand, HandInput, HandMay
from operator_console.domain.intents import Intent, NoteSnapshot, Stop
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.states import Ended, HandedOver, Paused, State, Stopped
from operator_console.domain.stopping import StopCause
from operator_console.engine.ports import Audience
from operator_console.guard.latch import read_file
from operator_console.journal.anchors import being_written
from operator_console.journal.call_outcomes import CallOutcome, last_call, run_was_cut_off
from operator_console.journal.read import Reader
from operator_console.journal.summary import SessionSummary, cut_off_sessions, session_summary
from operator_console.settings.file_locations import Paths

if TYPE_CHECKING:
    from operator_console.app.session_setup import Prepared

_log = logging.getLogger(__name__)


class FirstRecordAudience:
    """Forwards everything to another audience and tells when the first record came: the session runs from then on.

    `hand`: the operator's own input, which is permitted by the state of the session.
    """

    def __init__(self, audience: Audience, hand: Hand | None = None) -> None:
        self._audience = audience
        self._hand = hand
        self.first = asyncio.Event()

    def on_record(self, record: Record) -> None:
        """Something happened."""
        self.first.set()
        self._audience.on_record(record)

    def on_state(self, state: State) -> None:
        """Another state."""
        if self._hand is not None:
            self._hand.permit(hand_may(state))
        self._audience.on_state(state)

    def on_frame(self, frame: Frame) -> None:
        """The model was shown a frame."""
        self._audience.on_frame(frame)


def hand_may(state: State) -> HandMay:
    """What the operator's own input may do in a state of the session: nothing while the agent may act."""
    match state:
        case HandedOver():
            return HandMay.EVERYTHING
        case Paused():
            return HandMay.CHOOSE_TABS
        case _:
            return HandMay.NOTHING


class RunningSession:
    """A session that was started in the window."""

    def __init__(self, prepared: Prepared, hand: Hand | None = None) -> None:
        self._prepared = prepared
        self._hand = hand
        self._task = asyncio.get_running_loop().create_task(self._run(), name="session")

    @classmethod
    async def begin(cls, prepared: Prepared, begun: FirstRecordAudience, hand: Hand | None = None) -> RunningSession:
        """Run it; returns after its first record, raises the error that refused it. Cancelling undoes the start."""
        running = cls(prepared, hand)
        first = asyncio.ensure_future(begun.first.wait())
        try:
            await asyncio.wait({first, running._task}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await running.end()
            raise
        finally:
            first.cancel()
        if running._task.done() and not begun.first.is_set():
            await running._task  # raises
        return running

    @property
    def path(self) -> Path:
        """Its record."""
        return self._prepared.record

    def renamed(self, path: Path) -> None:
        """Its record, which is complete, has this path now."""
        self._prepared.file.renamed(path)

    @property
    def target(self) -> str:
        """The specification of its target."""
        return self._prepared.computer.target.spec

    @property
    def machine(self) -> str:
        """The name that the settings know its target by; "" where that is no machine."""
        return machine_name(self._prepared.computer.target)

    @property
    def may_change_machine(self) -> bool:
        """Whether nothing acts on its target before somebody lets it."""
        return self.over or self.ending or isinstance(self.state, Paused | HandedOver)

    async def note(self, noted: NoteSnapshot, anchors: Path) -> None:
        """Record what the operator did with the machine, in a closed record too. Raises RecordError."""
        if not self.over and not self.ending:
            self.post(noted)
            return
        await self.wait()
        event = Snapshot(act=noted.act, name=noted.name)
        await asyncio.to_thread(append_to_record, self.path, anchors, event)

    @property
    def state(self) -> State:
        """Where it is."""
        return self._prepared.session.state

    @property
    def over(self) -> bool:
        """Whether it has ended and its record is closed."""
        return self._task.done()

    @property
    def ending(self) -> bool:
        """Whether nothing of it can act any more: it ended or was stopped, and closes its record."""
        return isinstance(self.state, Ended | Stopped)

    def post(self, intent: Intent) -> None:
        """Send it what the human wants."""
        self._prepared.session.post(intent)

    def by_hand(self, given: HandInput) -> None:
        """Give the operator's own input to the target; nothing where that is not permitted now."""
        if self._hand is not None:
            self._hand.give(given)

    def tell_of_hand(self, told: Callable[[str], None]) -> None:
        """Call `told` with a sentence for the operator from now on, where that input cannot be given."""
        if self._hand is not None:
            self._hand.told = told

    async def judged(self, step: int, call: int, action: Action) -> Assessment | None:
        """Policy's assessment of an action as it is being edited; None: not known."""
        return None if self.ending else await self._prepared.session.judged(step, call, action)

    async def wait(self) -> ConsoleError | None:
        """Wait until it is over and its record is closed. Returns the error that ended it, if any."""
        await asyncio.wait({self._task})
        error = None if self._task.cancelled() else self._task.exception()
        if error is None or isinstance(error, ConsoleError):
            return error
        return ConsoleError(
            notice(NoticeCode.INTERNAL_ERROR_ENDED_SESSION),
            detail=f"{type(error).__name__}: {error}",
            remedy=notice(NoticeCode.LOG_AND_RECORD_HAVE_DETAILS),
        )

    async def end(self) -> None:
        """End it in order: input released, the end recorded, nothing latched."""
        if not self._task.done():
            self.post(Stop(reason=StopCause.INTERRUPT, detail=notice(NoticeCode.WINDOW_CLOSED)))
        await self.wait()  # an error of it is in the log

    def blob(self, digest: str) -> bytes | None:
        """A picture of its record, also one not yet on the disk. From any thread."""
        try:
            return self._prepared.file.blob(digest)
        except RecordError:
            return None

    async def _run(self) -> None:
        try:
            from operator_console.app.session_setup import pausing_on_lock  # loaded: the session was prepared there

            async with pausing_on_lock(self._prepared.session.post):
                await self._prepared.session.run()
        except ConsoleError as error:
            _log.warning("the session ended with an error: %s", error)
            raise
        except Exception:
            _log.exception("the session ended with an internal error")
            raise
        finally:
            await self._prepared.close()


class OpenedRecord:
    """A session file, read whole. `cut_off`: its last run has no end, and is not being written."""

    def __init__(self, path: Path, anchors: Path) -> None:
        """Blocking. Raises RecordError, OperatorError."""
        if not path.exists():
            raise OperatorError(
                notice(NoticeCode.NO_SUCH_FILE, path=str(path)), remedy=notice(NoticeCode.CHOOSE_OTHER_FILE)
            )
        self._reader = Reader(path)
        self._records = tuple(self._reader.records())
        live = being_written(anchors, self._reader.session_id)
        self.cut_off = not live and run_was_cut_off(self._records)

    @property
    def path(self) -> Path:
        """The file."""
        return self._reader.path

    @property
    def records(self) -> Sequence[Record]:
        """Everything in it, in order."""
        return self._records

    @property
    def note(self) -> str:
        """What is to be said about it."""
        if not self.cut_off:
            return ""
        last = last_call(self._records)
        if last is None:
            return "This session was interrupted before anything was done."
        unknown = last.outcome is CallOutcome.UNKNOWN
        known = "its outcome is unknown" if unknown else f"it was {last.outcome.value.replace('_', ' ')}"
        return f"This session was interrupted. Its last action was step {last.step}, call {last.call + 1}; {known}."

    def blob(self, digest: str) -> bytes | None:
        """A picture of it. From any thread."""
        return self._reader.blob(digest)

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()


def cut_off(paths: Paths, display: str) -> tuple[SessionSummary, ...]:
    """Records whose console died, newest first, including one in another folder that the display's latch names."""
    found = list(cut_off_sessions(paths.sessions, paths.anchors))
    named = Path(read_file(display).session)
    if named.is_absolute() and named.is_file() and named not in {each.path for each in found}:
        with suppress(RecordError):
            about = session_summary(named, paths.anchors)
            found += [about] if about.cut_off else []
    return tuple(sorted(found, key=lambda each: each.created, reverse=True))
