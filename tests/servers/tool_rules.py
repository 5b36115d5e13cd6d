"""What services of models refuse in the schema of a function's arguments, from what they answer to such requests.

Anthropic: anthropics/claude-code#56174; OpenAI: its error `invalid_function_parameters`; Gemini: its documentation of
function declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_CHOICES = ("oneOf", "anyOf", "allOf")


def anthropic_refusal(schema: Mapping[str, Any]) -> str:
    """Why Anthropic refuses it; "" where it does not."""
    if schema.get("type") != "object":
        return "input_schema.type: Field required"
    if any(name in schema for name in _CHOICES):
        return "input_schema does not support oneOf, allOf, or anyOf at the top level"
    if any(_KEY.fullmatch(name) is None for part in _parts(schema) for name in part.get("properties", ())):
        return "input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
    return ""


def openai_refusal(schema: Mapping[str, Any]) -> str:
    """Why OpenAI refuses it."""
    if schema.get("type") != "object" or any(name in schema for name in (*_CHOICES, "enum", "not")):
        return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    if any(part.get("type") == "array" and "items" not in part for part in _parts(schema)):
        return "array schema missing items."
    return _not_objects(schema)


def gemini_refusal(schema: Mapping[str, Any]) -> str:
    """Why Gemini refuses it."""
    for part in _parts(schema):
        if any(name not in part.get("properties", {}) for name in part.get("required", ())):
            return "required: property is not defined"
    return _not_objects(schema)


def _not_objects(schema: Mapping[str, Any]) -> str:
    values = [one for part in _parts(schema) for one in part.get("properties", {}).values()]
    return next((f"{value} is not of type 'object'." for value in values if not isinstance(value, Mapping)), "")


def _parts(value: Any) -> Iterator[Mapping[str, Any]]:
    """The schema and all schemas in it."""
    if isinstance(value, list):
        for each in value:
            yield from _parts(each)
    elif isinstance(value, Mapping):
        if isinstance(value.get("properties", {}), Mapping) and isinstance(value.get("required", []), list):
            yield value
        for name, each in value.items():
            if name not in {"default", "enum", "examples", "required"}:
                yield from _parts(each)
