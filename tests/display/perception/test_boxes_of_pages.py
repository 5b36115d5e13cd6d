"""Boxes in pages as Chromium paints them, against what the page itself says (getBoundingClientRect)."""

from __future__ import annotations

import html
import json
import random
import re
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
from PIL import Image

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.perception.boxes import box_around
from tests.display.rig.apps import CHROMIUM_FLAGS
from tests.perception.drawing import frame

PAGE = Path(__file__).with_name("boxes_page.html")
POINTS = 4
NEAR_PX = 2.5


def shown(folder: Path, theme: str) -> tuple[Frame, list[tuple[float, float, float, float]]]:
    """The page as painted, and its boxes."""
    address = f"{PAGE.as_uri()}#{theme}"
    profile = mkdtemp(prefix="chromium-profile-", dir=folder)
    size = ["--headless", "--hide-scrollbars", "--window-size=1280,1300", f"--user-data-dir={profile}"]
    command = ["chromium", *CHROMIUM_FLAGS, *size]
    picture = folder / f"{theme}.png"
    subprocess.run([*command, f"--screenshot={picture}", address], check=True, capture_output=True, timeout=120)
    dom = subprocess.run([*command, "--dump-dom", address], check=True, capture_output=True, text=True, timeout=120)
    told = re.search(r'id="told"[^>]*>(.*?)</pre>', dom.stdout, re.DOTALL)
    assert told is not None
    with Image.open(picture) as image:
        return frame(image.convert("RGB")), [tuple(box) for box in json.loads(html.unescape(told[1]))]


def near(box: Rect, told: tuple[float, float, float, float]) -> bool:
    x, y, width, height = told
    sides = (box.x - x, box.y - y, box.right - x - width, box.bottom - y - height)
    return max(map(abs, sides)) <= NEAR_PX


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_boxes_of_a_page_are_found_and_its_background_has_none(tmp_path: Path, theme: str) -> None:
    seen, boxes = shown(tmp_path, theme)
    assert len(boxes) > 50
    chosen = random.Random(7)
    right = wrong = missed = 0
    for x, y, width, height in boxes:
        for _ in range(POINTS):
            at = NativePoint(int(x + 3 + chosen.random() * (width - 6)), int(y + 3 + chosen.random() * (height - 6)))
            found = box_around(seen, at)
            right += found is not None and near(found, (x, y, width, height))
            wrong += found is not None and not near(found, (x, y, width, height))
            missed += found is None
    native = seen.geometry.native
    outside = [
        NativePoint(chosen.randrange(native.width), chosen.randrange(native.height)) for _ in range(300)
    ]  # fmt: skip
    outside = [
        at for at in outside
        if not any(x - 4 <= at.x <= x + w + 4 and y - 4 <= at.y <= y + h + 4 for x, y, w, h in boxes)
    ]  # fmt: skip
    false = sum(box_around(seen, at) is not None for at in outside)
    told = f"{right} right, {wrong} wrong, {missed} missed; {false} false of {len(outside)}"
    assert right >= 0.95 * (right + wrong + missed), told
    assert wrong + false <= 0.03 * (right + wrong + false), told
