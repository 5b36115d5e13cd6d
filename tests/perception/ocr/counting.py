"""An OCR engine that counts, and pictures that it can read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from operator_console.domain.geometry import Rect
from operator_console.perception.text_lines import Pixels

PAPER = 200


@dataclass
class CountingEngine:
    """Finds striped blocks of 40 x 12 pixels and reads each as the number in the colour of its first pixel."""

    detected_pixels: int = 0
    recognised: int = 0
    confidence: float = 0.99

    def detect(self, image: Pixels) -> list[Rect]:
        self.detected_pixels += image.shape[0] * image.shape[1]
        found = []
        for y, x in np.argwhere(image[..., 2] == 1).tolist():
            found.append(Rect(x - 4, y - 6, 48, 24).intersect(Rect(0, 0, image.shape[1], image.shape[0])))
        return found

    def recognise(self, crop: Pixels) -> tuple[str, float]:
        self.recognised += 1
        return f"t{int(crop[crop[..., 2] == 1][0][0])}", self.confidence


def screen(blocks: dict[tuple[int, int], int], width: int = 640, height: int = 700) -> Pixels:
    """A plain picture with blocks; each value is the number of a block."""
    image = np.full((height, width, 4), PAPER, dtype=np.uint8)
    for (x, y), name in blocks.items():
        for stripe in range(x, x + 40, 5):
            image[y : y + 12, stripe : stripe + 3, :3] = 0
        image[y, x, :3] = (name, 0, 1)
    return image
