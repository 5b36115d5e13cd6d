"""The picture for the model: time and size beside Pillow's default, on a desktop and on something like a photograph."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from operator_console.computers.frame_building import make_frame
from operator_console.computers.model_image import encode, png
from operator_console.computers.targets import open_capture, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.frames import ImageNeeds, MonitorTarget
from operator_console.domain.geometry import ScreenPoint, Size
from tests.benchmarks.figures import Options, Row, in_turn
from tests.benchmarks.stage import furnish, stage

_TIME_BAR, _SIZE_BAR, _MOST_BYTES = 0.25, 1.05, 500_000
_SIZES = ((1440, 900), (1920, 1080))

_Pixels = npt.NDArray[np.uint8]


def measure(options: Options) -> list[Row]:
    """Real desktops of two sizes, and a photograph of the larger."""
    rows: list[Row] = []
    for size in _SIZES:
        rows += _compared(options, f"a desktop, {size[0]} x {size[1]}", _desktop(size), barred=True)
    return rows + _compared(options, "a photograph, 1920 x 1080", _photograph(*_SIZES[-1]), barred=False)


def _desktop(size: tuple[int, int]) -> _Pixels:
    with stage(size) as here:
        furnish(here.desktop)
        own = OwnWindows()
        capture = open_capture(resolve("monitor:1", own, here.desktop.name), own)
        try:
            return np.frombuffer(bytes(capture.grab().pixels), dtype=np.uint8).reshape(size[1], size[0], 4)
        finally:
            capture.close()


def _photograph(width: int, height: int) -> _Pixels:
    """Soft shapes of several sizes with the grain of a sensor: what no run of equal pixels occurs in."""
    source = np.random.default_rng(7)
    total = np.zeros((height, width, 3))
    for cells in (4, 12, 40, 120):
        rough = source.uniform(0, 255, size=(cells, cells, 3)).astype(np.uint8)
        soft = Image.fromarray(rough).resize((width, height), Image.Resampling.BICUBIC)
        total += np.asarray(soft, dtype=float) / cells**0.5
    total = 20 + 215 * (total - total.min()) / (total.max() - total.min())
    grain = source.normal(0, 2.0, size=(height, width, 1))
    pixels = np.zeros((height, width, 4), dtype=np.uint8)
    pixels[..., :3] = np.clip(total + grain, 0, 255).astype(np.uint8)
    return pixels


def _pillow(pixels: _Pixels) -> bytes:
    size = (pixels.shape[1], pixels.shape[0])
    out = io.BytesIO()
    Image.frombuffer("RGB", size, pixels.tobytes(), "raw", "BGRX", 0, 1).save(out, "PNG")
    return out.getvalue()


def _compared(options: Options, what: str, pixels: _Pixels, *, barred: bool) -> list[Row]:
    took = in_turn(
        {"ours": lambda: png(pixels), "pillow": lambda: _pillow(pixels)}, options.times(25 if barred else 7, 3), warm=1
    )
    ours, theirs = took["ours"], took["pillow"]
    time_ratio, size_ratio = ours.median / theirs.median, len(png(pixels)) / len(_pillow(pixels))
    rows = [
        Row(
            what=f"PNG of {what}: time", n=ours.n, seen=ours.said(), beside=f"Pillow's default {theirs.median:.1f} ms",
            ratio=f"{time_ratio:.2f}x", bar=f"<= {_TIME_BAR}x" if barred else "",
            met=time_ratio <= _TIME_BAR if barred else None,
        ),
        Row(
            what=f"PNG of {what}: size", n=1, seen=f"{len(png(pixels)) / 1000:.0f} kB",
            beside=f"Pillow's default {len(_pillow(pixels)) / 1000:.0f} kB", ratio=f"{size_ratio:.2f}x",
            bar=f"<= {_SIZE_BAR}x" if barred else "", met=size_ratio <= _SIZE_BAR if barred else None,
        ),
    ]  # fmt: skip
    return [*rows, _sent(what, pixels)]


def _sent(what: str, pixels: _Pixels) -> Row:
    """What goes to the model by default: under 500 kB, or it says what was given up."""
    size = Size(pixels.shape[1], pixels.shape[0])
    target = MonitorTarget(spec="monitor:1", title="Monitor 1")
    frame = make_frame(
        pixels=pixels.tobytes(), native=size, origin=ScreenPoint(0, 0), target=target, needs=ImageNeeds()
    )
    picture = encode(frame, ImageNeeds())
    return Row(
        what=f"sent to the model of {what}", n=1, seen=f"{len(picture.data) / 1000:.0f} kB, {picture.note or 'as is'}",
        bar="<= 500 kB, or announced", met=len(picture.data) <= _MOST_BYTES or bool(picture.note),
    )  # fmt: skip
