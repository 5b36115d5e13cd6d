"""The reticle's dot, measured on the screen's own pixels at 100, 150 and 200 %: within one pixel of its place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.display.rig import Desktop, wait_until
from tests.display.ui.shown import Shown

Place = tuple[int, int]

BLUE = (0x2F, 0x6F, 0xD0)
PLACES = [((1440, 900), (311, 530)), ((1440, 900), (1434, 4)), ((333, 250), (0, 125)), ((640, 400), (77, 399))]
CONTROL_STAGE, CONTROL = (640, 400), (200, 120, 180, 90)


def pixels_of(desktop: Desktop, xid: int) -> NDArray[np.int16]:
    return np.asarray(desktop.grab(xid).convert("RGB")).astype(np.int16)


def shown(desktop: Desktop, stages: Shown, *numbers: int) -> NDArray[np.int16]:
    """The pixels of a bare preview with one reticle, once it is drawn."""
    window = stages.show("stage", *numbers)
    desktop.move_window(window.xid, 0, 0)

    def drawn() -> tuple[NDArray[np.int16]] | None:
        seen = pixels_of(desktop, window.xid)
        blue = np.abs(seen - np.array(BLUE)).max(axis=2) < 20
        white = (seen >= 254).all(axis=2)
        return (seen,) if blue.sum() > 40 and white.sum() > 10_000 else None

    found = wait_until(drawn, "the reticle")
    assert found is not None
    return found[0]


def bounds(mask: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(mask)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


@pytest.mark.parametrize(
    ("scale", "places"),
    [
        (1.5, [PLACES[1]]),
        *(pytest.param(scale, PLACES, marks=pytest.mark.full) for scale in (1, 2)),
    ],
)
def test_the_dot_is_within_a_pixel_and_the_outline_of_the_control_on_its_edges(
    desktop: Desktop, tmp_path: Path, scale: float, places: Sequence[tuple[Place, Place]]
) -> None:
    stages = Shown(desktop, tmp_path, {**desktop.env, "QT_SCALE_FACTOR": str(scale)})
    for size, point in places:
        _check_dot(shown(desktop, stages, *size, *point), scale, size, point)
    _check_outline(shown(desktop, stages, *CONTROL_STAGE, 290, 165, *CONTROL), scale)


def _check_dot(seen: NDArray[np.int16], scale: float, size: Place, point: Place) -> None:
    # White is the picture, and the label's text, which lies inside it.
    left, top, right, bottom = bounds(np.asarray((seen >= 254).all(axis=2)))
    across, down = (right - left) / size[0], (bottom - top) / size[1]
    ideal_x, ideal_y = left + (point[0] + 0.5) * across, top + (point[1] + 0.5) * down
    reach = round(4 * scale)
    box = seen[
        max(0, round(ideal_y) - reach) : round(ideal_y) + reach, max(0, round(ideal_x) - reach) : round(ideal_x) + reach
    ]
    rows, columns = np.nonzero(np.abs(box - np.array(BLUE)).max(axis=2) < 60)
    assert len(rows), f"no dot at {point} of {size}"
    x = max(0, round(ideal_x) - reach) + float(columns.mean()) + 0.5
    y = max(0, round(ideal_y) - reach) + float(rows.mean()) + 0.5
    assert abs(x - ideal_x) <= 1.0, (size, point)
    assert abs(y - ideal_y) <= 1.0, (size, point)


def _check_outline(seen: NDArray[np.int16], scale: float) -> None:
    left, top, right, bottom = bounds(np.asarray((seen >= 254).all(axis=2)))
    across, down = (right - left) / CONTROL_STAGE[0], (bottom - top) / CONTROL_STAGE[1]
    blue = np.abs(seen - np.array(BLUE)).max(axis=2) < 60
    x, y, width, height = CONTROL
    for row in (y + 12, y + height - 12):  # clear of the reticle and its label
        drawn = np.nonzero(blue[round(top + row * down)])[0]
        for edge in (x, x + width):
            ideal = left + edge * across
            assert min(abs(drawn - ideal)) <= 1.5 * scale, (edge, ideal, drawn)
    for column in (x + 12, x + width - 12):
        drawn = np.nonzero(blue[:, round(left + column * across)])[0]
        for edge in (y, y + height):
            ideal = top + edge * down
            assert min(abs(drawn - ideal)) <= 1.5 * scale, (edge, ideal, drawn)
