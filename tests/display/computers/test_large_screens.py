"""Screens far larger than what the model is sent: scaled once, each named point hit, zoom from own pixels."""

from __future__ import annotations

import asyncio
import io
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from operator_console.domain.actions import Click, Zoom
from operator_console.domain.decisions import ActResult
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import Rect, SentPoint, Size
from operator_console.providers.gemini.actions import parse_call
from operator_console.providers.gemini.contents import IMAGE_NEEDS
from operator_console.providers.shared.own_tools import worth_zooming
from tests.display.computers.test_monitors import working
from tests.display.guard.acting import armed
from tests.display.rig import Desktop, desktop_of_its_own
from tests.display.rig.sheet import Sheet

MARK = 40
RED = (0xDC, 0x0A, 0x14)


@pytest.fixture(
    params=[
        pytest.param((2560, 1600), id="2560x1600"),
        pytest.param((7680, 4320), id="7680x4320", marks=pytest.mark.full),
    ]
)
def large(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desktop]:
    with desktop_of_its_own(tmp_path, request.param) as desktop:
        yield desktop


def centre_of_red(picture: Picture) -> SentPoint:
    """The centre of the only red thing, in fractions of a sent pixel."""
    pixels = np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB")).astype(float)
    red = np.clip((pixels[..., 0] - pixels[..., 2]) / 200, 0, None)
    red[red < 0.05] = 0
    rows, columns = np.indices(red.shape)
    return SentPoint(float((columns * red).sum() / red.sum()), float((rows * red).sum() / red.sum()))


async def test_what_the_model_sees_and_names_is_where_it_says(large: Desktop) -> None:
    width, height = large.server.size
    at = (width * 7 // 10 + 3, height * 3 // 10 + 1)
    with (
        Sheet(large, (0, 0, width, height)) as sheet,
        Sheet(large, (*at, MARK, MARK), colour="dc0a14", title="mark") as mark,
    ):
        async with armed(large) as acting, working(acting, "monitor:1") as hand:
            frame = await hand.computer.observe(IMAGE_NEEDS)
            geometry = frame.geometry
            assert geometry.native == Size(width, height)
            assert geometry.sent.width * geometry.sent.height <= 1440 * 900
            assert abs(geometry.sent.width / geometry.sent.height - width / height) < 0.005
            assert worth_zooming(geometry)
            picture = await hand.computer.picture(frame, IMAGE_NEEDS)
            assert picture.note == f"scaled from {width} x {height}"
            assert len(picture.data) <= 500_000

            seen = geometry.from_sent(centre_of_red(picture))
            middle = (at[0] + MARK // 2, at[1] + MARK // 2)
            assert abs(seen.x - middle[0]) <= 1
            assert abs(seen.y - middle[1]) <= 1
            assert (await hand.press(frame, seen)).result is ActResult.DONE
            (hit,) = await asyncio.to_thread(mark.wait, 1)
            assert (hit.root_x, hit.root_y) == (seen.x, seen.y)

            named = []
            for x, y in itertools.product((0, 333, 999), (0, 612.3, 1000)):
                action = parse_call("click", {"x": x, "y": y}, geometry).action
                assert isinstance(action, Click)
                assert action.at is not None
                assert (await hand.press(frame, action.at)).result is ActResult.DONE
                named.append((x * width / 1000, y * height / 1000))
            hits = await asyncio.to_thread(sheet.wait, len(named))  # this loop answers the lease
            for hit, (named_x, named_y) in zip(hits, named, strict=True):
                assert abs(hit.root_x + 0.5 - named_x) <= 0.5 + 1e-6
                assert abs(hit.root_y + 0.5 - named_y) <= 0.5 + 1e-6

            edges = {"left": at[0] * 1000 / width, "right": (at[0] + MARK - 0.1) * 1000 / width}
            edges |= {"top": at[1] * 1000 / height, "bottom": (at[1] + MARK - 0.1) * 1000 / height}
            zoom = parse_call("zoom", edges, geometry).action
            assert zoom == Zoom(region=Rect(*at, MARK, MARK))
            closer = await hand.computer.zoom(frame, zoom.region, IMAGE_NEEDS)
            assert closer.size.width >= 10 * MARK
            shown = Image.open(io.BytesIO(closer.data)).convert("RGB")
            assert shown.getcolors() == [(closer.size.width * closer.size.height, RED)]
