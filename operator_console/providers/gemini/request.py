"""The configuration of all requests of a session: tools, instruction and thinking. Imports the SDK."""

from __future__ import annotations

import json

from google.genai import types

from operator_console.domain.proposals import Brief
from operator_console.domain.tools import ToolSpec
from operator_console.providers.gemini.actions import PREDEFINED
from operator_console.providers.gemini.client import preload_sdk
from operator_console.providers.gemini.options import GeminiEnvironment, GeminiOptions, is_legacy
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.own_tools import ZOOM_INSTRUCTION

_SCALE = "0-999 of the whole screen"


def request_config(
    model: str, brief: Brief, options: GeminiOptions, *, zoom: bool = False
) -> types.GenerateContentConfig:
    """The configuration for a model. `zoom` is whether the function of that name is offered."""
    thinking = types.ThinkingConfig(include_thoughts=options.include_thoughts)
    if options.thinking_level and not is_legacy(model):
        thinking.thinking_level = types.ThinkingLevel(options.thinking_level)
    return types.GenerateContentConfig(
        system_instruction="\n\n".join(filter(None, (brief.instruction, ZOOM_INSTRUCTION if zoom else ""))) or None,
        tools=[
            types.Tool(computer_use=_computer_use(model, brief, options)),
            types.Tool(function_declarations=_functions(brief, options, zoom=zoom)),
        ],
        thinking_config=thinking,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        # Gives the body of the answer unchanged, for the record and for `read_answer`.
        should_return_http_response=True,
    )


def preload() -> None:
    """Import the SDK, and complete its types of a request and an answer."""
    preload_sdk()
    request_config("", Brief(task="", instruction=""), GeminiOptions())


def _computer_use(model: str, brief: Brief, options: GeminiOptions) -> types.ComputerUse:
    replaced = (tool.name for tool in brief.tools if tool.name in PREDEFINED)
    excluded = list(dict.fromkeys((*options.excluded_functions, *replaced))) or None
    if is_legacy(model):
        browser = types.Environment.ENVIRONMENT_BROWSER
        return types.ComputerUse(environment=browser, excluded_predefined_functions=excluded)
    desktop = options.environment == GeminiEnvironment.DESKTOP and not brief.browser
    policies = [types.SafetyPolicy(name) for name in options.disabled_safety_policies]
    return types.ComputerUse(
        environment=types.Environment.ENVIRONMENT_DESKTOP if desktop else types.Environment.ENVIRONMENT_BROWSER,
        excluded_predefined_functions=excluded,
        enable_prompt_injection_detection=options.detect_prompt_injection or None,
        disabled_safety_policies=policies or None,
    )


def _functions(brief: Brief, options: GeminiOptions, *, zoom: bool) -> list[types.FunctionDeclaration]:
    further = [own_tools.zoom(_SCALE)] if zoom else []
    # Most of what controls a browser is predefined.
    taken = {*PREDEFINED, *options.excluded_functions}
    return [_declaration(tool) for tool in own_tools.offered(brief, _SCALE, further=further, excluded=taken)]


def _declaration(tool: ToolSpec) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=json.loads(tool.parameters_json)
    )
