"""A page's texts are as the page tells them; only its pictures, and a page that does not answer, are read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from operator_console.computers.frame_building import make_frame
from operator_console.domain.elements import PointText, TextKnowledge
from operator_console.domain.frames import Frame, ImageNeeds, TextBox
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, Size
from operator_console.perception.page_reader import PageReader
from tests.fakes.computer import FAKE_TARGET

SIZE = Size(200, 100)
FRAME = make_frame(
    pixels=bytes(4 * SIZE.width * SIZE.height), native=SIZE, origin=ScreenPoint(0, 0), target=FAKE_TARGET,
    needs=ImageNeeds(),
)  # fmt: skip
TOLD = TextBox(text="Told", box=Rect(10, 10, 40, 20), source="page")
READ = TextBox(text="Read", box=Rect(110, 10, 40, 20))
PICTURE = Rect(100, 0, 100, 50)


class Page:
    """Tells one line and one picture, or nothing."""

    def __init__(self) -> None:
        self.told: tuple[Sequence[TextBox], Sequence[Rect]] | None = ([TOLD], [PICTURE])

    async def texts(self, frame: Frame) -> tuple[Sequence[TextBox], Sequence[Rect]] | None:
        return self.told


class Pictures:
    """Reads the same everywhere, and notes where."""

    def __init__(self) -> None:
        self.asked: list[Rect | NativePoint | None] = []

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        self.asked.append(region)
        return [READ]

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        self.asked.append(point)
        return PointText.of([READ], point, extent, TextKnowledge.READ)

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        return label

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        return "delete"

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        return PICTURE

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        return None


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture
def pictures() -> Pictures:
    return Pictures()


async def test_what_the_page_tells_is_not_read(page: Page, pictures: Pictures) -> None:
    reader = PageReader(page, pictures)
    assert await reader.read(FRAME) == [TOLD]
    assert await reader.read(FRAME, Rect(0, 0, 60, 60)) == [TOLD]
    found = await reader.around(FRAME, NativePoint(20, 20))
    assert (found.text, found.knowledge) == ("Told", TextKnowledge.READ)
    assert (await reader.around(FRAME, NativePoint(20, 90))).text == ""
    assert pictures.asked == []


async def test_a_picture_is_read_where_its_text_is_asked_for(page: Page, pictures: Pictures) -> None:
    reader = PageReader(page, pictures)
    assert await reader.read(FRAME, Rect(0, 0, 200, 60)) == [TOLD, READ]
    assert (await reader.around(FRAME, NativePoint(120, 20))).text == "Read"
    assert pictures.asked == [PICTURE, NativePoint(120, 20)]


async def test_a_page_that_does_not_answer_is_read(page: Page, pictures: Pictures) -> None:
    page.told = None
    reader = PageReader(page, pictures)
    assert await reader.read(FRAME) == [READ]
    assert (await reader.around(FRAME, NativePoint(120, 20))).text == "Read"


async def test_boxes_and_icons_are_found_in_the_picture(page: Page, pictures: Pictures) -> None:
    reader = PageReader(page, pictures)
    assert reader.box_around(FRAME, NativePoint(1, 1)) == PICTURE
    assert reader.icon(FRAME, NativePoint(1, 1)) == "delete"
    assert reader.field(FRAME, PICTURE) == PICTURE
    await reader.close()
