"""The part of every request that stays the same: tools, instruction, thinking. Imports the SDK; called by `gemini`."""

from __future__ import annotations

import json

from google.genai import types

from operator_console.providers import gemini_reading
from operator_console.providers.gemini_actions import ASK_OPERATOR
from operator_console.providers.gemini_settings import GeminiEnvironment, GeminiSettings, is_legacy
from operator_console.providers.gemini_zoom import DESCRIPTION, INSTRUCTION, SCHEMA, ZOOM

_ASK_OPERATOR = types.FunctionDeclaration(
    name=ASK_OPERATOR,
    description=(
        "Ask the human operator who supervises you, and wait for the answer. Use it before anything that needs their "
        "consent, when something only they can know is missing, and when you are stuck. The answer comes back as this "
        "function's output."
    ),
    parameters_json_schema={
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "The question, complete and in plain words."},
            "answer": {
                "type": "string",
                "enum": ["text", "confirm"],
                "description": "confirm for a yes or no, text (the default) for words.",
            },
            "choices": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Offer these answers instead; the output is the index of the chosen one, from 0.",
            },
        },
        "required": ["question"],
    },
)


_READ_TEXT = types.FunctionDeclaration(
    name=gemini_reading.READ_TEXT,
    description=gemini_reading.DESCRIPTION,
    parameters_json_schema=gemini_reading.SCHEMA,
)
_ZOOM = types.FunctionDeclaration(name=ZOOM, description=DESCRIPTION, parameters_json_schema=SCHEMA)


def request_config(
    model: str, instruction: str, settings: GeminiSettings, *, zoom: bool = False
) -> types.GenerateContentConfig:
    """The configuration for a model; `zoom`: whether looking closer is offered to it.

    Models that know no desktop are told that they work a browser.
    """
    thinking = types.ThinkingConfig(include_thoughts=settings.include_thoughts)
    if settings.thinking_level and not is_legacy(model):
        thinking.thinking_level = types.ThinkingLevel(settings.thinking_level)
    return types.GenerateContentConfig(
        system_instruction="\n\n".join(filter(None, (instruction, INSTRUCTION if zoom else ""))) or None,
        tools=[
            types.Tool(computer_use=_computer_use(model, settings)),
            types.Tool(function_declarations=_own(settings, zoom=zoom)),
        ],
        thinking_config=thinking,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        # The body as it came: it is kept in the record and read by us.
        should_return_http_response=True,
    )


def _computer_use(model: str, settings: GeminiSettings) -> types.ComputerUse:
    excluded = list(settings.excluded_functions) or None
    if is_legacy(model):
        browser = types.Environment.ENVIRONMENT_BROWSER
        return types.ComputerUse(environment=browser, excluded_predefined_functions=excluded)
    desktop = settings.environment == GeminiEnvironment.DESKTOP
    policies = [types.SafetyPolicy(name) for name in settings.disabled_safety_policies]
    return types.ComputerUse(
        environment=types.Environment.ENVIRONMENT_DESKTOP if desktop else types.Environment.ENVIRONMENT_BROWSER,
        excluded_predefined_functions=excluded,
        enable_prompt_injection_detection=settings.detect_prompt_injection or None,
        disabled_safety_policies=policies or None,
    )


def _own(settings: GeminiSettings, *, zoom: bool) -> list[types.FunctionDeclaration]:
    declared = [
        types.FunctionDeclaration(
            name=function.name,
            description=function.description,
            parameters_json_schema=json.loads(function.parameters_json),
        )
        for function in settings.own_functions
    ]
    theirs = {*settings.excluded_functions, *(function.name for function in settings.own_functions)}
    reading = [_READ_TEXT] if gemini_reading.READ_TEXT not in theirs else []
    return [_ASK_OPERATOR, *reading, *([_ZOOM] if zoom else []), *declared]
