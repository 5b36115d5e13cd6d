"""`OcrReader` with a real OCR process: what it reads and caches, and how the process starts and ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio

from operator_console.domain.codec import encode
from operator_console.domain.elements import TextKnowledge
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.engine.ports import Reader
from operator_console.json_lines import packed
from operator_console.perception import picture_reader
from operator_console.perception.ocr.messages import ReadReply, ReadRequest
from operator_console.perception.picture_reader import WORKER_MODULE, OcrReader
from operator_console.perception.text_lines import Pixels
from tests.display.rig import process_alive, wait_until
from tests.perception.drawing import frame, picture

on_the_readers_loop = pytest.mark.asyncio(loop_scope="module")
DEADLINE_S = 60.0
LABELS = 64
TEXTS = [("Save", 20, 20), ("Submit report", 120, 20), ("Last name", 20, 80), ("Zapisz jako", 120, 140)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started() -> AsyncIterator[OcrReader]:
    """A reader whose process runs; one for all tests, because it takes a second to load its models."""
    made = OcrReader()
    await made.warm_up()
    yield made
    await made.close()


@pytest.fixture
def reader(started: OcrReader) -> OcrReader:
    """A reader that has read nothing yet."""
    made = OcrReader()
    made._process = started._process
    return made


def process_of(reader: OcrReader) -> int:
    pid = reader._process.pid
    assert pid is not None
    return pid


@on_the_readers_loop
async def test_texts_words_and_regions_are_read_once_with_their_boxes(reader: OcrReader) -> None:
    port: Reader = reader
    boxes = await port.read(frame(picture(TEXTS)))
    assert [box.text for box in boxes] == [words for words, _, _ in TEXTS]
    for box, (words, x, y) in zip(boxes, TEXTS, strict=True):
        assert abs(box.box.x - x) <= 3, words
        assert y <= box.box.y <= y + 8, words
        assert box.confidence > 0.9
    submit = boxes[1]
    assert [part.text for part in submit.parts] == ["Submit", "report"]
    assert submit.parts[0].box.right < submit.parts[1].box.x

    os.kill(process_of(reader), signal.SIGSTOP)
    try:
        async with asyncio.timeout(DEADLINE_S):
            assert await reader.read(frame(picture(TEXTS))) == boxes
            assert [box.text for box in await reader.read(frame(picture(TEXTS)), Rect(20, 80, 60, 10))] == ["Last name"]
    finally:
        os.kill(process_of(reader), signal.SIGCONT)

    elsewhere = picture([(words, x + 7, y + 5) for words, x, y in TEXTS])
    (box,) = await reader.read(frame(elsewhere), Rect(147, 27, 40, 12))
    assert box.text == "Submit report", "complete, in pixels of the frame"
    assert abs(box.box.x - 127) <= 3
    assert await reader.read(frame(elsewhere), Rect(900, 900, 10, 10)) == ()


@on_the_readers_loop
async def test_a_crop_and_a_point_are_read_before_a_whole_frame_that_is_being_read(reader: OcrReader) -> None:
    await reader.warm_up()
    many = [(f"label {n}", 20 + 150 * (n % 8), 10 + 22 * (n // 8)) for n in range(LABELS)]
    large = frame(picture(many, size=(1280, 720)))
    order: list[str] = []

    async def read(name: str, region: Rect | None) -> None:
        assert len(await reader.read(large, region)) == (LABELS if region is None else 1)
        order.append(name)

    whole = asyncio.create_task(read("frame", None))
    await asyncio.sleep(0)
    await read("crop", Rect(20, 10, 60, 14))
    last_row = LABELS // 8 - 1
    found = await reader.around(large, NativePoint(30, 10 + 22 * last_row + 8))
    order.append("point")
    assert (found.text, found.knowledge) == (f"label {8 * last_row}", TextKnowledge.READ)
    assert f"label {8 * last_row - 8}" in [box.text for box in found.nearby]
    await whole
    assert order == ["crop", "point", "frame"]


@on_the_readers_loop
async def test_what_belongs_to_a_place_is_its_text(reader: OcrReader) -> None:
    seen = frame(picture([("Delete", 40, 34), ("everything", 40, 60), ("Cancel", 300, 34)], size=(640, 200)))
    found = await reader.around(seen, NativePoint(200, 80), Rect(30, 25, 200, 70))
    assert found.text == "Delete everything", "all texts inside the extent of a control"
    assert [box.text for box in found.nearby] == ["Cancel"]
    assert found.extent == Rect(30, 25, 200, 70)

    seen = frame(picture([("Delete", 40, 34), ("all", 40, 560)], size=(640, 600)))
    found = await reader.around(seen, NativePoint(60, 40), Rect(0, 0, 640, 600))
    assert (found.text, found.knowledge) == ("Delete", TextKnowledge.NOT_YET), "larger than what is looked at"

    found = await reader.around(frame(picture(TEXTS)), NativePoint(400, 110))
    assert (found.text, found.knowledge) == ("", TextKnowledge.READ), "a place without text"

    seen = frame(picture([("Plant", 20, 64)], size=(640, 200)))
    found = await reader.around(seen, NativePoint(330, 70), Rect(65, 54, 300, 34))
    assert [box.text for box in found.nearby] == ["Plant"], "beside a wide field, far from the point"


@on_the_readers_loop
@pytest.mark.parametrize(("line_y", "asked"), [(15, 1), (40, 2)], ids=["touches it from above", "in the control"])
async def test_more_is_looked_at_only_for_a_long_line_of_the_control_itself(
    reader: OcrReader, monkeypatch: pytest.MonkeyPatch, line_y: int, asked: int
) -> None:
    line = " ".join(f"word {n}" for n in range(16))
    seen = frame(picture([(line, 300, line_y), ("Save", 620, 70)], size=(1600, 200)))
    reads: list[object] = []
    ask = reader._ask

    async def counted(*args: Any, **options: Any) -> ReadReply:
        reads.append(args[1])
        return await ask(*args, **options)

    monkeypatch.setattr(reader, "_ask", counted)
    found = await reader.around(seen, NativePoint(640, 78), Rect(560, 26, 160, 70))
    assert len(reads) == asked
    assert "Save" in found.text


async def test_what_a_broken_reader_did_not_read_is_unreadable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(picture_reader, "WORKER_MODULE", "operator_console.perception.is_not_there")
    broken = OcrReader()
    found = await broken.around(frame(picture(TEXTS)), NativePoint(30, 30))
    assert found.knowledge is TextKnowledge.UNREADABLE
    await broken.close()


@on_the_readers_loop
async def test_a_whole_read_that_was_cancelled_is_continued(reader: OcrReader, monkeypatch: pytest.MonkeyPatch) -> None:
    await reader.warm_up()
    seen = frame(picture([(f"line {n}", 20, 10 + 30 * n) for n in range(24)], size=(320, 740)))
    known = reader._texts_of(seen.geometry.native)
    added = asyncio.Event()
    add = known.add

    def add_and_tell(image: Pixels, area: Rect, boxes: Sequence[TextBox], unreadable: Sequence[Rect]) -> None:
        add(image, area, boxes, unreadable)
        added.set()

    monkeypatch.setattr(known, "add", add_and_tell)
    reading = asyncio.create_task(reader.read(seen))
    async with asyncio.timeout(DEADLINE_S):
        await added.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    before = list(known.boxes)
    assert len(before) < 24
    found = await reader.read(seen)
    assert [box.text for box in found] == [f"line {n}" for n in range(24)]
    assert before[0] in found


@on_the_readers_loop
async def test_two_callers_share_one_read_and_one_or_both_may_be_cancelled(reader: OcrReader) -> None:
    seen = frame(picture(TEXTS))
    leaving = asyncio.create_task(reader.read(seen))
    staying = asyncio.create_task(reader.read(seen))
    await asyncio.sleep(0)
    assert len(reader._running) == 1
    leaving.cancel()
    assert len(await staying) == len(TEXTS)
    with pytest.raises(asyncio.CancelledError):
        await leaving

    other = frame(picture([(words, x + 7, y + 5) for words, x, y in TEXTS]))
    only = asyncio.create_task(reader.read(other))
    await asyncio.sleep(0)
    only.cancel()
    with pytest.raises(asyncio.CancelledError):
        await only
    assert not reader._running
    assert not reader._waiters
    assert len(await reader.read(other)) == len(TEXTS)


async def test_a_killed_process_is_replaced() -> None:
    reader = OcrReader()
    await reader.warm_up()
    first = process_of(reader)
    os.kill(first, signal.SIGKILL)
    assert len(await reader.read(frame(picture(TEXTS)))) == len(TEXTS)
    assert process_of(reader) != first
    await reader.close()


async def test_close_ends_the_process_even_during_a_read() -> None:
    reader = OcrReader()
    reading = asyncio.create_task(reader.read(frame(picture(TEXTS, size=(1280, 720)))))
    await reader.warm_up()
    pid = process_of(reader)
    await reader.close()
    assert not process_alive(pid)
    with pytest.raises(asyncio.CancelledError):
        await reading


def test_the_process_dies_with_its_parent() -> None:
    """Also when the parent is killed and so cannot shut it down."""
    code = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-m", {WORKER_MODULE!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(child.pid, flush=True)
time.sleep(600)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert process_alive(pid)
    finally:
        parent.kill()
        parent.communicate()
    wait_until(lambda: not process_alive(pid), "the OCR process to end")


@on_the_readers_loop
async def test_a_read_never_blocks_the_event_loop(reader: OcrReader) -> None:
    """This process uses little CPU time between two iterations of its loop."""
    await reader.warm_up()
    longest_s, before_s = 0.0, time.process_time()
    reading = asyncio.create_task(reader.read(frame(picture(TEXTS, size=(1440, 900)))))
    while not reading.done():
        await asyncio.sleep(0.002)
        now_s = time.process_time()
        longest_s, before_s = max(longest_s, now_s - before_s), now_s
    assert len(await reading) == len(TEXTS)
    assert longest_s < 0.2


async def test_what_the_process_says_on_its_way_out_reaches_the_log_and_the_operator(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(picture_reader, "WORKER_MODULE", "operator_console.perception.is_not_there")
    broken = OcrReader()
    try:
        with pytest.raises(OperatorError, match="No module named"):
            await broken.warm_up()
    finally:
        await broken.close()
    assert "No module named" in caplog.text


def test_the_process_ends_when_its_models_do_not_load() -> None:
    """An urgent job that waits for them does not keep it alive."""
    code = (
        "import sys; sys.modules['rapidocr'] = None; from operator_console.perception.ocr import worker; worker.main()"
    )
    request = packed(encode(ReadRequest(job=1, width=2, height=2, urgent=True, payload=16))) + bytes(16)
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert child.stdin is not None and child.stderr is not None
        child.stdin.write(request)
        child.stdin.flush()
        assert child.wait(DEADLINE_S) == 1
        assert b"rapidocr" in child.stderr.read()
    finally:
        child.kill()
        child.communicate()
