"""Ids, sent sizes and pointers of frames."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from operator_console.computers.frame_building import fingerprint, make_frame
from operator_console.domain.frames import ImageNeeds, MonitorTarget
from operator_console.domain.geometry import NativePoint, ScreenPoint, Size

TARGET = MonitorTarget(spec="monitor:1", title="")


@given(width=st.integers(1, 9), height=st.integers(1, 9), data=st.data())
def test_one_changed_colour_changes_the_id_and_the_fourth_byte_does_not(
    width: int, height: int, data: st.DataObject
) -> None:
    size = Size(width, height)
    pixels = bytearray(data.draw(st.binary(min_size=width * height * 4, max_size=width * height * 4)))
    before = fingerprint(memoryview(bytes(pixels)), size)
    place = data.draw(st.integers(0, width * height * 4 - 1))
    pixels[place] ^= data.draw(st.integers(1, 255))
    after = fingerprint(memoryview(bytes(pixels)), size)
    assert (before == after) == (place % 4 == 3)


def test_an_id_is_the_same_in_every_process() -> None:
    assert fingerprint(memoryview(bytes(range(64))), Size(4, 4)) == "4x4-6122944a803005d1"
    assert fingerprint(memoryview(bytes(60)), Size(3, 5)) == "3x5-04128908003c0001"


def test_the_pointer_is_told_in_both_spaces_where_it_is_on_the_target() -> None:
    def frame(pointer: ScreenPoint) -> tuple[NativePoint | None, ScreenPoint | None]:
        made = make_frame(
            pixels=bytes(4 * 20), native=Size(5, 4), origin=ScreenPoint(-2, 10), target=TARGET, needs=ImageNeeds(),
            pointer=pointer,
        )  # fmt: skip
        return made.pointer, made.pointer_screen

    assert frame(ScreenPoint(-2, 10)) == (NativePoint(0, 0), ScreenPoint(-2, 10))
    assert frame(ScreenPoint(2, 13)) == (NativePoint(4, 3), ScreenPoint(2, 13))
    assert frame(ScreenPoint(3, 13)) == (None, ScreenPoint(3, 13))


def test_a_frame_cannot_be_written_to() -> None:
    frame = make_frame(
        pixels=bytearray(16), native=Size(2, 2), origin=ScreenPoint(0, 0), target=TARGET, needs=ImageNeeds()
    )
    assert frame.pixels.readonly
