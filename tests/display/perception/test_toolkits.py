"""Real toolkits at 100 %: what stands on their buttons and beside their fields is read, and where it stands."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import mss
import pytest

from operator_console.domain.frames import Frame, MonitorTarget, TextBox
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.perception.picture_reader import OcrReader
from operator_console.providers.runbook.text_matching import find
from tests.display.rig import Desktop, launch, launch_chromium, launch_galculator, wait_until

PAGE = Path(__file__).with_name("toolkit_page.html")


@pytest.fixture
async def reader() -> AsyncIterator[OcrReader]:
    made = OcrReader()
    yield made
    await made.close()


def screen(desktop: Desktop) -> Frame:
    width, height = desktop.server.size
    with mss.MSS(display=desktop.name) as grabber:
        pixels = bytes(grabber.grab({"left": 0, "top": 0, "width": width, "height": height}).raw)
    native = Size(width, height)
    return Frame(
        frame_id=hashlib.sha1(pixels).hexdigest(),
        pixels=memoryview(pixels),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=native, sent=native),
        target=MonitorTarget(spec="monitor:1", title="Monitor 1"),
        taken_s=time.monotonic(),
    )


async def read_with(reader: OcrReader, desktop: Desktop, last: str) -> tuple[Frame, list[TextBox]]:
    """The screen once `last` can be read on it (applications paint after they are mapped)."""
    async with asyncio.timeout(60):
        while True:
            frame = screen(desktop)
            boxes = list(await reader.read(frame))
            if find(boxes, last):
                return frame, boxes


async def test_a_browser_page_is_read_and_its_fields_are_found(desktop: Desktop, reader: OcrReader) -> None:
    # --test-type: without it a bar about --no-sandbox slides in later and moves the page.
    launch_chromium(desktop, f"--app={PAGE.as_uri()}", "--window-size=900,640", "--test-type")
    desktop.wait_window(title="Buttons and labels", wm_class="chromium")
    frame, boxes = await read_with(reader, desktop, "Last changed yesterday")
    texts = ("Save", "Cancel", "Submit report", "Delete all", "Approve", "Reject", "Go", "Terms and conditions")
    assert {text: len(find(boxes, text)) for text in texts} == dict.fromkeys(texts, 1)
    for text in ("Save", "Reject", "Go"):
        click(desktop, find(boxes, text)[0].box.centre)
        wait_until(lambda text=text: desktop.find_window(title=f"hit {text}"), f"the click on {text}")  # type: ignore[misc]
    for label, field_id in (("Employee", "a"), ("Amount", "b"), ("Postal address", "c"), ("Search invoices", "d")):
        field = reader.field(frame, find(boxes, label)[0].box)
        assert field is not None, label
        click(desktop, field.centre)
        wait_until(lambda f=field_id: desktop.find_window(title=f"hit {f}"), f"the click into {label}")  # type: ignore[misc]


def click(desktop: Desktop, point: tuple[int, int]) -> None:
    desktop.xdo("mousemove", str(point[0]), str(point[1]), "click", "1")


async def test_gtk_forms_are_read_and_their_fields_take_what_is_typed(desktop: Desktop, reader: OcrReader) -> None:
    form = launch(
        desktop,
        ["zenity", "--forms", "--title", "New contact", "--text", "Who is it?", "--add-entry", "First name",
         "--add-entry", "Last name", "--add-entry", "Room", "--ok-label", "Save contact", "--cancel-label", "Discard"],
        title="New contact",
    )  # fmt: skip
    frame, boxes = await read_with(reader, desktop, "Save contact")
    for label, text in (("First name", "ada"), ("Last name", "love"), ("Room", "lab")):
        field = reader.field(frame, find(boxes, label)[0].box)
        assert field is not None, label
        click(desktop, field.centre)
        desktop.xdo("type", "--delay", "10", text)
    click(desktop, find(boxes, "Save contact")[0].box.centre)
    wait_until(lambda: not form.child.running, "the form to close")
    assert "ada|love|lab" in form.child.log_text()


async def test_a_calculator_is_read_to_its_single_digits(desktop: Desktop, reader: OcrReader) -> None:
    launch_galculator(desktop)
    _, boxes = await read_with(reader, desktop, "Calculator")
    texts = ("File", "Edit", "View", "Help", "AC", "sqrt", "2", "3", "4", "5", "6", "7", "8", "9")
    assert {text: len(find(boxes, text)) for text in texts} == dict.fromkeys(texts, 1), boxes
    assert find(boxes, "1")  # a slash may look like another one: single strokes are weak, and then a run asks
