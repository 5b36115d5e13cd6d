"""The target's picture in the set-up column."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QSizePolicy

WIDTH, HEIGHT = 238, 96


class Thumbnail(QFrame):
    """The target's picture, whole, on the stage's ground."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "picture")
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._picture: QPixmap | None = None

    def show_image(self, image: QImage | None) -> None:
        """Another picture."""
        self._picture = None
        if image is not None and not image.isNull():
            from PySide6.QtCore import Qt  # dear: see parts

            ratio = self.devicePixelRatioF()
            size = QSize(round(WIDTH * ratio), round((HEIGHT - 2) * ratio))
            smooth = Qt.TransformationMode.SmoothTransformation
            self._picture = QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, smooth))
            self._picture.setDevicePixelRatio(ratio)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ground and picture."""
        super().paintEvent(event)
        if self._picture is None:
            return
        painter = QPainter(self)
        size = self._picture.deviceIndependentSize()
        painter.drawPixmap(
            round((self.width() - size.width()) / 2), round((self.height() - size.height()) / 2), self._picture
        )
        painter.end()
