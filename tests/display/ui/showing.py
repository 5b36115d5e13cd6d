"""A window with a backend of the tests behind it, as a process: ``python -m tests.display.ui.showing SCENE``.

SCENE is a state of the gallery, or ``stage WIDTH HEIGHT X Y [CONTROL]``: a bare preview of a white picture with one
reticle, and the outline of a control (x, y, width, height); or ``noise WIDTH
HEIGHT``: the preview of a picture that has no two rows alike, somewhere in a window. Stays until closed.
"""

from __future__ import annotations

import asyncio
import sys

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import RiskClass
from operator_console.ui.stage.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.stage.stage import Stage
from tests.display.ui.scene import frame_of


def main() -> None:
    """Show it."""
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(True)
    if sys.argv[1] == "stage":
        width, height, x, y = map(int, sys.argv[2:6])
        control = Rect(*map(int, sys.argv[6:10])) if len(sys.argv) > 6 else None
        stage = _stage(width, height, NativePoint(x, y), control)
        stage.show()
        app.exec()
        return
    if sys.argv[1] == "noise":
        window = _noise(*map(int, sys.argv[2:4]))
        window.show()
        app.exec()
        return
    from qasync import QEventLoop

    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        runner.run(_scene(app, sys.argv[1]))


def _stage(width: int, height: int, point: NativePoint, control: Rect | None) -> Stage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    stage = Stage()
    stage.setWindowTitle("Bare stage")
    stage.resize(560, 340)
    stage.show_frame(frame_of(image))
    mark = Mark(
        key="k", number=1, shape=MarkShape.POINT, stage=MarkStage.NEXT, label="click", points=(point,),
        risk=RiskClass.C1, controls=(control,) if control is not None else (),
    )  # fmt: skip
    stage.show_marks((mark,))
    return stage


def noise(width: int, height: int) -> NDArray[np.uint8]:
    """Rows of blue, green, red, nothing: the same in every process."""
    pixels = np.random.default_rng(7).integers(0, 256, (height, width, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    return pixels


def _noise(width: int, height: int) -> QWidget:
    window = QWidget()
    window.setWindowTitle("Noise")
    layout = QVBoxLayout(window)
    layout.setContentsMargins(7, 13, 9, 5)  # at 150 % no whole number of device pixels
    stage = Stage()
    layout.addWidget(stage)
    window.resize(461, 343)
    pixels = noise(width, height)
    image = QImage(pixels.tobytes(), width, height, width * 4, QImage.Format.Format_RGB32).copy()
    stage.show_frame(frame_of(image))
    return window


async def _scene(app: QApplication, name: str) -> None:
    # A bare preview needs none of these, and starts in half the time.
    from operator_console.ui.console import Console
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery import until
    from tests.display.ui.gallery_scenes import SCENES

    backend = FakeBackend()
    console = Console(app, backend)
    life = asyncio.ensure_future(console.run())
    await until(console.window.isVisible, "the window")
    await SCENES[name](console, backend)
    await life


if __name__ == "__main__":
    main()
