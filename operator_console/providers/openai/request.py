"""The parameters of a request besides its items: model, tools, instruction and reasoning; and what differs between
OpenAI's models: the computer tool and the limits of pictures.

Sources: the computer use and vision pages of the OpenAI API documentation.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.proposals import Brief
from operator_console.domain.tools import ToolSpec
from operator_console.providers.openai.options import Environment, OpenAIOptions
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.own_tools import Vocabulary

_SCALE = "in pixels of the screenshot"
_ENDING = (
    "When the task is done, or cannot be done, call done with your closing text. A turn of text without a call ends "
    "the task, too. To ask the operator something, call ask_user."
)
_ZOOMING = (
    "The screenshots show this screen scaled down. Where a target is small or its text unclear, call zoom first; "
    "coordinates always refer to the screenshot of the whole screen."
)
_PLATFORMS = {"win32": Environment.WINDOWS, "darwin": Environment.MAC}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Parameters of `responses.create` without the items, and what they offer."""

    params: dict[str, Any]
    vocabulary: Vocabulary


def prepare(model: str, brief: Brief, options: OpenAIOptions, geometry: FrameGeometry, *, zoom: bool) -> Prepared:
    """The parameters for a frame. `zoom` is whether the function of that name is offered."""
    traits = traits_of(model)
    further = [own_tools.zoom(_SCALE, decimals=False)] if zoom else []
    functions = own_tools.offered(brief, _SCALE, further=further, excluded=options.excluded_functions)
    params: dict[str, Any] = {
        "model": model,
        "instructions": "\n\n".join(filter(None, (brief.instruction, _ZOOMING if zoom else "", _ENDING))),
        "tools": [_computer(traits.tool, brief, options, geometry), *map(_declaration, functions)],
        "max_output_tokens": options.max_output_tokens,
        "store": options.stored_by_service,
        # The turns can then be sent again, also if the service stores them: it forgets them after a time.
        "include": ["reasoning.encrypted_content"],
    }
    reasoning: dict[str, Any] = {"summary": traits.summary} if options.include_thoughts else {}
    if options.effort:
        reasoning["effort"] = options.effort.value
    if reasoning:
        params["reasoning"] = reasoning
    if traits.tool is ComputerTool.PREVIEW:
        params["truncation"] = "auto"  # which that tool requires
    return Prepared(
        params=params,
        vocabulary=Vocabulary.of(functions, brief, options.excluded_functions),
    )


def _computer(tool: ComputerTool, brief: Brief, options: OpenAIOptions, geometry: FrameGeometry) -> dict[str, Any]:
    if tool is ComputerTool.COMPUTER:
        return {"type": tool.value}
    environment = options.environment or _PLATFORMS.get(sys.platform, Environment.LINUX)
    if brief.browser:
        environment = Environment.BROWSER
    return {
        "type": tool.value,
        "display_width": geometry.sent.width,
        "display_height": geometry.sent.height,
        "environment": environment.value,
    }


def _declaration(tool: ToolSpec) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}, **json.loads(tool.parameters_json)}
    # Strict schemas must make every argument required and forbid others; those of the session do not.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": schema,
        "strict": False,
    }
