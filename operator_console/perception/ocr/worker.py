"""The OCR process: `python -m operator_console.perception.ocr.worker`, requests on stdin, replies on stdout.

Pictures are read in small steps, so that a crop need not wait for a whole frame.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import numpy as np

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.changed_areas import areas_to_read, changed_tiles, overlaps_changed
from operator_console.perception.ocr.messages import CancelRequest, ReadReply, ReadRequest, pack, receive
from operator_console.perception.text_lines import (
    Pixels,
    Segment,
    mostly_inside,
    reading_order,
    split_area,
    without_duplicates,
    word_boxes,
)

MIN_CONFIDENCE = 0.6
_CACHED_SEGMENTS = 8192
_CACHED_FRAMES = 3
_BAND_ROWS = 256
_OVERLAP_ROWS = 32
_MAX_CHANGED_SHARE = 0.6

Steps = Generator[None, None, tuple[TextBox, ...]]


class Engine(Protocol):
    """The detection and recognition networks."""

    def detect(self, image: Pixels) -> list[Rect]:
        """Areas of a BGR picture that contain text."""
        ...

    def recognise(self, crop: Pixels) -> tuple[str, float]:
        """The text of one segment (BGR pixels) and the confidence, 0..1."""
        ...


class PictureReader:
    """An engine with caches of the frames and segments it has read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._texts: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._frames: OrderedDict[bytes, tuple[Pixels, tuple[TextBox, ...]]] = OrderedDict()

    def steps(self, image: Pixels, *, whole: bool) -> Steps:
        """Read a BGRX picture. Yields between steps and returns the texts in reading order.

        Only whole frames (`whole`) are compared with earlier ones and cached.
        """
        if not whole:
            found = yield from self._read_area(image, Rect(0, 0, image.shape[1], image.shape[0]))
            return reading_order(found)
        key = hashlib.blake2b(image.tobytes(), digest_size=16).digest()
        if key in self._frames:
            self._frames.move_to_end(key)
            return self._frames[key][1]
        kept, areas = self._to_read(image)
        new: list[TextBox] = []
        for area in areas:
            new += yield from self._read_area(image, area)
        fresh = [box for box in new if not any(mostly_inside(box.box, old.box) for old in kept)]
        result = reading_order([*kept, *fresh])
        self._remember(key, image, result)
        return result

    def _to_read(self, image: Pixels) -> tuple[list[TextBox], list[Rect]]:
        """The texts of the most similar earlier frame that are still valid, and the areas left to read."""
        height, width = image.shape[:2]
        best = None
        for pixels, boxes in self._frames.values():
            if pixels.shape == image.shape:
                tiles = changed_tiles(pixels, image)
                if best is None or tiles.sum() < best[0].sum():
                    best = tiles, boxes
        if best is None or best[0].mean() > _MAX_CHANGED_SHARE:
            return [], [Rect(0, 0, width, height)]
        tiles, boxes = best
        kept = [box for box in boxes if not overlaps_changed(box.box, tiles)]
        return kept, areas_to_read(tiles, boxes, width, height)

    def _remember(self, key: bytes, image: Pixels, result: tuple[TextBox, ...]) -> None:
        self._frames[key] = (image, result)
        while len(self._frames) > _CACHED_FRAMES:
            self._frames.popitem(last=False)

    def _read_area(self, image: Pixels, area: Rect) -> Generator[None, None, list[TextBox]]:
        found: list[Segment] = []
        for band, core in _bands(area):
            colours = np.ascontiguousarray(image[band.y : band.bottom, band.x : band.right, :3])
            for text_area in self._engine.detect(colours):
                moved = text_area.moved(band.x, band.y)
                if core.contains(*moved.centre):
                    found += split_area(image, moved)
            yield
        boxes: list[TextBox] = []
        for segment in without_duplicates(found):
            box = self._read_segment(image, segment)
            if box is not None:
                boxes.append(box)
            yield
        return boxes

    def _read_segment(self, image: Pixels, segment: Segment) -> TextBox | None:
        crop = segment.crop.intersect(Rect(0, 0, image.shape[1], image.shape[0]))
        colours = np.ascontiguousarray(image[crop.y : crop.bottom, crop.x : crop.right, :3])
        key = hashlib.blake2b(colours.tobytes(), digest_size=16, key=str(colours.shape).encode()).digest()
        known = self._texts.get(key)
        if known is None:
            known = self._engine.recognise(colours)
        self._texts[key] = known
        self._texts.move_to_end(key)
        while len(self._texts) > _CACHED_SEGMENTS:
            self._texts.popitem(last=False)
        text, confidence = known
        if not text or confidence < MIN_CONFIDENCE:
            return None
        parts = word_boxes(text, segment, confidence)
        return TextBox(text=text, box=segment.box, confidence=round(confidence, 3), parts=parts)


def _bands(area: Rect) -> Iterator[tuple[Rect, Rect]]:
    """Split an area into horizontal bands, as pairs of the band to detect in and its core.

    Small bands keep memory use low and steps short. Neighbouring bands overlap, so that a line cut by one is complete
    in the other; the band whose core contains the centre of a line reports it.
    """
    if area.height <= _BAND_ROWS + 2 * _OVERLAP_ROWS:
        yield area, area
        return
    for top in range(area.y, area.bottom, _BAND_ROWS):
        core = Rect(area.x, top, area.width, min(_BAND_ROWS, area.bottom - top))
        grown = Rect(area.x, top - _OVERLAP_ROWS, area.width, core.height + 2 * _OVERLAP_ROWS)
        yield grown.intersect(area), core


_NICENESS = 5


@dataclass(slots=True, kw_only=True)
class _Job:
    request: ReadRequest
    steps: Steps

    @property
    def urgency(self) -> tuple[bool, int]:
        """Sort key: crops before whole frames, then newer before older."""
        return (not self.request.whole, self.request.job)


class _Inbox:
    """Queue of requests, filled by its own thread because reading a pipe blocks."""

    def __init__(self) -> None:
        self._waiting: list[tuple[ReadRequest, bytes]] = []
        self._cancelled: set[int] = set()
        self._arrived = threading.Condition()

    def listen(self, pipe: BinaryIO) -> None:
        """Read requests until the pipe is closed, then exit the process, whatever it is doing."""
        while (received := receive(pipe)) is not None:
            request, payload = received
            with self._arrived:
                if isinstance(request, CancelRequest):
                    self._cancelled.add(request.job)
                else:
                    self._waiting.append((request, payload))
                self._arrived.notify()
        os._exit(0)

    def take(self, *, wait: bool) -> tuple[list[tuple[ReadRequest, bytes]], set[int]]:
        """Take all new requests and cancelled job numbers. With `wait`, block until a request arrives."""
        with self._arrived:
            while wait and not self._waiting:
                self._arrived.wait()
            waiting, self._waiting = self._waiting, []
            cancelled, self._cancelled = self._cancelled, set()
            return waiting, cancelled


def _run_jobs(reader: PictureReader, inbox: _Inbox, out: BinaryIO) -> None:
    jobs: list[_Job] = []
    while True:
        arrived, cancelled = inbox.take(wait=not jobs)
        for request, payload in arrived:
            image = np.frombuffer(payload, dtype=np.uint8).reshape(request.height, request.width, 4)
            jobs.append(_Job(request=request, steps=reader.steps(image, whole=request.whole)))
        jobs = [job for job in jobs if job.request.job not in cancelled]
        if not jobs:
            continue
        job = max(jobs, key=lambda j: j.urgency)
        reply = _run_step(job)
        if reply is not None:
            jobs.remove(job)
            out.write(pack(reply))
            out.flush()


def _run_step(job: _Job) -> ReadReply | None:
    """Run one step of the job. Returns the reply after the last step, else None."""
    try:
        next(job.steps)
    except StopIteration as done:
        return ReadReply(job=job.request.job, boxes=done.value)
    except Exception as error:  # noqa: BLE001 - one bad picture must not end the process
        return ReadReply(job=job.request.job, error=f"{type(error).__name__}: {error}")
    return None


def main() -> None:
    """Serve requests until the pipe is closed."""
    # Keeps replies apart from what libraries print to stdout.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    inbox = _Inbox()
    threading.Thread(target=inbox.listen, args=(sys.stdin.buffer,), name="ocr inbox", daemon=True).start()

    from operator_console.perception.ocr.engine import OcrEngine

    with contextlib.suppress(BrokenPipeError):
        _run_jobs(PictureReader(OcrEngine()), inbox, out)


if __name__ == "__main__":
    main()
