"""A thing too small for the whole numbers of the grid, on a screen that is sent smaller: seen by zoom, and hit."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.display.acceptance.harness import final, start_run, turn
from tests.display.rig import Desktop, start_xvfb
from tests.display.rig.sheet import Sheet
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Seen, Turn

WIDTH, HEIGHT = 2560, 1600
SPOT = (1283, 803, 2, 2)  # 501 names column 1282, 502 column 1285
PART = (500, 500, 505, 505)


def red_in(png: bytes) -> tuple[float, float]:
    """The middle of what is red, as shares of the picture."""
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    rows, columns = np.nonzero((pixels[..., 0] > 180) & (pixels[..., 2] < 60))
    return (columns.mean() + 0.5) / pixels.shape[1], (rows.mean() + 0.5) / pixels.shape[0]


@pytest.mark.full
def test_what_the_grid_is_too_coarse_for_is_hit_after_a_zoom(tmp_path: Path) -> None:
    """In each run: tests/providers/gemini/test_zoom.py."""
    sizes: list[tuple[int, int]] = []

    def look(seen: Seen) -> dict[str, Any]:
        sizes.append(Image.open(io.BytesIO(seen.png)).size)
        left, top, right, bottom = PART
        return turn(("zoom", {"left": left, "top": top, "right": right, "bottom": bottom}))

    def click(seen: Seen) -> dict[str, Any]:
        sizes.append(Image.open(io.BytesIO(seen.png)).size)
        across, down = red_in(seen.png)
        # The part is made of whole pixels: from the one that holds its first number to the one that holds its last.
        left, top = PART[0] * WIDTH // 1000, PART[1] * HEIGHT // 1000
        width, height = PART[2] * WIDTH // 1000 - left + 1, PART[3] * HEIGHT // 1000 - top + 1
        x, y = left + across * width, top + down * height
        return turn(("click", {"x": round(x * 1000 / WIDTH, 1), "y": round(y * 1000 / HEIGHT, 1)}))

    server = start_xvfb(tmp_path, size=(WIDTH, HEIGHT))
    try:
        desktop = Desktop.start(server, tmp_path)
        try:
            _play(desktop, tmp_path, [look, click, final()])
        finally:
            desktop.close()
    finally:
        server.stop()
    assert sizes[0] == (1440, 900)
    assert sizes[1][0] >= 20 * (PART[2] - PART[0])


def _play(desktop: Desktop, folder: Path, turns: list[Turn]) -> None:
    with (
        Sheet(desktop, (0, 0, WIDTH, HEIGHT)) as sheet,
        Sheet(desktop, SPOT, colour="dc0a14", title="spot") as spot,
        GeminiServerThread(turns, api_key="test-key") as model,
    ):
        console = start_run(desktop, folder, model.url, "--target", "monitor:1")
        assert console.wait() == 0, console.report()
        assert model.violations == []
        declared = [one["name"] for one in model.received[0].body["tools"][1]["functionDeclarations"]]
        assert "zoom" in declared
        answer = model.received[1].body["contents"][-1]["parts"][0]["functionResponse"]
        assert len(answer["parts"]) == 2
        assert len(spot.wait(1)) == 1
        assert sheet.hits() == []
