"""What can be edited of a provider's options, read from their pydantic model.

Fields of other types than those of `OptionKind` are left out; they can be set in the settings file.
"""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from operator_console.ui.profile_values import OptionField, OptionKind, OptionValue

ELSEWHERE = frozenset({"base_url"})
"""Options that a profile has a place of its own for."""

_ABOUT_THINKING_OR_PICTURES = re.compile(r"think|thought|effort|screenshot|picture|image|keep_|pixels")
_TITLES = {
    "keep_screenshots": "Pictures kept", "keep_turns": "Turns kept in full", "keep_steps": "Steps kept",
    "max_tokens": "Longest answer, tokens", "max_output_tokens": "Longest answer, tokens",
    "thinking_budget_tokens": "Thinking, tokens", "include_thoughts": "Show the thinking", "top_p": "Top p",
    "request_timeout_s": "Answer within, seconds", "max_pixels": "Largest picture, pixels",
    "min_pixels": "Smallest picture, pixels", "stream": "Answers in pieces", "extra_body": "Further fields, JSON",
    "extra_headers": "Further headers, JSON",
}  # fmt: skip
"""Titles that say more than the name of the option."""
_SEQUENCES = (tuple, list, set, frozenset)
_LEAST_ABOVE = 0.01


def option_fields(model: type[BaseModel], section: BaseModel | None = None) -> tuple[OptionField, ...]:
    """The options that can be edited, in the order of the model.

    Args:
        model: The options model of a provider.
        section: Its section of the settings file, which gives the values; None: the defaults of the model.
    """
    values = (section if section is not None else model()).model_dump(mode="json")
    meanings = {name: text for kind in reversed(model.__mro__) for name, text in _meanings(kind.__doc__ or "").items()}
    found: list[OptionField] = []
    for name, about in model.model_fields.items():
        kind = _kind_of(about.annotation, tuple(about.metadata))
        if kind is None or name in ELSEWHERE or (values.get(name) is None and not kind.optional):
            continue
        found.append(
            OptionField(
                name=name, title=about.title or _TITLES.get(name) or _title(name),
                help=about.description or meanings.get(name, ""), kind=kind.kind,
                value=editable(values.get(name)), choices=kind.choices, least=kind.least, most=kind.most,
                optional=kind.optional, zero=_word_for_zero(about),
                common=bool(_ABOUT_THINKING_OR_PICTURES.search(name)),
            )
        )  # fmt: skip
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    kind: OptionKind
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    optional: bool = False


def _kind_of(annotation: Any, metadata: tuple[object, ...]) -> _Kind | None:
    """How a field of this type is edited; None if it cannot be."""
    optional = False
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            metadata = (*metadata, *more)
        elif get_origin(annotation) in (typing.Union, types.UnionType):
            members = [each for each in get_args(annotation) if each is not type(None)]
            optional = optional or len(members) < len(get_args(annotation))
            if len(members) != 1:
                return None
            annotation = members[0]
        else:
            break
    least, most = _bounds(metadata)
    if get_origin(annotation) in _SEQUENCES:
        parts = [each for each in get_args(annotation) if each is not Ellipsis]
        inner = _kind_of(parts[0], ()) if len(parts) == 1 else None
        if inner is None or optional or inner.optional:
            return None
        if inner.kind is OptionKind.CHOICE:
            return _Kind(kind=OptionKind.CHOICES, choices=inner.choices)
        return _Kind(kind=OptionKind.WORDS) if inner.kind is OptionKind.TEXT else None
    if get_origin(annotation) is dict and any(isinstance(each, BeforeValidator) for each in metadata):  # reads JSON
        return _Kind(kind=OptionKind.TEXT)
    choices = _choices(annotation)
    if choices:
        return _Kind(kind=OptionKind.CHOICE, choices=choices, optional=optional)
    kinds = {bool: OptionKind.FLAG, int: OptionKind.INTEGER, float: OptionKind.NUMBER, str: OptionKind.TEXT}
    kind = kinds.get(annotation)
    return None if kind is None else _Kind(kind=kind, least=least, most=most, optional=optional)


def _choices(annotation: Any) -> tuple[str, ...]:
    """The texts that a type allows; () unless it allows only some texts."""
    values: Iterable[Any] = ()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        values = [each.value for each in annotation]
    elif get_origin(annotation) is Literal:
        values = get_args(annotation)
    found = tuple(values)
    return found if all(isinstance(each, str) for each in found) else ()


def _bounds(metadata: Iterable[object]) -> tuple[float | None, float | None]:
    """The least and greatest value that constraints of `annotated_types` allow."""
    least: float | None = None
    most: float | None = None
    for each in (
        inner for outer in metadata for inner in (outer.metadata if isinstance(outer, FieldInfo) else [outer])
    ):
        least = getattr(each, "ge", least)
        most = getattr(each, "le", most)
        if (above := getattr(each, "gt", None)) is not None:
            least = above + (1 if isinstance(above, int) and above else _LEAST_ABOVE)
        if (below := getattr(each, "lt", None)) is not None:
            most = below - (1 if isinstance(below, int) else _LEAST_ABOVE)
    return least, most


def _word_for_zero(about: FieldInfo) -> str:
    """What 0 means, where the field says that it is not a number as the others."""
    extra = about.json_schema_extra
    return str(extra.get("zero", "")) if isinstance(extra, dict) else ""


def editable(value: Any) -> OptionValue:
    """A value as it is edited: a table as JSON, "" for an empty one."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return tuple(str(each) for each in value) if isinstance(value, list) else value


def _title(name: str) -> str:
    """A field's name for people: "request_timeout_s" is "Request timeout, seconds"."""
    words = re.sub(r"_s$", ", seconds", name).replace("_", " ").strip()
    return f"{words[:1].upper()}{words[1:]}"


def _meanings(docstring: str) -> dict[str, str]:
    """The explanations of fields in a docstring of Google's style, by name."""
    _, found, attributes = docstring.partition("Attributes:\n")
    if not found:
        return {}
    meanings: dict[str, str] = {}
    names: list[str] = []
    for line in attributes.split("\n\n")[0].splitlines():
        entry = re.match(r"\s{0,8}(\w+(?:, \w+)*): (.+)", line)
        if entry and (not names or len(line) - len(line.lstrip()) <= 8):
            names = entry[1].split(", ")
            meanings.update(dict.fromkeys(names, entry[2].strip()))
        elif line.strip():
            for name in names:
                meanings[name] = f"{meanings[name]} {line.strip()}"
    return meanings
