"""The parameters of a request besides its messages: model, tools, instruction and thinking."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief
from operator_console.domain.tools import BASH, TEXT_EDITOR, ToolSpec
from operator_console.providers.anthropic.actions import COMPUTER, MEMBERS
from operator_console.providers.anthropic.model_traits import ComputerTool, ModelTraits, traits_of
from operator_console.providers.anthropic.options import AnthropicOptions
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.own_tools import Vocabulary

CACHE_POINTS = 4
"""In a request: one after tools and instruction, the others in the messages."""

_SCALE = "in pixels of the screenshot"
_BASH_TYPE = "bash_20250124"
_EDITOR_TYPE = "text_editor_20250728"
_BINDING_BETA = "thinking-binding-controls-2026-08-01"
_ENDING = (
    "When the task is done, or cannot be done, call done with your closing text. A turn of text without a call ends "
    "the task, too. To ask the operator something, call ask_user."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Parameters of `messages.create` without the messages, the beta features they need, and what they offer."""

    params: dict[str, Any]
    betas: tuple[str, ...]
    vocabulary: Vocabulary


def prepare(model: str, brief: Brief, options: AnthropicOptions, geometry: FrameGeometry) -> Prepared:
    """The parameters for a frame. Raises OperatorError if a function of the session cannot be offered."""
    traits = traits_of(model)
    functions = _functions(brief, options, traits.tool)
    predefined = {tool.name: kind for tool in functions if (kind := _predefined(tool, traits))}
    # A predefined tool has no description of its own.
    notes = [f"The tool {tool.name}: {tool.description}" for tool in functions if tool.name in predefined]
    instruction = "\n\n".join(filter(None, (brief.instruction, *notes, _ENDING)))
    params: dict[str, Any] = {
        "model": model,
        "max_tokens": options.max_output_tokens,
        "system": [{"type": "text", "text": instruction, "cache_control": {"type": "ephemeral"}}],
        "tools": [
            _computer(traits.tool, options, geometry),
            *(
                {"type": predefined[tool.name], "name": tool.name} if tool.name in predefined else _declaration(tool)
                for tool in functions
            ),
        ],
    }
    betas = [traits.tool.beta] if traits.tool.beta else []
    if traits.adaptive_thinking:
        params["thinking"] = _adaptive(options, always=traits.always_thinks)
        if traits.bound_thinking:
            params["thinking"]["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
            betas.append(_BINDING_BETA)
    elif options.thinking:
        budget = min(options.thinking_budget_tokens, options.max_output_tokens // 2)
        params["thinking"] = {"type": "enabled", "budget_tokens": budget}
    if options.effort and traits.has_effort:
        params["output_config"] = {"effort": options.effort.value}
    return Prepared(
        params=params,
        betas=tuple(betas),
        vocabulary=Vocabulary.of(
            functions, brief, {*options.excluded_functions, *(() if traits.tool.has_zoom else (own_tools.ZOOM,))}
        ),
    )


def _adaptive(options: AnthropicOptions, *, always: bool) -> dict[str, Any]:
    if options.thinking:
        return {"type": "adaptive", "display": "summarized"}
    return {"type": "adaptive", "display": "omitted"} if always else {"type": "disabled"}


def _computer(tool: ComputerTool, options: AnthropicOptions, geometry: FrameGeometry) -> dict[str, Any]:
    if tool is ComputerTool.TOOLSET_20260801:
        withheld = {name: {"enabled": False} for name in sorted(MEMBERS) if name in options.excluded_functions}
        return {"type": tool.value, **({"configs": withheld} if withheld else {})}
    made: dict[str, Any] = {
        "type": tool.value,
        "name": COMPUTER,
        "display_width_px": geometry.sent.width,
        "display_height_px": geometry.sent.height,
    }
    if tool.has_zoom:
        made["enable_zoom"] = own_tools.ZOOM not in options.excluded_functions
    return made


def _functions(brief: Brief, options: AnthropicOptions, tool: ComputerTool) -> list[ToolSpec]:
    """The console's functions and those of the session, which replace the console's of the same name."""
    if COMPUTER in {*options.excluded_functions, *(each.name for each in brief.tools)}:
        raise OperatorError(
            notice(NoticeCode.FUNCTION_NAME_RESERVED, name=COMPUTER, service="Claude"),
            remedy=notice(NoticeCode.RENAME_FUNCTION),
        )
    zoom = [] if tool.has_zoom else [own_tools.zoom(_SCALE, decimals=False)]
    return own_tools.offered(brief, _SCALE, further=zoom, excluded=options.excluded_functions)


def _predefined(tool: ToolSpec, traits: ModelTraits) -> str:
    """The type of the predefined tool that a sandboxed one is declared as; "" for a function."""
    if not tool.sandboxed:
        return ""
    if tool.name == BASH:
        return _BASH_TYPE
    return _EDITOR_TYPE if tool.name == TEXT_EDITOR and traits.newest_editor else ""


def _declaration(tool: ToolSpec) -> dict[str, Any]:
    schema = json.loads(tool.parameters_json)
    return {"name": tool.name, "description": tool.description, "input_schema": {"type": "object", **schema}}
