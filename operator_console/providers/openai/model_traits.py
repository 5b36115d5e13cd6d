"""What differs between OpenAI's models: the computer tool and the limits of pictures.

Sources: the computer use and vision pages of the OpenAI API documentation.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.frames import ImageNeeds


class ComputerTool(StrEnum):
    """A version of the computer tool, as its `type` in a request."""

    COMPUTER = "computer"
    PREVIEW = "computer_use_preview"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraits:
    """What a model supports.

    Attributes:
        tool: The computer tool.
        image_needs: Limits for the pictures it is sent.
        detail: The detail at which it is to look at pictures. Coordinates refer to the picture as it was sent only at
            the original detail; else the service scales it, and the preview tool scales coordinates back.
        summary: The kind of summary of its reasoning that it can give.
    """

    tool: ComputerTool
    image_needs: ImageNeeds
    detail: str
    summary: str


# The service takes pictures of up to 6,000 pixels a side at the original detail. A larger one than this only costs
# more: zoom shows what is too small in it.
_GENERAL = ModelTraits(
    tool=ComputerTool.COMPUTER,
    image_needs=ImageNeeds(long_edge=2560, max_bytes=1_500_000),
    detail="original",
    summary="auto",
)
_PREVIEW = ModelTraits(
    tool=ComputerTool.PREVIEW,
    image_needs=ImageNeeds(long_edge=1280, pixels=1280 * 800, max_bytes=1_500_000),
    detail="high",
    summary="concise",
)


def traits_of(model: str) -> ModelTraits:
    """The traits of a model; those of the current models for an unknown name."""
    return _PREVIEW if "computer-use-preview" in model.lower() else _GENERAL
