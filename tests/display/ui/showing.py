"""Windows with a backend of the tests behind them, as a process: ``python -m tests.display.ui.showing``.

Each line of standard input names what to show next, in the place of what was shown before: a state of the gallery;
``stage WIDTH HEIGHT X Y [CONTROL]``, a bare preview of a white picture with one reticle, and the outline of a control
(x, y, width, height); or ``noise WIDTH HEIGHT``, the preview of a picture that has no two rows alike, somewhere in a
window. Ends with its input.
"""

from __future__ import annotations

import asyncio
import sys
import threading

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import RiskClass
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.preview.preview import Preview
from tests.display.ui.scene import frame_of


class _Lines(QObject):
    """The lines of standard input, read by a thread of their own; None at the end."""

    read = Signal(object)

    def start(self) -> None:
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        for line in sys.stdin:
            self.read.emit(line.split())
        self.read.emit(None)


def main() -> None:
    """Show one after another."""
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    lines = _Lines()
    words = sys.stdin.readline().split()
    if words[0] in ("stage", "noise"):
        shown: list[QWidget] = []

        def show(words: list[str] | None) -> None:
            while shown:
                shown.pop().close()
            if words is None:
                app.quit()
                return
            shown.append(_stage(*map(int, words[1:])) if words[0] == "stage" else _noise(*map(int, words[1:])))
            shown[0].show()

        show(words)
        lines.read.connect(show)
        lines.start()
        app.exec()
        return
    from qasync import QEventLoop

    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        runner.run(_scenes(app, words[0], lines))


def _stage(width: int, height: int, x: int, y: int, *control: int) -> Preview:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    stage = Preview()
    stage.set_loupe(False)  # its white frame would be taken for the picture's edge
    stage.setWindowTitle("Bare stage")
    stage.resize(560, 340)
    stage.show_frame(frame_of(image))
    mark = Mark(
        key="k", number=1, shape=MarkShape.POINT, stage=MarkStage.NEXT, label="click", points=(NativePoint(x, y),),
        risk=RiskClass.C1, controls=(Rect(*control),) if control else (),
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
    stage = Preview()
    layout.addWidget(stage)
    window.resize(461, 343)
    pixels = noise(width, height)
    image = QImage(pixels.tobytes(), width, height, width * 4, QImage.Format.Format_RGB32).copy()
    stage.show_frame(frame_of(image))
    return window


async def _scenes(app: QApplication, name: str, lines: _Lines) -> None:
    # A bare preview needs none of these, and starts in half the time.
    from operator_console.ui.console import Console
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery import until
    from tests.display.ui.gallery_scenes import SCENES

    told: asyncio.Queue[list[str] | None] = asyncio.Queue()
    lines.read.connect(told.put_nowait)
    lines.start()
    words: list[str] | None = [name]
    while words is not None:
        backend = FakeBackend()
        console = Console(app, backend)
        life = asyncio.ensure_future(console.run())
        await until(console.window.isVisible, "the window")
        await SCENES[words[0]](console, backend)
        words = await told.get()
        if backend.handle is not None:
            backend.handle.over.set()
        console.close()
        await life


if __name__ == "__main__":
    main()
