"""What differs between Claude models: the computer tool, the limits of pictures and how they think.

Sources: the computer use, vision and thinking pages of the Claude API documentation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.frames import ImageNeeds

MOST_PICTURES = 20
"""Pictures in a request; with more of them the service allows only 2,000 pixels a side."""

# The service takes 32 MB a request: 20 pictures of this size fit, a third larger in base64.
_MAX_PICTURE_BYTES = 1_000_000
_PATCH = 28
_LARGE = ImageNeeds(long_edge=2576, patch_edge=_PATCH, patches=4784, max_bytes=_MAX_PICTURE_BYTES)
# Larger pictures would be scaled down by the service, and points would refer to a picture that nobody has.
_SMALL = ImageNeeds(long_edge=1568, pixels=1_150_000, patch_edge=_PATCH, patches=1568, max_bytes=_MAX_PICTURE_BYTES)

_MODEL = re.compile(r"claude-(?P<line>[a-z]+)-(?P<major>\d{1,2})(?:-(?P<minor>\d{1,2}))?(?!\d)")
_NEWEST = (99, 0)


class ComputerTool(StrEnum):
    """A version of the computer tool, as its `type` in a request."""

    TOOLSET_20260801 = "computer_toolset_20260801"
    DATED_20251124 = "computer_20251124"
    DATED_20250124 = "computer_20250124"

    @property
    def beta(self) -> str:
        """The value of the header anthropic-beta that it needs, or ""."""
        return "" if self is ComputerTool.TOOLSET_20260801 else f"computer-use-{_date(self)}"

    @property
    def has_zoom(self) -> bool:
        """Whether it has a zoom action of its own."""
        return self is not ComputerTool.DATED_20250124


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraits:
    """What a model supports.

    Attributes:
        tool: The newest computer tool.
        image_needs: Limits for the pictures it is sent.
        adaptive_thinking: It decides itself how much to think; else thinking has a budget of tokens.
        has_effort: The effort can be chosen.
        always_thinks: Thinking cannot be switched off.
        bound_thinking: Its thinking is valid only after the same earlier messages, so that leaving out pictures makes
            it invalid. Such blocks must be dropped by the service.
        newest_editor: It knows the predefined text editor of the name and commands that ours has.
    """

    tool: ComputerTool
    image_needs: ImageNeeds
    adaptive_thinking: bool
    has_effort: bool
    always_thinks: bool
    bound_thinking: bool
    newest_editor: bool


def traits_of(model: str) -> ModelTraits:
    """The traits of a model; those of the newest models for an unknown name."""
    found = _MODEL.search(model.lower())
    line = found["line"] if found else ""
    version = (int(found["major"]), int(found["minor"] or 0)) if found else _NEWEST
    if re.search(r"claude-\d", model.lower()):  # claude-3-7-sonnet: the version came first
        line, version = "sonnet", (3, 0)
    first_bound = (5, 1) if line in {"fable", "mythos"} else (5, 5)
    tool = _tool(line, version)
    return ModelTraits(
        tool=tool,
        image_needs=_LARGE if tool is ComputerTool.TOOLSET_20260801 or version >= (4, 7) else _SMALL,
        adaptive_thinking=version >= (4, 6),
        has_effort=version >= (4, 6) or (line, version) == ("opus", (4, 5)),
        always_thinks=version >= first_bound,
        bound_thinking=version >= first_bound,
        newest_editor=version >= (4, 0),
    )


def _tool(line: str, version: tuple[int, int]) -> ComputerTool:
    if version >= (5, 0) or (line == "opus" and version >= (4, 8)):
        return ComputerTool.TOOLSET_20260801
    if version >= (4, 6) or (line == "opus" and version >= (4, 5)):
        return ComputerTool.DATED_20251124
    return ComputerTool.DATED_20250124


def _date(tool: ComputerTool) -> str:
    digits = tool.value.rpartition("_")[2]
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
