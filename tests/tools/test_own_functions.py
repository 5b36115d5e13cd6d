"""Functions of the operator are described, called in their own process, limited, and killed by a stop."""

from __future__ import annotations

import asyncio
import io
import json
import os
import select
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from PIL import Image

from operator_console.domain.actions import CallFunction, Wait
from operator_console.domain.admission import Admission
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.domain.notices import Notice, NoticeCode
from operator_console.tools.own_functions import OwnFunctions
from operator_console.tools.worker_process import KillableGroups

KEY = b"k" * 32
MODULE = '''
import os, sys, time
from enum import Enum

class Room(Enum):
    SMALL = "small"

def book(night: int, room: Room = Room.SMALL, *, model_config: str = "") -> str:
    """Book a room.

    Give the night as a number.
    """
    return f"night {night + 1} in the {room.value} one{model_config}"

async def later(seconds: float) -> dict:
    return {"waited": seconds}

def nothing() -> None:
    print("seen by nobody")

def fails():
    raise RuntimeError("no room left")

def ends():
    sys.exit(3)

def dies():
    os._exit(7)

def floods():
    return "x" * 50_000_000

def secrets() -> list:
    return sorted(name for name in os.environ if name.endswith("_API_KEY")) + [os.environ["DISPLAY"]]

def picture(path: str):
    return ["here it is", open(path, "rb").read()]

def hangs(pid_file: str) -> None:
    import subprocess
    child = subprocess.Popen(["sleep", "1000"])
    with open(pid_file, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    time.sleep(1000)

def writes(path: str) -> None:
    with open(path, "w") as file:
        file.write("called")

def positional(a, /):
    return a

class Odd:
    pass

def odd(a: Odd):
    return a
'''


class Killable:
    """The processes that the guard would kill; `kill` kills them."""

    def __init__(self) -> None:
        self.groups: tuple[int, ...] = ()
        self.told: list[int] = []
        self.armed = True
        self.epoch = 1
        self.pauses = False

    async def tell(self, groups: Sequence[int]) -> None:
        if not self.armed:
            raise OperatorError("Nothing can be started now")
        self.groups = tuple(groups)
        self.told.append(len(groups))
        self.epoch += self.pauses

    def kill(self) -> None:
        for group in self.groups:
            os.killpg(group, 9)


@pytest.fixture
def killable() -> Killable:
    return Killable()


@pytest.fixture
async def functions(tmp_path: Path, killable: Killable) -> AsyncIterator[OwnFunctions]:
    (tmp_path / "mine.py").write_text(MODULE)
    names = ("book", "later", "nothing", "fails", "ends", "dies", "floods", "secrets", "picture", "hangs", "writes")
    made = make(tmp_path, killable, *names)
    await made.describe()
    yield made
    await made.close()


def make(folder: Path, killable: Killable, *names: str, timeout_s: float = 60.0) -> OwnFunctions:
    environment = {**os.environ, "PYTHONPATH": str(folder), "ACME_API_KEY": "k-1234567"}
    return OwnFunctions(
        Admission(lambda: KEY, lambda: killable.epoch, monotonic=lambda: 0.0),
        [f"mine:{name}" for name in names],
        timeout_s=timeout_s,
        killable=KillableGroups(killable.tell),
        environment=environment,
    )


def grant(name: str, **arguments: object) -> Grant:
    target = MonitorTarget(spec="monitor:1", title="Monitor 1", display=":77")
    size = Size(10, 10)
    return Grant(
        grant_id=f"g{name}", step=1, call=0,
        action=CallFunction(name=name, arguments_json=json.dumps(arguments)), target=target,
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), checks=(), epoch=1, expires_s=5.0,
    ).sealed(KEY)  # fmt: skip


async def call(functions: OwnFunctions, name: str, **arguments: object) -> Outcome:
    return await functions.perform(grant(name, **arguments))


async def started(functions: OwnFunctions, folder: Path) -> tuple[asyncio.Future[Outcome], list[int]]:
    """A call that hangs, and the process ids of it and its child, once both run."""
    pipe = folder / "pids"
    os.mkfifo(pipe)
    running = asyncio.ensure_future(call(functions, "hangs", pid_file=str(pipe)))
    words = await asyncio.to_thread(pipe.read_text)
    return running, [int(word) for word in words.split()]


async def gone(handles: Sequence[int]) -> None:
    """Wait until all of these processes have ended."""
    for handle in handles:
        await asyncio.to_thread(select.select, [handle], [], [])
        os.close(handle)


async def test_they_are_described_by_signature_hints_and_docstring(functions: OwnFunctions) -> None:
    book, later, *_ = await functions.describe()
    assert (book.name, book.description) == ("book", "Book a room.\n\nGive the night as a number.")
    schema = json.loads(book.parameters_json)
    assert schema["required"] == ["night"]
    assert set(schema["properties"]) == {"night", "room", "model_config"}
    assert schema["properties"]["night"]["type"] == "integer"
    assert schema["additionalProperties"] is False
    assert later.description == "Calls later."


@pytest.mark.parametrize(
    ("name", "said"),
    [("absent", "absent"), ("positional", "by name"), ("odd", "Odd"), ("Room.SMALL", "not a function")],
)
async def test_an_unusable_function_is_reported(tmp_path: Path, killable: Killable, name: str, said: str) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    with pytest.raises(OperatorError, match=f"mine:{name} cannot be offered") as caught:
        await make(tmp_path, killable, name).describe()
    assert said in caught.value.detail
    assert caught.value.exit_code == 2


async def test_a_module_that_cannot_be_imported_is_named(tmp_path: Path, killable: Killable) -> None:
    (tmp_path / "mine.py").write_text("raise RuntimeError('no library')")
    with pytest.raises(OperatorError, match="no library"):
        await make(tmp_path, killable, "book").describe()


async def test_a_call_gets_arguments_of_their_types_and_gives_data(functions: OwnFunctions, tmp_path: Path) -> None:
    booked = await call(functions, "book", night="6", model_config="!")
    assert (booked.result, booked.tool and booked.tool.texts) == (ActResult.DONE, ("night 7 in the small one!",))
    waited = await call(functions, "later", seconds=1)
    assert waited.tool is not None
    assert waited.tool.texts == ('{"waited": 1.0}',)
    empty = await call(functions, "nothing")
    assert empty.tool is not None
    assert (empty.result, empty.tool.texts) == (ActResult.DONE, ())
    file = io.BytesIO()
    Image.new("RGB", (30, 20)).save(file, "PNG")
    (tmp_path / "a.png").write_bytes(file.getvalue())
    shown = await call(functions, "picture", path=str(tmp_path / "a.png"))
    assert shown.tool is not None
    assert shown.tool.texts == ("here it is",)
    assert [(one.size, one.data) for one in shown.tool.pictures] == [(Size(30, 20), file.getvalue())]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("fails", {}, "RuntimeError: no room left"),
        ("ends", {}, "SystemExit: 3"),
        ("dies", {}, "code 7"),
        ("book", {"night": "soon"}, "The arguments are invalid: night: "),
        ("book", {"night": 1, "day": 2}, "day: Extra inputs"),
        ("book", {}, "night: Field required"),
    ],
)
async def test_a_fault_is_an_error_for_the_model(
    functions: OwnFunctions, name: str, arguments: dict[str, object], said: str
) -> None:
    outcome = await call(functions, name, **arguments)
    assert outcome.result is ActResult.FAILED
    assert outcome.tool is not None
    assert outcome.tool.error
    assert said in outcome.tool.texts[0]


async def test_its_answer_is_bounded(functions: OwnFunctions) -> None:
    outcome = await call(functions, "floods")
    assert outcome.tool is not None
    assert len(outcome.tool.texts[0]) < 21_000
    assert "49980000 more characters" in outcome.tool.texts[0]


async def test_it_knows_no_key_of_ours_and_the_targets_display(functions: OwnFunctions) -> None:
    outcome = await call(functions, "secrets")
    assert outcome.tool is not None
    assert outcome.tool.texts == (":77",)


async def test_a_stop_kills_it_and_what_it_started(functions: OwnFunctions, killable: Killable, tmp_path: Path) -> None:
    running, pids = await started(functions, tmp_path)
    handles = [os.pidfd_open(pid) for pid in pids]
    assert killable.groups == (pids[0],)
    killable.kill()
    assert (await running).result is ActResult.STOPPED
    await gone(handles)
    assert killable.told[-1] == 0


async def test_cancelling_kills_it(functions: OwnFunctions, tmp_path: Path) -> None:
    running, pids = await started(functions, tmp_path)
    handles = [os.pidfd_open(pid) for pid in pids]
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await gone(handles)


async def test_it_is_killed_when_its_time_is_over(tmp_path: Path, killable: Killable) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    os.mkfifo(tmp_path / "never read")
    functions = make(tmp_path, killable, "hangs", timeout_s=0.2)
    await functions.describe()
    outcome = await call(functions, "hangs", pid_file=str(tmp_path / "never read"))
    assert outcome.tool is not None
    assert "within 0.2 s" in outcome.tool.texts[0]
    (failed,) = outcome.detail_notices
    assert failed.values["error"] == (Notice(code=NoticeCode.FUNCTION_TIMED_OUT, values={"seconds": 0.2}),)
    assert killable.groups == ()


async def test_nothing_is_called_that_a_stop_would_not_kill(functions: OwnFunctions, killable: Killable) -> None:
    killable.armed = False
    outcome = await call(functions, "book", night=1)
    assert (outcome.result, outcome.reason, outcome.tool) == (ActResult.FAILED, "unsupported", None)


async def test_nothing_is_called_without_a_grant(functions: OwnFunctions, killable: Killable) -> None:
    forged = grant("book", night=1).sealed(b"x" * 32)
    assert (await functions.perform(forged)).reason == "bad_grant"
    once = grant("nothing")
    assert (await functions.perform(once)).result is ActResult.DONE
    assert (await functions.perform(once)).reason == "bad_grant"
    assert killable.told == [1, 0]
    assert not functions.handles(Wait(duration_s=1))
    assert not functions.handles(CallFunction(name="other", arguments_json="{}"))


async def test_a_pause_while_the_process_starts_calls_nothing(
    functions: OwnFunctions, killable: Killable, tmp_path: Path
) -> None:
    killable.pauses = True
    written = tmp_path / "pids"
    outcome = await call(functions, "writes", path=str(written))
    assert (outcome.result, outcome.delivered) == (ActResult.STOPPED, 0)
    assert killable.told == [1, 0]
    assert not written.exists()
