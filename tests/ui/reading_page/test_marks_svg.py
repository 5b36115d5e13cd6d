"""Marks lie on the pixels that they name, at any width of the picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.risk import RiskClass
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.reading_page.marks_svg import marks_svg

NATIVE = Size(1000, 500)


def mark(shape: MarkShape = MarkShape.POINT, *points: tuple[int, int], number: int = 1, **more: object) -> Mark:
    at = tuple(NativePoint(*point) for point in points)
    known = {"key": str(number), "number": number, "stage": MarkStage.NEXT, "label": "click “Save”"} | more
    return Mark(shape=shape, points=at, **known)  # type: ignore[arg-type]


def drawn(*marks: Mark) -> ET.Element:
    return ET.fromstring(marks_svg(marks, NATIVE))


def test_without_marks_nothing_is_drawn() -> None:
    assert marks_svg((), NATIVE) == ""


@pytest.mark.parametrize("shape", list(MarkShape))
def test_every_shape_is_well_formed(shape: MarkShape) -> None:
    points = ((10, 10), (200, 100)) if shape is MarkShape.DRAG else ((10, 10),)
    risks = [None, *RiskClass]
    for risk in risks:
        drawn(mark(shape, *points, risk=risk, notches=(2, -3), region=Rect(1, 2, 30, 40), controls=(Rect(0, 0, 9, 9),)))


def test_the_ring_is_at_the_middle_of_its_pixel() -> None:
    (ring,) = [each for each in drawn(mark(MarkShape.POINT, (249, 99))).iter("svg") if each.find("circle") is not None]
    assert (ring.get("x"), ring.get("y")) == ("24.950%", "19.900%")


def test_the_way_of_a_drag_is_in_native_pixels() -> None:
    way = drawn(mark(MarkShape.DRAG, (10, 20), (30, 40), (500, 300))).find(".//polyline")
    assert way is not None
    assert way.get("points") == "10.5,20.5 30.5,40.5 500.5,300.5"


def test_controls_are_cut_to_the_picture() -> None:
    box = drawn(mark(MarkShape.POINT, (10, 10), controls=(Rect(-50, -50, 2000, 100),))).find(".//rect")
    assert box is not None
    assert [box.get(name) for name in ("x", "y", "width", "height")] == ["0", "0", "1000", "50"]


def test_calls_are_joined_by_a_way_in_their_order() -> None:
    line = drawn(mark(MarkShape.POINT, (10, 10)), mark(MarkShape.POINT, (900, 400), number=2)).find(".//line")
    assert line is not None
    assert [line.get(name) for name in ("x1", "y1", "x2", "y2")] == ["10.5", "10.5", "900.5", "400.5"]


def test_labels_stay_inside_the_picture_and_off_each_other() -> None:
    marks = [mark(MarkShape.POINT, (990 - n, 490), number=n, label="x" * 40) for n in range(1, 5)]
    boxes = []
    for each in drawn(*marks).iter("svg"):
        frame = each.find("foreignObject")
        if frame is not None:
            x, y = (float(str(each.get(axis)).rstrip("%")) / 100 * size for axis, size in (("x", 1040), ("y", 520)))
            left, top = x + float(str(frame.get("x"))), y + float(str(frame.get("y")))
            boxes.append((left, top, left + float(str(frame.get("width"))), top + float(str(frame.get("height")))))
    assert len(boxes) == 4
    assert all(left >= -1 and top >= -1 and right <= 1041 and bottom <= 521 for left, top, right, bottom in boxes)
    assert all(
        not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]) for a in boxes for b in boxes if a is not b
    )


def test_texts_in_labels_are_escaped() -> None:
    assert "<script>" not in marks_svg((mark(MarkShape.POINT, (1, 1), label="<script>"),), NATIVE)
    assert not re.search(r"style=", marks_svg((mark(MarkShape.POINT, (1, 1)),), NATIVE))
