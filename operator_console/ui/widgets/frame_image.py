"""A frame's pixels as a QImage, without copying them, and parts of the picture that the model was shown."""

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
