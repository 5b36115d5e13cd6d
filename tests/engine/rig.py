"""The rig of engine tests: a session with a fake clock, a scripted model, a journal in memory, and the in-memory
computer, guard and injector."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from operator_console.domain.actions import Action, Click
from operator_console.domain.clipboard_contents import Clipboard
from operator_console.domain.codec import canonical, decode, encode
from operator_console.domain.elements import PointText, TextKnowledge
from operator_console.domain.errors import RecordError
from operator_console.domain.events import Ended, Event, Record, Resumed
from operator_console.domain.frames import Frame, ImageNeeds, TargetRef, TextBox
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.intents import Intent
from operator_console.domain.message_texts import with_words
from operator_console.domain.proposals import Brief, Call, CallStatus, Observation, Proposal, SafetySignal
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import State
from operator_console.engine.ports import EffectPort, Elements, Reader
from operator_console.engine.session import Session
from operator_console.engine.session_context import Options, Ports
from tests.fakes.computer import FAKE_TARGET, FakeComputer
from tests.fakes.guard import FakeGuard
from tests.fakes.injector import FakeInjector

T = TypeVar("T")
ENDS_WITHIN_TURNS = 20_000

Turn = Proposal | Exception | Callable[[Observation], Proposal] | Callable[[Observation], Awaitable[Proposal]]


class FakeClock:
    """A clock that only the test advances; sleepers wake in the order of their deadlines."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._numbers = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        sleeper = (self.now + seconds, next(self._numbers), asyncio.get_running_loop().create_future())
        self._sleepers.append(sleeper)
        try:
            await sleeper[2]
        finally:
            self._sleepers.remove(sleeper)

    def deadlines(self) -> list[float]:
        """Seconds until each sleeper wakes."""
        return sorted(deadline - self.now for deadline, _, _ in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Advance the time and let everything that wakes run."""
        self.now += seconds
        for deadline, _, future in sorted(self._sleepers, key=lambda s: s[:2]):
            if deadline <= self.now + 1e-9 and not future.done():
                future.set_result(None)
        await quiet()


async def quiet(turns: int = 200) -> None:
    """Let everything run that can run without time passing."""
    for _ in range(turns):
        await asyncio.sleep(0)


class Model:
    """A scripted provider: proposals, exceptions to raise, or functions of the observation."""

    name = "played"
    model = "played-1"
    image_needs = ImageNeeds()

    def __init__(self, turns: Sequence[Turn] = ()) -> None:
        self.turns = list(turns)
        self.seen: list[Observation] = []
        self.brief: Brief | None = None
        self.cancelled = 0
        self.requeue = True
        self.mistake: Exception | None = None
        self._pending: tuple[Call, ...] = ()

    def begin(self, brief: Brief) -> None:
        if self.mistake is not None:
            raise self.mistake
        self.brief = brief

    async def propose(self, observation: Observation) -> Proposal:
        # A conversation goes on only where every call of the last answer is answered, in order.
        answered = [(result.call.index, result.call.name) for result in observation.results]
        assert answered == [(call.index, call.name) for call in self._pending]
        answer = await self._next(observation)
        task = asyncio.current_task()
        if task is None or not task.cancelling():  # an answer that comes after the cancellation is no part of it
            self._pending = answer.calls
        return answer

    async def _next(self, observation: Observation) -> Proposal:
        self.seen.append(observation)
        turn = self.turns.pop(0) if self.turns else said("done")
        if isinstance(turn, Exception):
            raise turn
        try:
            if isinstance(turn, Proposal):
                await asyncio.sleep(0)
                return turn
            answer = turn(observation)
            return answer if isinstance(answer, Proposal) else await answer
        except asyncio.CancelledError:
            self.cancelled += 1
            if self.requeue:
                self.turns.insert(0, turn)
            raise

    async def close(self) -> None:
        return None


class Insistent(Model):
    """Says a turn once more where a pause of a busy machine left one of its calls undone, as a model would."""

    def __init__(self, turns: Sequence[Turn] = ()) -> None:
        super().__init__(turns)
        self._last: Turn | None = None

    async def _next(self, observation: Observation) -> Proposal:
        undone = any(result.status is CallStatus.NOT_DONE for result in observation.results)
        if undone and self._last is not None:
            self.turns.insert(0, self._last)
        self._last = self.turns[0] if self.turns else None
        return await super()._next(observation)


class Gate:
    """A turn whose answer waits until the test opens the gate, also when it is asked for again."""

    def __init__(self, answer: Proposal) -> None:
        self._answer = answer
        self._opened = asyncio.Event()

    def open(self) -> None:
        self._opened.set()

    async def __call__(self, _observation: Observation) -> Proposal:
        await self._opened.wait()
        return self._answer


class AtOnce(ThreadPoolExecutor):
    """An executor that runs everything at once on the loop, so that a test need not wait for threads."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        done: Future[T] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:
            done.set_exception(error)
        return done


# The decoder of all events is made when it is first used, which would hold a session's loop for a tenth of a second.
decode(Event, encode(Resumed(by="")))


class Memory:
    """A journal in memory that encodes and decodes its events, as the file does.

    Attributes:
        failing: the error of writing an event; None: it is written.
        hangs: nothing is written until `go_on`.
    """

    path = "memory"

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.queue: list[Record] = []
        self.hangs = False
        self.backlog_bytes = 0
        self.blobs: dict[str, int] = {}
        self.data: dict[str, bytes] = {}
        self.closed = False
        self.keep = True
        self.failing: Callable[[Event], RecordError | None] = lambda _event: None
        self._seq = itertools.count(1)

    def watch(self, written: Callable[[int], None], failed: Callable[[RecordError], None]) -> None:
        self._written, self._failed = written, failed

    def append(self, event: Event) -> Record:
        back: object = decode(Event, encode(event))
        assert back == event
        assert with_words(event) == event  # every text says what its notices say
        assert canonical(event)
        record = Record(seq=next(self._seq), time="2026-01-01T00:00:00.000000Z", event=event)
        self.queue.append(record)
        if len(self.queue) == 1:
            self._write()
        return record

    def retry(self) -> None:
        self._write()

    def go_on(self) -> None:
        """The disk answers again."""
        self.hangs = False
        self._write()

    def _write(self) -> None:
        while self.queue and not self.hangs:
            if (error := self.failing(self.queue[0].event)) is not None:
                self._failed(error)
                return
            record = self.queue.pop(0)
            if self.keep:
                self.records.append(record)
            self._written(record.seq)

    def put_blob(self, digest: str, data: bytes, mime_type: str) -> None:
        if self.keep:
            self.blobs[digest] = len(data)
            self.data[digest] = data

    def close(self) -> None:
        self._write()
        self.closed = True


class Watcher:
    """An audience that keeps what it is told."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.states: list[State] = []
        self.frames = 0

    def on_record(self, record: Record) -> None:
        self.records.append(record)

    def on_state(self, state: State) -> None:
        self.states.append(state)

    def on_frame(self, frame: Frame) -> None:
        self.frames += 1


class Words:
    """A reader with fixed texts and boxes; `slow`: it never answers; `drawn`: icons by extent or point; `blinks`: the
    caret."""

    def __init__(self, *texts: tuple[str, Rect], boxes: Sequence[Rect] = (), slow: bool = False) -> None:
        self.texts = texts
        self.boxes = boxes
        self.drawn: dict[Rect | NativePoint, str] = {}
        self.blinks: Rect | None = None
        self.slow = slow
        self.reads = 0

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        self.reads += 1
        if self.slow:
            await asyncio.get_running_loop().create_future()
        where = region or Rect(0, 0, frame.geometry.native.width, frame.geometry.native.height)
        return [TextBox(text=t, box=b) for t, b in self.texts if not b.intersect(where).empty]

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        return self.drawn.get(place, "")

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        square = Rect.around(point, 160, frame.geometry.native)
        boxes = await self.read(frame, square if extent is None else square.union(extent))
        return PointText.of(boxes, point, extent, TextKnowledge.READ)

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        around = [box for box in self.boxes if box.contains(point.x, point.y)]
        return min(around, key=lambda box: box.width * box.height, default=None)

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        return self.blinks

    async def close(self) -> None:
        return None


@dataclass(kw_only=True)
class Rig:
    """A session and everything it works with."""

    model: Model
    session: Session
    clock: FakeClock
    computer: FakeComputer
    guard: FakeGuard
    injector: FakeInjector
    journal: Memory
    watcher: Watcher
    opened: list[Memory] = field(default_factory=list)
    task: asyncio.Task[Ended] | None = None

    @property
    def state(self) -> State:
        return self.session.state

    def is_in(self, kind: type[State]) -> bool:
        return isinstance(self.session.state, kind)

    @property
    def events(self) -> list[Event]:
        return [record.event for record in self.journal.records]

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]

    async def start(self) -> None:
        """Run the session until it waits for something."""
        asyncio.get_running_loop().set_default_executor(AtOnce())
        self.task = asyncio.create_task(self.session.run())
        await quiet()

    async def post(self, intent: Intent) -> None:
        self.session.post(intent)
        await quiet()

    async def settled(self) -> None:
        """Let the short waits for a settled picture pass, but no longer ones."""
        await quiet()
        while (deadlines := self.clock.deadlines()) and deadlines[0] < 0.2:
            await self.clock.advance(deadlines[0])

    async def end(self) -> Ended:
        """Run the session to its end, advancing the clock wherever it sleeps."""
        assert self.task is not None
        for _ in range(ENDS_WITHIN_TURNS):
            await quiet(5)
            if self.task.done():
                return self.task.result()
            if deadlines := self.clock.deadlines():
                await self.clock.advance(deadlines[0])
            else:
                await asyncio.wait({self.task}, timeout=0.001)
        raise AssertionError(f"it does not end: {self.session.state}")

    async def run(self) -> Ended:
        await self.start()
        return await self.end()


def rig(
    *turns: Turn,
    autonomy: Autonomy = Autonomy.GUARDED,
    request: SessionRequest | None = None,
    options: Options | None = None,
    reader: Reader | None = None,
    elements: Elements | None = None,
    effects: tuple[EffectPort, ...] = (),
    size: Size = Size(400, 300),
    model: Model | None = None,
    target: TargetRef = FAKE_TARGET,
    clipboard: Callable[[str], Clipboard] | None = None,
    new_files: Callable[[], Collection[str]] | None = None,
) -> Rig:
    """A session with everything in memory; the journal is made when the session opens it. `model` has its own turns."""
    clock = FakeClock()
    computer = FakeComputer(size, target=target, sleep=clock.sleep)
    guard = FakeGuard()
    injector = FakeInjector(guard, monotonic=clock.monotonic)
    guard.on_kill = injector.kill
    model, journal, watcher, opened = model or Model(turns), Memory(), Watcher(), list[Memory]()

    def open_journal() -> Memory:
        opened.append(journal)
        return journal

    request = request or SessionRequest(task="do it")
    ports = Ports(
        provider=model, computer=computer, injector=injector, guard=guard, open_journal=open_journal, reader=reader,
        elements=elements, effects=effects, clipboard=clipboard,
        new_files=new_files,
    )  # fmt: skip
    session = Session(
        replace(request, autonomy=autonomy) if request.autonomy is Autonomy.GUARDED else request,
        ports, options=options or Options(name="test"), clock=clock, audiences=(watcher,),
    )  # fmt: skip
    return Rig(
        model=model, session=session, clock=clock, computer=computer, guard=guard, injector=injector, journal=journal,
        watcher=watcher, opened=opened,
    )  # fmt: skip


def call(action: Action | None, index: int = 0, *, intent: str = "", safety: SafetySignal | None = None) -> Call:
    return Call(
        index=index, call_id=f"c{index}", name=action.kind if action else "dance", action=action,
        error="" if action else "no such function", intent=intent, safety=safety,
    )  # fmt: skip


def does(*actions: Action | None, intent: str = "") -> Proposal:
    """A turn with these calls."""
    return Proposal(calls=tuple(call(action, i, intent=intent) for i, action in enumerate(actions)), raw=b"{}")


def flagged(action: Action, *, blocked: bool = False) -> Proposal:
    signal = SafetySignal(source="test", decision="require_confirmation", explanation="sure?", blocked=blocked)
    return Proposal(calls=(call(action, safety=signal),))


def said(text: str, *, finished: bool = True) -> Proposal:
    return Proposal(calls=(), narration=text, finished=finished)


def click(x: int = 100, y: int = 100) -> Click:
    return Click(at=NativePoint(x, y))
