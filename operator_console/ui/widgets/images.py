"""Frames and stored pictures as QImages."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QSize

    from operator_console.domain.frames import Frame
    from operator_console.domain.geometry import NativePoint


Cropper: TypeAlias = "Callable[[NativePoint, QSize], QImage | None]"
"""Returns the native pixels around a point of the picture that the model was shown."""


def image_of(frame: Frame) -> QImage:
    """The frame's pixels as an image over the same buffer: keep the frame as long as the image."""
    native = frame.geometry.native
    return QImage(frame.pixels, native.width, native.height, native.width * 4, QImage.Format.Format_RGB32)


def decode_picture(data: bytes, within: QSize | None = None) -> QImage | None:
    """The picture, scaled down to fit `within` if it is larger; None if it cannot be decoded. From any thread.

    Off the event loop: a picture of a whole screen takes 20 to 200 ms. `QImage.fromData` would hold the
    interpreter lock.
    """
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt  # Qt is dear, and not needed for a start
    from PySide6.QtGui import QImageReader

    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    size = reader.size()
    if within is not None and (size.width() > within.width() or size.height() > within.height()):
        reader.setScaledSize(size.scaled(within, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1)))
    image = reader.read()
    return None if image.isNull() else image
