"""The reticle's dot, measured on the screen's own pixels at 100, 150 and 200 %: within one pixel of its place."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.display.rig import Child, Desktop, wait_until
from tests.display.rig.server import running_test_env

ROOT = Path(__file__).resolve().parents[3]
BLUE = (0x2F, 0x6F, 0xD0)
PLACES = [((1440, 900), (311, 530)), ((1440, 900), (1434, 4)), ((333, 250), (0, 125)), ((640, 400), (77, 399))]


def pixels_of(desktop: Desktop, xid: int) -> NDArray[np.int16]:
    return np.asarray(desktop.grab(xid).convert("RGB")).astype(np.int16)


def shown(desktop: Desktop, tmp_path: Path, scale: float, *numbers: int) -> NDArray[np.int16]:
    """The pixels of a bare preview with one reticle, once it is drawn."""
    env = {
        **desktop.env, **running_test_env(), "QT_SCALE_FACTOR": str(scale), "QT_QPA_PLATFORM": "xcb",
        "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    args = [sys.executable, "-m", "tests.display.ui.showing", "stage", *map(str, numbers)]
    child = desktop.adopt(Child(args, env=env, log=tmp_path / "stage.log", cwd=tmp_path))
    window = desktop.wait_window(title="Bare stage", pid=child.pid, still=child.checked)
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
    ("scale", "size", "point"),
    [
        *((scale, *place) for scale in (1, 2) for place in PLACES),
        (1.5, *PLACES[1]),
    ],
)
def test_the_dot_is_within_a_pixel(
    desktop: Desktop, tmp_path: Path, scale: float, size: tuple[int, int], point: tuple[int, int]
) -> None:
    seen = shown(desktop, tmp_path, scale, *size, *point)
    # White is the picture, and the label's text, which lies inside it.
    left, top, right, bottom = bounds(np.asarray((seen >= 254).all(axis=2)))
    across, down = (right - left) / size[0], (bottom - top) / size[1]
    ideal_x, ideal_y = left + (point[0] + 0.5) * across, top + (point[1] + 0.5) * down
    reach = round(4 * scale)
    box = seen[
        max(0, round(ideal_y) - reach) : round(ideal_y) + reach, max(0, round(ideal_x) - reach) : round(ideal_x) + reach
    ]
    rows, columns = np.nonzero(np.abs(box - np.array(BLUE)).max(axis=2) < 60)
    assert len(rows), "no dot at its place"
    x = max(0, round(ideal_x) - reach) + float(columns.mean()) + 0.5
    y = max(0, round(ideal_y) - reach) + float(rows.mean()) + 0.5
    assert abs(x - ideal_x) <= 1.0
    assert abs(y - ideal_y) <= 1.0


@pytest.mark.parametrize("scale", [1, 1.5, 2])
def test_the_outline_of_the_control_is_on_its_edges(desktop: Desktop, tmp_path: Path, scale: float) -> None:
    size, control = (640, 400), (200, 120, 180, 90)
    seen = shown(desktop, tmp_path, scale, *size, 290, 165, *control)
    left, top, right, bottom = bounds(np.asarray((seen >= 254).all(axis=2)))
    across, down = (right - left) / size[0], (bottom - top) / size[1]
    blue = np.abs(seen - np.array(BLUE)).max(axis=2) < 60
    x, y, width, height = control
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
