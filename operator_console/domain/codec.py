"""Encodes values as JSON and decodes them: one strict codec for the journal, the pipes and the seal.

Members of a union carry a literal `kind` field that tells them apart. `encode` gives plain JSON data; `decode`
rebuilds exactly the declared type and raises `CodecError` for anything else (unknown tag, missing or wrong field);
unknown fields are ignored, so that newer files stay readable. `canonical` gives the bytes that a hash or
a MAC covers. Standard library only, because domain is.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import functools
import json
import math
import types
import typing
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, Literal, TypeVar, Union

T = TypeVar("T")

_DECIMAL_LENGTH = 60


class CodecError(ValueError):
    """The data does not fit the declared type."""


def encode(value: object) -> Any:
    """Plain JSON data of a value made of dataclasses, enums, tuples, mappings and scalars.

    Bytes become base64, decimals text, so that they stay exact.
    """
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CodecError("a number is not finite")
        return value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise CodecError("a number is not finite")
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    raise CodecError(f"{type(value).__name__} cannot be encoded")


def canonical(value: object) -> bytes:
    """The one byte form of a value: JSON, sorted keys, no spaces, UTF-8 (lone surrogates escaped)."""
    text = json.dumps(encode(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii")


def decode(kind: type[T] | Any, data: object) -> T:
    """Rebuild a value of type `kind` (a dataclass, enum, union, tuple ...) from JSON data. Raises CodecError."""
    return typing.cast(T, _decode(kind, data))


def _decode(kind: Any, data: Any) -> Any:
    if isinstance(kind, typing.NewType):
        kind = kind.__supertype__
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        return _decode_union(typing.get_args(kind), data)
    if origin is Literal:
        return _expect(data in typing.get_args(kind), data, kind)
    if origin is tuple:
        return _decode_tuple(typing.get_args(kind), data)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        _expect(isinstance(data, dict), data, kind)
        key_type, item_type = typing.get_args(kind)
        return {_decode(key_type, key): _decode(item_type, item) for key, item in data.items()}
    if kind is type(None):
        return _expect(data is None, data, kind)
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(typing.cast(type, kind), data)
    return _decode_scalar(kind, data)


def _decode_scalar(kind: Any, data: Any) -> Any:
    if kind is Any or kind is object:
        return data
    if kind is bool:
        return _expect(isinstance(data, bool), data, kind)
    if kind is int:
        return _expect(isinstance(data, int) and not isinstance(data, bool), data, kind)
    if kind is float:
        _expect(isinstance(data, int | float) and not isinstance(data, bool), data, kind)
        return float(data)
    if kind is str:
        return _expect(isinstance(data, str), data, kind)
    if kind is bytes:
        _expect(isinstance(data, str), data, kind)
        try:
            return base64.b64decode(data, validate=True)
        except binascii.Error as error:
            raise CodecError("not base64") from error
    if kind is Decimal:
        return _decimal(data)
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(data)
        except ValueError as error:
            raise CodecError(str(error)) from error
    raise CodecError(f"{kind!r} cannot be decoded")


def _decimal(data: Any) -> Decimal:
    _expect(isinstance(data, str) and len(data) <= _DECIMAL_LENGTH, data, Decimal)
    try:
        value = Decimal(data)
    except InvalidOperation as error:
        raise CodecError("not a decimal number") from error
    _expect(value.is_finite(), data, Decimal)
    return value


def _expect(condition: bool, data: Any, kind: Any) -> Any:
    if not condition:
        raise CodecError(f"{str(data)[:80]!r} is not {getattr(kind, '__name__', kind)}")
    return data


def _decode_tuple(arguments: tuple[Any, ...], data: Any) -> tuple[Any, ...]:
    _expect(isinstance(data, list | tuple), data, tuple)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_decode(arguments[0], item) for item in data)
    _expect(len(arguments) == len(data), data, tuple)
    return tuple(_decode(kind, item) for kind, item in zip(arguments, data, strict=True))


def _decode_union(members: tuple[Any, ...], data: Any) -> Any:
    if data is None and type(None) in members:
        return None
    if isinstance(data, dict) and isinstance(data.get("kind"), str):
        for member in members:
            if dataclasses.is_dataclass(member) and _tag(typing.cast(type, member)) == data["kind"]:
                return _decode(member, data)
    errors: list[str] = []
    for member in members:
        if dataclasses.is_dataclass(member) and _tag(typing.cast(type, member)) is not None:
            continue
        try:
            return _decode(member, data)
        except CodecError as error:
            errors.append(str(error))
    raise CodecError("; ".join(errors) or f"no member has the tag of {str(data)[:80]!r}")


@functools.cache
def _tag(kind: type) -> str | None:
    for f in dataclasses.fields(kind):
        if f.name == "kind" and isinstance(f.default, str) and not isinstance(f.default, Enum):
            return f.default
    return None


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _decode_dataclass(kind: type, data: Any) -> Any:
    _expect(isinstance(data, dict), data, kind)
    hints = _hints(kind)
    values: dict[str, Any] = {}
    for f in dataclasses.fields(kind):
        if f.name in data:
            try:
                values[f.name] = _decode(hints[f.name], data[f.name])
            except CodecError as error:
                raise CodecError(f"{f.name}: {error}") from error
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise CodecError(f"{kind.__name__} lacks {f.name}")
    return kind(**values)
