"""What services demand of requests for answers in a form, beside what they demand of all conversations.

Not part of the product and written without it: shapes come from the SDKs' own types, the rules for schemas from the
documentation of structured outputs of each service. A broken rule raises the service's own error.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import anthropic
import pydantic
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types
from PIL import Image

from tests.servers import anthropic_rules, chat_rules, gemini_rules
from tests.servers.scripted_server import Json

NO_SUCH_TURN = "There is no turn that the model produced like this one, or it is out of order: "
_MESSAGE = pydantic.TypeAdapter(MessageCreateParamsNonStreaming)
_GEMINI_SCHEMA = {
    "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
    "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
}  # fmt: skip
_MOST_OPTIONAL, _MOST_UNIONS = 24, 16


def check_turns(said: Sequence[str], served: Sequence[str]) -> str:
    """The first text that the model did not say, or not in this order; "" if there is none.

    A client may leave out turns: the oldest, and those that it asked to be said again.
    """
    position = len(served)
    for text in reversed(said):
        position = next((i for i in range(position - 1, -1, -1) if served[i] == text), -1)
        if position < 0:
            return text
    return ""


def check_gemini(model: str, body: Json) -> list[bytes]:
    """The pictures of a lawful request to generateContent, oldest first. Raises ApiError."""
    if model not in gemini_rules.MODELS:
        raise gemini_rules.ApiError(404, f"models/{model} is not found for API version v1beta.", status="NOT_FOUND")
    if unknown := set(body) - {"contents", "generationConfig", "systemInstruction"}:
        raise gemini_rules.ApiError(400, f"The test expects no {sorted(unknown)}.")
    try:
        contents = [types.Content.model_validate_json(json.dumps(content)) for content in body["contents"]]
        types.Content.model_validate_json(json.dumps(body["systemInstruction"]))
        config = types.GenerationConfig.model_validate(body["generationConfig"])
    except pydantic.ValidationError as error:
        raise gemini_rules.ApiError(400, f"Invalid JSON payload received. {error}") from error
    if config.response_mime_type != "application/json" or not isinstance(config.response_json_schema, dict):
        raise gemini_rules.ApiError(400, "response_json_schema needs the MIME type application/json.")
    for place, part in walk(config.response_json_schema):
        if unknown := set(part) - _GEMINI_SCHEMA:
            raise gemini_rules.ApiError(400, f"response_json_schema{place}: {sorted(unknown)} is not supported.")
    roles = [content.role for content in contents]
    if not roles or roles[-1] != "user" or any(role not in {"user", "model"} for role in roles):
        raise gemini_rules.ApiError(400, "Please ensure that multiturn requests end with a user role.")
    parts = [part for content in contents for part in content.parts or ()]
    if any((part.text is None) == (part.inline_data is None) for part in parts) or not all(c.parts for c in contents):
        raise gemini_rules.ApiError(400, "required oneof field 'data' must have one initialized field")
    blobs = [part.inline_data for part in parts if part.inline_data is not None]
    return [_picture(blob.data or b"", blob.mime_type or "", gemini_rules.ApiError) for blob in blobs]


def check_anthropic(body: Json, headers: Mapping[str, str]) -> list[bytes]:
    """The pictures of a lawful request to the Messages API, oldest first. Raises ApiError."""
    if "anthropic-version" not in headers:
        raise anthropic_rules.ApiError(400, "anthropic-version: header is required")
    rules = anthropic_rules.MODELS.get(body["model"])
    if rules is None:
        raise anthropic_rules.ApiError(404, f"model: {body['model']}")
    known = MessageCreateParamsNonStreaming.__required_keys__ | MessageCreateParamsNonStreaming.__optional_keys__
    if unknown := set(body) - known:
        raise anthropic_rules.ApiError(400, f"{sorted(unknown)}: Extra inputs are not permitted")
    try:
        exhaust(_MESSAGE.validate_python(body))
    except pydantic.ValidationError as error:
        raise anthropic_rules.ApiError(400, str(error)) from error
    if rules.bound and (body.get("thinking") or {}).get("type") == "disabled":
        raise anthropic_rules.ApiError(400, "thinking.type: thinking cannot be disabled on this model")
    _check_anthropic_schema(body["output_config"]["format"]["schema"])
    roles = [message["role"] for message in body["messages"]]
    if roles[-1] != "user":
        raise anthropic_rules.ApiError(400, "The conversation must end with a user message.")
    made = []
    for message in body["messages"]:
        for block in message["content"]:
            if block["type"] == "text" and not block["text"].strip():
                raise anthropic_rules.ApiError(400, "messages: text content blocks must be non-empty")
            if block["type"] != "image":
                continue
            source = block["source"]
            data = _picture(base64.b64decode(source["data"]), source["media_type"], anthropic_rules.ApiError)
            with Image.open(io.BytesIO(data)) as image:
                if not anthropic_rules.fits(*image.size, rules):
                    raise anthropic_rules.ApiError(400, f"image dimensions {image.size} exceed the largest that fit")
            made.append(data)
    return made


def _check_anthropic_schema(schema: Any) -> None:
    """What the SDK makes of a schema so that the service takes it is the schema itself, but for types beside enums."""
    if anthropic.transform_schema(schema) != _without_types_of_enums(schema):
        raise anthropic_rules.ApiError(400, "output_config.format.schema: has what is not supported")
    parts = [part for _, part in walk(schema)]
    optional = sum(len(set(part.get("properties", ())) - set(part.get("required", ()))) for part in parts)
    unions = sum("anyOf" in part or isinstance(part.get("type"), list) for part in parts)
    if optional > _MOST_OPTIONAL or unions > _MOST_UNIONS:
        raise anthropic_rules.ApiError(400, "output_config.format.schema: Schema is too complex")


def _without_types_of_enums(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_types_of_enums(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: _without_types_of_enums(v) for k, v in schema.items() if k != "type" or "enum" not in schema}


def check_response_format(body: Json) -> None:
    """The form that chat completions are asked for, as OpenAI demands it. Raises ApiError."""
    form = body.get("response_format") or {}
    if form.get("type") != "json_schema" or form["json_schema"].get("strict") is not True:
        raise chat_rules.ApiError(400, "The test expects a strict JSON schema.")
    schema = form["json_schema"]["schema"]
    if schema.get("type") != "object":
        raise chat_rules.ApiError(400, "Invalid schema for response_format: schema must be a JSON Schema of 'object'.")
    for place, part in walk(schema):
        if part.get("type") != "object":
            continue
        if part.get("additionalProperties") is not False:
            raise chat_rules.ApiError(400, f"In context={place}, 'additionalProperties' is required to be false.")
        if set(part.get("required", ())) != set(part["properties"]):
            raise chat_rules.ApiError(400, f"In context={place}, 'required' must include every key in properties.")


def walk(schema: Any, place: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A schema and all schemas in it, each with its place."""
    yield place, schema
    for name, inner in schema.get("properties", {}).items():
        yield from walk(inner, f"{place}.{name}")
    if "items" in schema:
        yield from walk(schema["items"], f"{place}[]")
    for index, inner in enumerate(schema.get("anyOf", ())):
        yield from walk(inner, f"{place}|{index}")


def exhaust(value: object) -> None:
    """Validate iterables, which pydantic does only as they are read."""
    chat_rules._exhaust(value)


def _picture(data: bytes, mime_type: str, error: Any) -> bytes:
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            if f"image/{str(image.format).lower()}" != mime_type:
                raise error(400, f"The picture is a {image.format}, not {mime_type}.")
    except OSError as problem:
        raise error(400, f"Could not process image: {problem}") from None
    return data
