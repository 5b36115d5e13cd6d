"""What a screen check compares where the picture hides a part, and what a permission is sealed with."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.actions import Click
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import Grant, ScreenCheck

REGION = Rect(10, 20, 4, 3)


def pixels(value: int) -> bytes:
    return bytes(value + place for place in range(REGION.width * REGION.height * 4))


def test_hidden_parts_are_as_in_the_picture_and_the_rest_as_it_is_now() -> None:
    check = ScreenCheck(region=REGION, pixels=pixels(0), hidden=(Rect(11, 21, 2, 1), Rect(13, 22, 9, 9)))
    now = pixels(100)
    assert ScreenCheck(region=REGION, pixels=pixels(0)).as_seen(now) == now
    seen = check.as_seen(now)
    hidden = {(1, 1), (2, 1), (3, 2)}
    for x in range(4):
        for y in range(3):
            at = slice((y * 4 + x) * 4, (y * 4 + x) * 4 + 4)
            assert seen[at] == (pixels(0) if (x, y) in hidden else now)[at], (x, y)
    assert len(seen) == len(now)
    outside = replace(check, hidden=(Rect(0, 0, 5, 5),))
    assert outside.as_seen(now) == now


def test_a_seal_is_of_one_key_and_does_not_depend_on_the_seal_before() -> None:
    size = Size(64, 48)
    grant = Grant(
        grant_id="a", step=1, call=0, action=Click(at=NativePoint(1, 1)),
        target=MonitorTarget(spec="monitor:1", title="M"),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), epoch=1, expires_s=1.0,
    )  # fmt: skip
    sealed = grant.sealed(b"one")
    assert len(sealed.seal) == 64
    assert replace(sealed, seal="") == grant
    assert sealed.sealed(b"one") == sealed
    assert sealed.sealed(b"two").seal != sealed.seal
    assert sealed.genuine(b"one")
    assert not sealed.genuine(b"two")
    assert not grant.genuine(b"one")
