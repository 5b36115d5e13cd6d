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
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, Literal, TypeAlias, TypeVar, Union

T = TypeVar("T")

_DECIMAL_LENGTH = 60
_SHOWN_LENGTH = 80


class CodecError(ValueError):
    """The data does not fit the declared type.

    Attributes:
        why: What does not fit.
        path: Where that is: names of fields, and places in lists counted from 0, outermost first.
    """

    def __init__(self, why: str, *, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(": ".join((*map(str, path), why)))
        self.why, self.path = why, path

    def below(self, part: str | int) -> CodecError:
        """The same error, seen from the value that has `part`."""
        return CodecError(self.why, path=(part, *self.path))


class UnknownKind(CodecError):
    """The `kind` that the data names is not one of `known`."""

    def __init__(self, kind: str, known: tuple[str, ...], *, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{kind[:_SHOWN_LENGTH]!r} is no kind; there are {', '.join(known)}", path=path)
        self.kind, self.known = kind, known

    def below(self, part: str | int) -> UnknownKind:
        """The same error, seen from the value that has `part`."""
        return UnknownKind(self.kind, self.known, path=(part, *self.path))


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
    return typing.cast(T, _decoder(kind)(data))


def decoder(kind: type[T] | Any) -> Callable[[object], T]:
    """As `decode`, for many values of one type: a large union takes longer to look at than a value to decode."""
    return _decoder(kind)


_Decoder: TypeAlias = Callable[[Any], Any]


def _decoder(kind: Any) -> _Decoder:
    """Decodes values of a type. Kept for each field, because a list of elements has thousands of values."""
    if isinstance(kind, typing.NewType):
        kind = kind.__supertype__
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return _union_decoder(arguments)
    if origin is Literal:
        return lambda data: arguments[arguments.index(_expect(data in arguments, data, kind))]
    if origin is tuple:
        return _tuple_decoder(arguments)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_decoder(kind, *arguments)
    if kind is type(None):
        return lambda data: _expect(data is None, data, kind)
    if dataclasses.is_dataclass(kind):
        return functools.partial(_decode_dataclass, typing.cast(type, kind))
    return _scalar_decoder(kind)


def _scalar_decoder(kind: Any) -> _Decoder:
    if kind is Any or kind is object:
        return lambda data: data
    if kind is bool or kind is str:
        return lambda data: data if isinstance(data, kind) else _expect(False, data, kind)
    if kind is int:
        return lambda data: _expect(isinstance(data, int) and not isinstance(data, bool), data, kind)
    if kind is float:
        return lambda data: float(_expect(isinstance(data, int | float) and not isinstance(data, bool), data, kind))
    if kind is bytes:
        return _bytes
    if kind is Decimal:
        return _decimal
    if isinstance(kind, type) and issubclass(kind, Enum):
        return lambda data: _member(kind, data)
    return lambda data: _unknown(kind)


def _unknown(kind: Any) -> typing.NoReturn:
    raise CodecError(f"{kind!r} cannot be decoded")


def _member(kind: type[Enum], data: Any) -> Enum:
    try:
        return kind(data)
    except ValueError as error:
        raise CodecError(str(error)) from error


def _bytes(data: Any) -> bytes:
    _expect(isinstance(data, str), data, bytes)
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise CodecError("not base64") from error


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
        raise CodecError(f"{str(data)[:_SHOWN_LENGTH]!r} is not {getattr(kind, '__name__', kind)}")
    return data


def _tuple_decoder(arguments: tuple[Any, ...]) -> _Decoder:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        item_of = _decoder(arguments[0])
        return functools.partial(_decode_items, item_of)
    decoders = [_decoder(kind) for kind in arguments]

    def decoded(data: Any) -> tuple[Any, ...]:
        _expect(isinstance(data, list | tuple), data, tuple)
        _expect(len(decoders) == len(data), data, tuple)
        return tuple(decoder(item) for decoder, item in zip(decoders, data, strict=True))

    return decoded


def _decode_items(item_of: _Decoder, data: Any) -> tuple[Any, ...]:
    _expect(isinstance(data, list | tuple), data, tuple)
    made: list[Any] = []
    try:
        made.extend(map(item_of, data))
    except CodecError as error:
        raise error.below(len(made)) from error
    return tuple(made)


def _mapping_decoder(kind: Any, key_type: Any, item_type: Any) -> _Decoder:
    key_of, item_of = _decoder(key_type), _decoder(item_type)

    def decoded(data: Any) -> dict[Any, Any]:
        _expect(isinstance(data, dict), data, kind)
        return {key_of(key): item_of(item) for key, item in data.items()}

    return decoded


def _union_decoder(members: tuple[Any, ...]) -> _Decoder:
    decoders = [_decoder(member) for member in members]
    tags = [_tag(typing.cast(type, member)) if dataclasses.is_dataclass(member) else None for member in members]
    by_tag = {tag: decoder for tag, decoder in zip(reversed(tags), reversed(decoders), strict=True) if tag is not None}
    others = [
        decoder
        for member, tag, decoder in zip(members, tags, decoders, strict=True)
        if tag is None and member is not type(None)
    ]
    optional = type(None) in members

    def decoded(data: Any) -> Any:
        if data is None and optional:
            return None
        kind = data.get("kind") if isinstance(data, dict) else None
        if isinstance(kind, str) and kind in by_tag:
            return by_tag[kind](data)
        errors: list[str] = []
        for decoder in others:
            try:
                return decoder(data)
            except CodecError as error:
                errors.append(str(error))
        if by_tag and isinstance(kind, str):
            raise UnknownKind(kind, tuple(dict.fromkeys(tag for tag in tags if tag is not None)))
        raise CodecError("; ".join(errors) or f"{str(data)[:_SHOWN_LENGTH]!r} is no object with a kind")

    return decoded


@functools.cache
def _tag(kind: type) -> str | None:
    for f in dataclasses.fields(kind):
        if f.name == "kind" and typing.get_origin(typing.get_type_hints(kind)["kind"]) is Literal:
            return str(encode(f.default))
    return None


@functools.cache
def _fields(kind: type) -> tuple[tuple[str, _Decoder, bool], ...]:
    """Name, decoder, and whether it must be given."""
    hints = typing.get_type_hints(kind)
    return tuple(
        (f.name, _decoder(hints[f.name]), f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING)
        for f in dataclasses.fields(kind)
    )


def _decode_dataclass(kind: type, data: Any) -> Any:
    _expect(isinstance(data, dict), data, kind)
    values: dict[str, Any] = {}
    for name, decoder, needed in _fields(kind):
        if name in data:
            try:
                values[name] = decoder(data[name])
            except CodecError as error:
                raise error.below(name) from error
        elif needed:
            raise CodecError(f"{kind.__name__} lacks {name}")
    return kind(**values)
