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
    numbers = [str(n) for n in (*size, *point)]
    env = {
        **desktop.env, **running_test_env(), "QT_SCALE_FACTOR": str(scale), "QT_QPA_PLATFORM": "xcb",
        "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    args = [sys.executable, "-m", "tests.display.ui.showing", "stage", *numbers]
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
    (seen,) = found
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
