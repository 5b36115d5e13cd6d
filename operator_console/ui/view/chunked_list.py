"""An immutable sequence that grows cheaply: copies share their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Generic, TypeVar, overload

CHUNK = 64

T = TypeVar("T")


class ChunkedList(Sequence[T], Generic[T]):
    """A sequence whose `appended` and `changed` copy one chunk and the list of chunks, not every entry.

    Args:
        entries: the entries, in order.
    """

    __slots__ = ("_chunks", "_length")

    def __init__(self, entries: Sequence[T] = ()) -> None:
        self._chunks: tuple[tuple[T, ...], ...] = tuple(
            tuple(entries[start : start + CHUNK]) for start in range(0, len(entries), CHUNK)
        )
        self._length = len(entries)

    def appended(self, entry: T) -> ChunkedList[T]:
        """With one more entry."""
        whole, last = (self._chunks[:-1], self._chunks[-1]) if self._length % CHUNK else (self._chunks, ())
        return self._made((*whole, (*last, entry)), self._length + 1)

    def changed(self, place: int, entry: T) -> ChunkedList[T]:
        """With another entry at `place`, which is not negative."""
        number, inside = divmod(place, CHUNK)
        old = self._chunks[number]
        chunk = (*old[:inside], entry, *old[inside + 1 :])
        return self._made((*self._chunks[:number], chunk, *self._chunks[number + 1 :]), self._length)

    def same_until(self, other: ChunkedList[T]) -> int:
        """How many entries from the first on are the same objects in both."""
        same = 0
        for mine, theirs in zip(self._chunks, other._chunks, strict=False):
            if mine is theirs:
                same += len(mine)
                continue
            for one, another in zip(mine, theirs, strict=False):
                if one is not another:
                    return same
                same += 1
            if len(mine) < CHUNK or len(theirs) < CHUNK:
                return same
        return same

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...

    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        """An entry, or some of them as a tuple."""
        if isinstance(place, slice):
            return tuple(self[number] for number in range(*place.indices(self._length)))
        if place < 0:
            place += self._length
        if not 0 <= place < self._length:
            raise IndexError(place)
        return self._chunks[place // CHUNK][place % CHUNK]

    def __len__(self) -> int:
        """The number of entries."""
        return self._length

    def __iter__(self) -> Iterator[T]:
        """The entries in order."""
        return chain.from_iterable(self._chunks)

    def __reversed__(self) -> Iterator[T]:
        """The entries, the last first."""
        return chain.from_iterable(map(reversed, reversed(self._chunks)))

    def __eq__(self, other: object) -> bool:
        """Whether the other is such a list with equal entries."""
        return isinstance(other, ChunkedList) and self._chunks == other._chunks

    def __hash__(self) -> int:
        """By its entries."""
        return hash(self._chunks)

    def __repr__(self) -> str:
        """With its entries."""
        return f"ChunkedList({list(self)!r})"

    def _made(self, chunks: tuple[tuple[T, ...], ...], length: int) -> ChunkedList[T]:
        made: ChunkedList[T] = ChunkedList()
        made._chunks, made._length = chunks, length
        return made
