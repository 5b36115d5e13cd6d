"""What of the schema of a tool's arguments is told to a model: only what every service of models takes.

Services refuse a whole request for one tool whose schema is a choice of several (`anyOf` at its top), or whose
arguments have names with other characters than theirs or longer than 64. Arguments that a model makes by the simpler
schema are checked against the tool's own one before it is called.

Rules: Anthropic, `input_schema` and property keys `^[a-zA-Z0-9_.-]{1,64}$`; OpenAI, function parameters of the type
object without `oneOf`, `anyOf`, `allOf`, `enum` and `not` at the top, arrays with `items`; Gemini, names of functions
that begin with a letter, and `required` of known properties only.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CHOICES = ("anyOf", "oneOf")
_NOT_AT_TOP = frozenset({*_CHOICES, "allOf", "not", "enum", "const", "if", "then", "else", "$ref", "$schema", "$id"})
_SCHEMAS = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
"""Keywords whose values have schemas by name."""
_VALUES = frozenset({"enum", "const", "default", "examples", "required"})
"""Keywords whose values are no schemas."""
_DEEPEST = 60
_MOST_PARTS = 200


@dataclass(frozen=True, slots=True)
class OfferedSchema:
    """A schema that every service takes.

    Attributes:
        schema: of the type object.
        renamed: arguments by the names that they have in it.
        reduced: it says less than the tool's own schema.
    """

    schema: Schema
    renamed: Mapping[str, str]
    reduced: bool

    def arguments(self, given: Mapping[str, object]) -> dict[str, object]:
        """Arguments by the names that the tool knows."""
        return {self.renamed.get(name, name): self._value(value) for name, value in given.items()}

    def _value(self, value: object) -> object:
        if isinstance(value, dict):
            return self.arguments(value)
        return [self._value(each) for each in value] if isinstance(value, list) else value


def offered_schema(schema: Schema) -> OfferedSchema:
    """The schema for models. Raises RecursionError: it is too deep; ValueError: it is not one of an object."""
    plain = _flat(schema, schema, iter(range(_MOST_PARTS)))
    reduced = any(name in schema for name in _NOT_AT_TOP - {"$schema", "$id"})
    names = dict.fromkeys(_names(plain))
    legal = {name: _legal(name) for name in names}
    kept = {name: made for name, made in legal.items() if made != name}
    made = _part(plain, kept)
    return OfferedSchema(schema=made, renamed={made: name for name, made in kept.items()}, reduced=reduced)


def _flat(schema: Schema, whole: Schema, left: Iterator[int]) -> dict[str, Any]:
    """One object with the arguments of all parts and choices; required is what is in each choice.

    `left`: how many parts may still come.
    """
    if next(left, None) is None:
        raise RecursionError("its schema refers to itself, or has too many parts")
    kind = schema.get("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        raise ValueError("its arguments are not an object")
    made = {name: value for name, value in schema.items() if name not in _NOT_AT_TOP}
    properties: dict[str, Any] = {}
    required: list[str] = [*_listed(schema.get("required"))]
    parts = [part for part in _listed(schema.get("allOf")) if isinstance(part, Mapping)]
    if isinstance(schema.get("$ref"), str):
        parts.append(_referred(schema["$ref"], whole))
    for part in parts:
        flat = _flat(part, whole, left)
        properties.update(flat["properties"])
        required += flat["required"]
    for keyword in _CHOICES:
        choices = [_flat(each, whole, left) for each in _listed(schema.get(keyword)) if isinstance(each, Mapping)]
        for choice in reversed(choices):
            properties.update(choice["properties"])
        if choices:
            required += [name for name in choices[0]["required"] if all(name in one["required"] for one in choices)]
    own = schema.get("properties")
    properties.update(own if isinstance(own, Mapping) else {})
    made |= {"type": "object", "properties": properties}
    return {**made, "required": [name for name in dict.fromkeys(required) if name in properties]}


def _referred(reference: str, whole: Schema) -> Schema:
    """What a reference within the schema means; an empty schema for any other."""
    found: Any = whole
    steps = reference.removeprefix("#").strip("/").split("/") if reference.startswith("#") else ["?"]
    for step in filter(None, steps):
        found = found.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _names(value: object, depth: int = 0) -> Iterator[str]:
    """The names of all arguments, and of what is in them."""
    if depth > _DEEPEST:
        raise RecursionError("its schema is too deep")
    if isinstance(value, list):
        for each in value:
            yield from _names(each, depth + 1)
    elif isinstance(value, Mapping):
        if isinstance(value.get("properties"), Mapping):
            yield from value["properties"]
        for name, each in value.items():
            if name not in _VALUES:
                yield from _names(each, depth + 1)


def _legal(name: str) -> str:
    """A name that every service takes, the same each time, and no other's."""
    if _NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '_', name).strip('_')[:50]}_{digest}"


def _part(value: Any, renamed: Mapping[str, str]) -> Any:
    """A schema with the new names, and without what some services do not take in any place."""
    if isinstance(value, bool):  # any value, or none
        return {}
    if not isinstance(value, Mapping):
        return value
    made: dict[str, Any] = {}
    for name, each in value.items():
        if name == "properties" and isinstance(each, Mapping):
            made[name] = {renamed.get(key, key): _part(one, renamed) for key, one in each.items()}
        elif name in _SCHEMAS and isinstance(each, Mapping):
            made[name] = {key: _part(one, renamed) for key, one in each.items()}
        elif name == "required":
            known = value.get("properties")
            made[name] = [
                renamed.get(key, key) for key in _listed(each) if not isinstance(known, Mapping) or key in known
            ]
        elif name == "$ref":
            if isinstance(each, str) and each.startswith("#/"):
                made[name] = each
        elif name in _VALUES or isinstance(each, bool):
            made[name] = each
        elif isinstance(each, list):
            made[name] = [_part(one, renamed) if isinstance(one, Mapping | bool) else one for one in each]
        else:
            made[name] = _part(each, renamed)
    if made.get("type") == "array":
        made.setdefault("items", {})
    return made
