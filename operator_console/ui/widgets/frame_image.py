"""Wraps a frame's pixels in a QImage without copying them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from operator_console.domain.frames import Frame


def image_of(frame: Frame) -> QImage:
    """The frame's pixels as an image over the same buffer: keep the frame as long as the image."""
    native = frame.geometry.native
    return QImage(frame.pixels, native.width, native.height, native.width * 4, QImage.Format.Format_RGB32)
