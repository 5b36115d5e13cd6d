"""Reads what is asked of elements in batches, and keeps it: the elements of applications at one moment.

A `Tree` belongs to one frame. What was read once is not asked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.connection import Answer, Bus, Call, Failure
from operator_console.perception.accessibility.atspi.vocabulary import (
    ACCESSIBLE,
    ACTION,
    APPLICATION,
    COLLECTION,
    COMPONENT,
    DOCUMENT,
    HYPERLINK,
    NULL_PATH,
    PARENT_COORDINATES,
    PROPERTIES,
    SCREEN_COORDINATES,
    TEXT,
    VALUE,
    bit_words,
    role_of,
)

_ALL, _ANY = 1, 2
_CANONICAL_ORDER = 1


class Ref(NamedTuple):
    """An element: the bus name of its application and its path there."""

    owner: str
    path: str


class NoReply(Exception):
    """An application did not reply in time, so nothing can be said."""


@dataclass(frozen=True, slots=True)
class _Question:
    interface: str
    method: str
    decode: Callable[[tuple[Any, ...]], Any]
    signature: str = ""
    arguments: tuple[Any, ...] = ()


def _get(interface: str, name: str, decode: Callable[[Any], Any]) -> _Question:
    return _Question(PROPERTIES, "Get", lambda body: decode(body[0][1]), "ss", (interface, name))


def _ref(value: Any) -> Ref | None:
    return Ref(*value) if value[0] and value[1] != NULL_PATH else None


def _refs(value: Iterable[Any]) -> tuple[Ref, ...]:
    return tuple(ref for each in value if (ref := _ref(each)) is not None)


class Field(Enum):
    """What can be asked of an element."""

    __hash__ = object.__hash__  # that of Enum takes a tenth of the time of a query

    NAME = _get(ACCESSIBLE, "Name", str)
    DESCRIPTION = _get(ACCESSIBLE, "Description", str)
    PARENT = _get(ACCESSIBLE, "Parent", _ref)
    CHILD_COUNT = _get(ACCESSIBLE, "ChildCount", int)
    ROLE = _Question(ACCESSIBLE, "GetRole", lambda body: int(body[0]))
    ROLE_NAME = _Question(ACCESSIBLE, "GetRoleName", lambda body: str(body[0]))
    STATES = _Question(ACCESSIBLE, "GetState", lambda body: body[0][0] | body[0][1] << 32)
    CHILDREN = _Question(ACCESSIBLE, "GetChildren", lambda body: _refs(body[0]))
    INDEX = _Question(ACCESSIBLE, "GetIndexInParent", lambda body: int(body[0]))
    INTERFACES = _Question(ACCESSIBLE, "GetInterfaces", lambda body: frozenset(body[0]))
    ATTRIBUTES = _Question(ACCESSIBLE, "GetAttributes", lambda body: dict(body[0]))
    RELATIONS = _Question(
        ACCESSIBLE, "GetRelationSet", lambda body: tuple((kind, _refs(targets)) for kind, targets in body[0])
    )
    EXTENTS = _Question(COMPONENT, "GetExtents", lambda body: Rect(*body[0]), "u", (SCREEN_COORDINATES,))
    EXTENTS_IN_PARENT = _Question(COMPONENT, "GetExtents", lambda body: Rect(*body[0]), "u", (PARENT_COORDINATES,))
    LAYER = _Question(COMPONENT, "GetLayer", lambda body: int(body[0]))
    ACTIONS = _Question(ACTION, "GetActions", lambda body: tuple(str(each[0]) for each in body[0]))
    FIRST_ACTION = _Question(ACTION, "GetName", lambda body: str(body[0]), "i", (0,))
    VALUE = _get(VALUE, "CurrentValue", float)
    TEXT_LENGTH = _get(TEXT, "CharacterCount", int)
    URI = _Question(HYPERLINK, "GetURI", lambda body: str(body[0]), "i", (0,))
    DOCUMENT = _Question(DOCUMENT, "GetAttributes", lambda body: dict(body[0]))
    TOOLKIT = _get(APPLICATION, "ToolkitName", str)
    TOOLKIT_VERSION = _get(APPLICATION, "Version", str)


class Tree:
    """The elements at one moment, as far as they were read.

    `deadline_s` (time.monotonic) is set for each query. `small` tells of elements whether few are below them.
    """

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._known: dict[tuple[Ref, Field], Any] = {}
        self.small: dict[Ref, bool] = {}
        self.deadline_s = 0.0

    def for_another_query(self) -> Tree:
        """The same elements with a deadline of their own; what either reads, both know."""
        other = Tree(self._bus)
        other._known, other.small = self._known, self.small
        return other

    @property
    def late(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() >= self.deadline_s

    async def read(self, refs: Iterable[Ref], *fields: Field) -> None:
        """Read fields of elements, all at once, unless they are known. Raises NoReply."""
        await self.read_each((ref, field) for ref in refs for field in fields)

    async def read_each(self, fields: Iterable[tuple[Ref, Field]]) -> None:
        """Read fields, each of an element of its own, all at once, unless they are known. Raises NoReply."""
        wanted = [key for key in dict.fromkeys(fields) if key not in self._known]
        for key, answer in zip(wanted, await self.ask([_call(ref, field) for ref, field in wanted]), strict=True):
            if answer is Failure.NO_REPLY:
                raise NoReply
            self._known[key] = _decoded(key[1], answer)

    def note(self, ref: Ref, field: Field, value: Any) -> None:
        """Keep what was found out in another way than by asking for the field."""
        self._known[ref, field] = value

    def get(self, ref: Ref, field: Field) -> Any:
        """What was read, None where the element does not have it or was not asked."""
        return self._known.get((ref, field))

    def basic_role(self, ref: Ref) -> Role:
        """The role by its number alone, which attributes may make finer; UNKNOWN where it was not read."""
        return role_of(self.get(ref, Field.ROLE) or 0)

    async def one(self, ref: Ref, field: Field) -> Any:
        """Read one field. Raises NoReply."""
        await self.read([ref], field)
        return self.get(ref, field)

    async def ask(self, calls: Sequence[Call]) -> list[Answer]:
        """The answers to calls, until the deadline. Raises BusGone."""
        return await self._bus.ask(calls, self.deadline_s) if calls else []

    async def call(self, call: Call) -> tuple[Any, ...] | None:
        """The results of one call, None where it failed. Raises NoReply."""
        (result,) = await self.results([call])
        return result

    async def hit(self, ref: Ref, x: int, y: int) -> Ref | None:
        """What an element itself says lies at a point of its coordinates. Raises NoReply."""
        (found,) = await self.hits(ref, [(x, y)])
        return found

    async def hits(self, ref: Ref, points: Iterable[tuple[int, int]]) -> list[Ref | None]:
        """What an element itself says lies at points of its coordinates, all asked at once. Raises NoReply."""
        arguments = [(x, y, SCREEN_COORDINATES) for x, y in points]
        return await self.refs([Call(*ref, COMPONENT, "GetAccessibleAtPoint", "iiu", each) for each in arguments])

    async def refs(self, calls: Sequence[Call]) -> list[Ref | None]:
        """The element that each call answers, None where it answers none. Raises NoReply."""
        return [None if body is None else _ref(body[0]) for body in await self.results(calls)]

    async def results(self, calls: Sequence[Call]) -> list[tuple[Any, ...] | None]:
        """The results of calls, None for those that failed. Raises NoReply."""
        answers = await self.ask(calls)
        if Failure.NO_REPLY in answers:
            raise NoReply
        return [None if isinstance(answer, Failure) else answer for answer in answers]

    async def containing(self, points: Iterable[tuple[Ref, int, int]]) -> list[bool]:
        """Whether each element says that it contains a point, whatever lies over it. Raises NoReply."""
        arguments = [(ref, (x, y, SCREEN_COORDINATES)) for ref, x, y in points]
        calls = [Call(*ref, COMPONENT, "Contains", "iiu", place) for ref, place in arguments]
        return [body is not None and bool(body[0]) for body in await self.results(calls)]

    async def text(self, ref: Ref, longest: int) -> str:
        """The characters of an element with the interface Text, "" where it has none. Raises NoReply."""
        length = await self.one(ref, Field.TEXT_LENGTH)
        if not length:
            return ""
        found = await self.call(Call(ref.owner, ref.path, TEXT, "GetText", "ii", (0, min(length, longest))))
        return str(found[0]) if found is not None else ""

    async def matches(
        self, root: Ref, *, states: Iterable[int], roles: Iterable[int] = (), limit: int = 0
    ) -> tuple[Ref, ...] | None:
        """Elements below `root` with all these states and any of these roles, in reading order.

        None where the application does not implement it. Raises NoReply.
        """
        wanted = tuple(roles)
        rule: tuple[Any, ...] = (
            bit_words(states, 2), _ALL, {}, _ALL, bit_words(wanted, 4), _ANY if wanted else _ALL, [], _ALL, False,
        )  # fmt: skip
        signature, arguments = "(aiia{ss}iaiiasib)uib", (rule, _CANONICAL_ORDER, limit, True)
        found = await self.call(Call(root.owner, root.path, COLLECTION, "GetMatches", signature, arguments))
        return None if found is None else _refs(found[0])


def _call(ref: Ref, field: Field) -> Call:
    question: _Question = field.value
    return Call(ref.owner, ref.path, question.interface, question.method, question.signature, question.arguments)


def _decoded(field: Field, answer: Answer) -> Any:
    if isinstance(answer, Failure):
        return None
    question: _Question = field.value
    try:
        return question.decode(answer)
    except (TypeError, ValueError, IndexError, KeyError):  # an application that breaks the protocol
        return None
