"""A field for passwords that appears with a click is black in the very next request, through the whole console."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.display.acceptance.harness import final, grid, start_run, turn
from tests.display.rig import AccessibleDesktop, launch_chromium
from tests.servers.gemini_server import GeminiServer
from tests.servers.scripted_server import Seen, ServerThread

COLOUR = (255, 0, 255)
BUTTON, FIELD = (20, 20, 200, 40), (300, 100, 300, 60)
SHOWN = 3
PAGE = f"""<!doctype html><meta charset="utf-8"><title>fields</title><style>body{{margin:0}}
button{{position:absolute;left:{BUTTON[0]}px;top:{BUTTON[1]}px;width:{BUTTON[2]}px;height:{BUTTON[3]}px}}
input{{position:absolute;left:{FIELD[0]}px;width:{FIELD[2]}px;height:{FIELD[3]}px;border:0;
background:rgb{COLOUR}}} p{{margin:700px 0 0}} p+p{{margin:0}}</style>
<button>Show figures</button><div></div><section></section><script>
let n = 0;
const lines = PARAGRAPHS;
document.querySelector('button').onclick = () => {{
  n++;
  const made = Array.from({{length: lines}}, (_, i) => `<p>${{n}} ${{i}}</p>`);
  document.querySelector('section').innerHTML = made.join('');
  document.querySelector('div').innerHTML = n % 2
    ? '<input type="password" value="abcdef" style="top:' + ({FIELD[1]} + n * 20) + 'px">'
    : '<b style="position:absolute;left:300px;top:300px">without ' + n + '</b>';
}};</script>"""


class Model:
    """Presses the button until it has seen enough of both. Notes of each picture how much has the field's colour, and
    whether as much is black as the field has pixels."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self.coloured: list[int] = []
        self.black: list[bool] = []

    def __call__(self, seen: Seen) -> Mapping[str, Any]:
        with Image.open(io.BytesIO(seen.png)) as picture:
            pixels = np.asarray(picture.convert("RGB")).astype(int)
        self.coloured.append(int((abs(pixels - np.array(COLOUR)).sum(axis=2) < 60).sum()))
        self.black.append(int((pixels.sum(axis=2) == 0).sum()) >= FIELD[2] * FIELD[3] * 0.9)
        if min(self.black.count(True), self.black.count(False)) >= SHOWN:
            return final()
        middle = (BUTTON[0] + BUTTON[2] // 2, BUTTON[1] + BUTTON[3] // 2)
        return turn(("click", grid(middle, self._size)))


@pytest.mark.timeout(240)
@pytest.mark.parametrize("paragraphs", [600, pytest.param(0, marks=pytest.mark.full)])
def test_it_is_never_shown_and_what_comes_instead_is(
    accessible_desktop: AccessibleDesktop, tmp_path: Path, paragraphs: int
) -> None:
    """Of a page with many paragraphs Chromium tells the field late."""
    place = accessible_desktop
    page = tmp_path / "fields.html"
    page.write_text(PAGE.replace("PARAGRAPHS", str(paragraphs)), encoding="utf-8")
    model = Model(place.desktop.server.size)
    with ServerThread(lambda: GeminiServer([model] * 40, api_key="test-key")) as server:
        launch_chromium(place.desktop, page.as_uri(), "--kiosk", "--test-type", env=place.env)
        place.desktop.wait_window(title="fields", wm_class="chromium")
        console = start_run(place.desktop, tmp_path, server.url, "--target", "monitor:1", **place.env)
        assert console.wait(200.0) == 0, console.report()
    assert max(model.coloured) == 0, model.coloured
