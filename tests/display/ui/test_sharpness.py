"""The preview on the screen's own pixels at 100, 150 and 200 %: what fits is shown pixel by pixel, never blurred."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.display.rig import Desktop, wait_until
from tests.display.ui.showing import noise
from tests.display.ui.shown import Shown

SIZE = (401, 283)


def place_of(part: NDArray[np.uint8], whole: NDArray[np.uint8]) -> tuple[int, int] | None:
    """Where a picture stands, exactly, in another; None: nowhere."""
    height, width = part.shape[:2]
    same = (whole[: whole.shape[0] - height + 1, : whole.shape[1] - width + 1] == part[0, 0]).all(axis=2)
    for y, x in zip(*np.nonzero(same), strict=True):
        if (whole[y : y + height, x : x + width] == part).all():
            return int(x), int(y)
    return None


@pytest.mark.parametrize(
    "scale", ["1.5", *(pytest.param(each, marks=pytest.mark.full) for each in ("1", "1.25", "1.75", "2"))]
)
def test_what_fits_is_shown_pixel_by_pixel(desktop: Desktop, tmp_path: Path, scale: str) -> None:
    noisy = Shown(desktop, tmp_path, {**desktop.env, "QT_SCALE_FACTOR": scale})
    window = noisy.show("noise", *SIZE)
    desktop.move_window(window.xid, 0, 0)
    times = 2 if scale == "2" else 1  # where there is room for it
    wanted = noise(*SIZE)[..., 2::-1].repeat(times, axis=0).repeat(times, axis=1)

    def shown() -> tuple[int, int] | None:
        return place_of(wanted, np.asarray(desktop.grab(window.xid).convert("RGB")))

    wait_until(shown, f"the very pixels at {scale}", timeout_s=10)
