"""Dataclasses that are compiled when they are first used do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest

from operator_console.domain.lazy_dataclass import dataclass as lazy

Decorator = Callable[..., Any]


@pytest.fixture(params=[lazy, dataclasses.dataclass], ids=["lazy", "standard"])
def dataclass(request: pytest.FixtureRequest) -> Decorator:
    made: Decorator = request.param
    return made


@lazy(frozen=True, slots=True, kw_only=True)
class Point:
    """A class of the module, which can be pickled."""

    x: int
    y: int = 0


def test_values_are_made_compared_hashed_and_shown(dataclass: Decorator) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Place:
        """A place."""

        x: int
        y: int = 7
        seen: list[str] = field(default_factory=list, compare=False)
        secret: str = field(default="key", repr=False)

    place = Place(x=1)
    assert (place.x, place.y, place.seen, place.secret) == (1, 7, [], "key")
    assert place == Place(x=1, seen=["other"])
    assert place != Place(x=2)
    assert place.__eq__(1) is NotImplemented
    assert hash(place) == hash(Place(x=1))
    assert repr(place).endswith("Place(x=1, y=7, seen=[])")
    assert Place.__match_args__ == ()
    assert not hasattr(place, "__dict__")
    assert dataclasses.replace(place, y=9) == Place(x=1, y=9)
    assert dataclasses.asdict(place) == {"x": 1, "y": 7, "seen": [], "secret": "key"}
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'x'"):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Place(1)  # type: ignore[call-arg]


@pytest.mark.parametrize("use", [hash, repr, lambda each: each == each])
def test_any_method_may_be_the_first_that_is_used(use: Callable[[Any], object]) -> None:
    @lazy(frozen=True, slots=True)
    class Pair:
        a: int
        b: int = 2

    made = object.__new__(Pair)
    for name, value in (("a", 1), ("b", 2)):
        object.__setattr__(made, name, value)
    use(made)
    assert made == Pair(1)


def test_a_frozen_value_refuses_changes(dataclass: Decorator) -> None:
    @dataclass(frozen=True, slots=True)
    class Place:
        x: int

    place = Place(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        place.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del place.x
    assert place.x == 1


def test_others_can_be_changed_and_are_not_hashed(dataclass: Decorator) -> None:
    @dataclass(slots=True)
    class Count:
        n: int = 0

    count = Count()
    count.n += 1
    assert count == Count(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(count)


def test_identity_counts_without_eq(dataclass: Decorator) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True, eq=False)
    class Handle:
        n: int

    one = Handle(n=1)
    assert one == one
    assert one != Handle(n=1)
    assert {one} == {one}


def test_own_methods_stay(dataclass: Decorator) -> None:
    @dataclass(frozen=True, slots=True)
    class Word:
        text: str
        kind: ClassVar[str] = "word"

        def __repr__(self) -> str:
            return f"<{self.text}>"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Word) and self.text.lower() == other.text.lower()

        def __hash__(self) -> int:
            return hash(self.text.lower())

    assert repr(Word("A")) == "<A>"
    assert Word("A") == Word("a")
    assert {Word("A")} == {Word("a")}
    assert Word.kind == "word"
    assert Word.__match_args__ == ("text",)


def test_fields_are_inherited_and_checked_after_each_init(dataclass: Decorator) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Base:
        x: int

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("below 0")

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Derived(Base):
        y: int = 1

    assert [each.name for each in dataclasses.fields(Derived)] == ["x", "y"]
    assert Derived(x=1) == Derived(x=1, y=1)
    assert Base(x=1) != Derived(x=1)
    with pytest.raises(ValueError, match="below 0"):
        Derived(x=-1)


def test_values_are_copied_and_pickled() -> None:
    point = Point(x=3)
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point


def test_threads_may_use_a_class_for_the_first_time_at_once() -> None:
    for _ in range(20):

        @lazy(frozen=True, slots=True)
        class Pair:
            a: int
            b: int

        made: list[object] = []
        gate = threading.Barrier(4)

        def make(pair: Decorator = Pair, made: list[object] = made, gate: threading.Barrier = gate) -> None:
            gate.wait()
            made.append(pair(1, 2))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [Pair(1, 2)] * 4
