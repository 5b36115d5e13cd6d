"""Decodes a stored picture, off the event loop: `QImage.fromData` holds the interpreter lock, `QImageReader` does not.

A picture of a whole screen takes 20 to 200 ms, in which the window would stand still.
"""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader


def decode_picture(data: bytes, within: QSize | None = None) -> QImage | None:
    """The picture, scaled down to fit `within` if it is larger; None if it cannot be decoded. From any thread."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    size = reader.size()
    if within is not None and (size.width() > within.width() or size.height() > within.height()):
        reader.setScaledSize(size.scaled(within, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1)))
    image = reader.read()
    return None if image.isNull() else image
