"""The urgent jobs of the OCR process: one that nobody waits for any more is not run, and ends where it runs."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from operator_console.domain.codec import decode, encode
from operator_console.domain.geometry import Rect
from operator_console.json_lines import packed, unpacked
from operator_console.perception.ocr.messages import CancelRequest, ReadReply, ReadRequest
from operator_console.perception.ocr.picture_text import PictureReader
from operator_console.perception.ocr.worker import Inbox, Replies, UrgentJobs
from operator_console.perception.text_lines import Pixels
from tests.perception.ocr.counting import CountingEngine, screen

TEXTS = {(20, 20): 1, (20, 60): 2, (20, 100): 3, (20, 140): 4}


class HeldEngine(CountingEngine):
    """An engine whose detection waits until it is let go on."""

    def __init__(self) -> None:
        super().__init__()
        self.began = threading.Event()
        self.go_on = threading.Event()

    def detect(self, image: Pixels) -> list[Rect]:
        self.began.set()
        assert self.go_on.wait(30)
        return super().detect(image)


class Urgent:
    """Urgent jobs of a held engine, and what is replied to them."""

    def __init__(self) -> None:
        self.engine = HeldEngine()
        self.out = io.BytesIO()
        loaded = Future[PictureReader]()
        loaded.set_result(PictureReader(self.engine))
        self.jobs = UrgentJobs(loaded, Replies(self.out))
        self.done = threading.Semaphore(0)

    def submit(self, job: int, *, near: bool) -> None:
        image = screen(TEXTS)
        height, width = image.shape[:2]
        wanted = Rect(0, 0, width, height) if near else None
        request = ReadRequest(job=job, width=width, height=height, urgent=True, wanted=wanted, payload=image.nbytes)
        self.jobs.submit(request, image, self.done.release)

    def replies(self, jobs: int) -> list[ReadReply]:
        """All replies, once so many jobs are done."""
        self.engine.go_on.set()
        for _ in range(jobs):
            assert self.done.acquire(timeout=30)
        self.out.seek(0)
        return [decode(ReadReply, unpacked(line)) for line in self.out]


@pytest.fixture
def urgent() -> Iterator[Urgent]:
    made = Urgent()
    yield made
    made.engine.go_on.set()
    made.jobs._jobs.shutdown()
    made.jobs._texts.shutdown()


@pytest.mark.parametrize("near", [True, False])
def test_a_job_that_was_cancelled_while_it_waited_is_not_run(urgent: Urgent, near: bool) -> None:
    for job in (1, 2, 3):
        urgent.submit(job, near=near)
    assert urgent.engine.began.wait(30)
    urgent.jobs.cancel(2)
    texts = {reply.job: [box.text for box in reply.boxes] for reply in urgent.replies(3)}
    assert texts == {1: ["t1", "t2", "t3", "t4"], 2: [], 3: ["t1", "t2", "t3", "t4"]}


@pytest.mark.parametrize("near", [True, False])
def test_a_job_that_is_cancelled_while_it_runs_ends_with_what_is_being_read(urgent: Urgent, near: bool) -> None:
    urgent.submit(1, near=near)
    assert urgent.engine.began.wait(30)
    urgent.jobs.cancel(1)
    (reply,) = urgent.replies(1)
    assert reply.boxes == ()
    assert urgent.engine.recognised == 0


def test_a_cancellation_reaches_the_urgent_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "_exit", lambda _code: None)
    heard: list[tuple[str, int]] = []
    inbox = Inbox(lambda request, _image: heard.append(("read", request.job)), lambda job: heard.append(("not", job)))
    request = ReadRequest(job=1, width=1, height=1, urgent=True, payload=4)
    inbox.listen(io.BytesIO(packed(encode(request)) + bytes(4) + packed(encode(CancelRequest(job=1)))))
    assert heard == [("read", 1), ("not", 1)]
