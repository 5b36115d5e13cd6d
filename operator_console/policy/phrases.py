"""Finds which of thousands of phrases a short text contains, without compiling one pattern for all of them.

A `*` stands for any characters of a word, at its beginning, end or inside; alone between words, for one word or none. A
leading `=` requires the whole text. In Chinese and Japanese, which have no spaces, substrings match.

`PhrasePattern` does so as one regular expression of all phrases would, longer phrases first. An expression is compiled
for a phrase only when a text has its first letters where it may begin: to compile one for all phrases took a third of a
second of each start. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
_WORD = re.compile(r"\w+(?:['’]\w+)*")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")
"""A character of a script that is written without spaces."""
_KEY = 2  # characters at the start of a phrase by which it is found

_EDGE = re.compile(r"(?<!\w)(?=.)", re.DOTALL)
_TIES = {"=": r"\A\W*(?:{})\W*\Z", "^": r"\A\W*(?:{}).*\Z", "$": r"\A.*(?:{})\W*\Z"}


@dataclass(frozen=True, slots=True)
class _Phrase(Generic[T]):
    """A phrase of which each word is split at its stars; an empty tuple stands for any word."""

    words: tuple[tuple[str, ...], ...]
    whole: bool
    tag: T


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Generic[T]):
    """A phrase found in a text: its tag, its words there, and their first and past-last character."""

    tag: T
    words: str
    start: int
    end: int


class PhraseIndex(Generic[T]):
    """An index of phrases that have a tag each.

    Args:
        phrases: the phrases with their tags, folded as the texts that are searched.
        bare: removes what may be written together with a word, such as an article.
    """

    def __init__(self, phrases: Iterable[tuple[str, T]], bare: Callable[[str], str] = str) -> None:
        self._bare = bare
        # A phrase is split when a text has its first letters: to split all of them took a tenth of a second of a start.
        self._unsplit: dict[str, list[tuple[str, T]]] = defaultdict(list)
        self._by_start: dict[str, list[_Phrase[T]]] = {}
        self._loose: list[tuple[str, _Phrase[T]]] = []
        self._unspaced: list[tuple[str, bool, T]] = []
        for phrase, tag in phrases:
            text = phrase.removeprefix("=")
            if not text.isascii() and UNSPACED.search(text):
                self._unspaced.append((text.replace("*", "").replace(" ", ""), text != phrase, tag))
                continue
            first = bare(text.split(" ", 1)[0])
            start = first.split("*", 1)[0]
            if len(start) >= _KEY or (first == start != ""):
                self._unsplit[start[:_KEY]].append((phrase, tag))
            elif parts := _parts(first):
                self._loose.append((max(parts, key=len), self._split(phrase, tag)))

    def search(self, text: str) -> Iterator[Match[T]]:
        """The phrases in a text that is folded like them."""
        places = [(match.start(), match.end()) for match in _WORD.finditer(text)]
        words = [self._bare(text[start:end]) for start, end in places]
        for number, word in enumerate(words):
            for phrase in (*self._starting(word[:_KEY]), *(p for core, p in self._loose if core in word)):
                count = _length(phrase.words, words[number:])
                if count and (not phrase.whole or (number == 0 and count == len(words))):
                    start, end = places[number][0], places[number + count - 1][1]
                    yield Match(tag=phrase.tag, words=text[start:end], start=start, end=end)
        if UNSPACED.search(text):
            yield from self._substrings(text)

    def _substrings(self, text: str) -> Iterator[Match[T]]:
        bare = text.strip(" .…!?:[]()（）「」“”。、")
        for phrase, whole, tag in self._unspaced:
            place = text.find(phrase)
            if place >= 0 and (not whole or bare == phrase):
                yield Match(tag=tag, words=phrase, start=place, end=place + len(phrase))

    def _starting(self, start: str) -> Sequence[_Phrase[T]]:
        if unsplit := self._unsplit.get(start):
            self._by_start[start] = [self._split(phrase, tag) for phrase, tag in unsplit]
            self._unsplit.pop(start, None)  # only now, and perhaps twice: another thread may be searching
        return self._by_start.get(start, ())

    def _split(self, phrase: str, tag: T) -> _Phrase[T]:
        text = phrase.removeprefix("=")
        return _Phrase(tuple(_parts(self._bare(word)) for word in text.split()), text != phrase, tag)


def _parts(word: str) -> tuple[str, ...]:
    return () if word == "*" else tuple(word.split("*"))


def _length(phrase: Sequence[tuple[str, ...]], words: Sequence[str]) -> int:
    """How many words at the beginning the phrase covers; 0 where it does not match."""
    if not phrase:
        return 0
    if not phrase[0]:
        rest = _length(phrase[1:], words)
        longer = 0 if rest else _length(phrase[1:], words[1:])
        return rest or (longer + 1 if longer else 0)
    if not words or not _fits(phrase[0], words[0]):
        return 0
    if len(phrase) == 1:
        return 1
    rest = _length(phrase[1:], words[1:])
    return rest + 1 if rest else 0


def _fits(parts: tuple[str, ...], word: str) -> bool:
    if len(parts) == 1:
        return word == parts[0]
    if len(word) < sum(map(len, parts)) or not (word.startswith(parts[0]) and word.endswith(parts[-1])):
        return False
    place = len(parts[0])
    for part in parts[1:-1]:
        found = word.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return place <= len(word) - len(parts[-1])


class _Expression:
    """One phrase, folded. `start` is what a match begins with; `core` is in every text that matches."""

    __slots__ = ("_compiled", "_source", "core", "rank", "start", "tie", "unspaced")

    def __init__(self, rank: int, phrase: str, source: Callable[[str], str], *, loose: bool) -> None:
        tie = phrase[:1] if phrase[:1] in _TIES and phrase[:1] != "$" else phrase[-1:] if phrase[-1:] == "$" else ""
        bare = phrase.strip("=^$")
        first = bare.split(" ", 1)[0].split("*")
        self.rank = rank
        self.tie = tie
        self.unspaced = UNSPACED.search(phrase) is not None
        self.start = "" if loose else first[0]
        self.core = max(first, key=len)
        self._source = (source, bare)
        self._compiled: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        if self._compiled is None:
            source, bare = self._source
            text = source(bare)
            if not self.unspaced and self.tie != "=":
                text = rf"(?<!\w){text}(?!\w)"
            self._compiled = re.compile(_TIES[self.tie].format(text) if self.tie else text)
        return self._compiled


class PhrasePattern:
    """The phrases of a list.

    A leading `=` ties a phrase to the whole text, a leading `^` to its start and a trailing `$` to its end; its match
    spans the text. Others match whole words, those in Chinese and Japanese anywhere.

    Args:
        phrases: folded, without repetition.
        source: the regular expression of a phrase without its tie.
        loose: whether a match of a phrase may begin with something else than its first letters.
    """

    def __init__(self, phrases: Iterable[str], source: Callable[[str], str], loose: Callable[[str], bool]) -> None:
        self._tied: list[_Expression] = []
        self._loose: list[_Expression] = []
        self._words: dict[str, list[_Expression]] = defaultdict(list)
        self._anywhere: dict[str, list[_Expression]] = defaultdict(list)
        for rank, text in enumerate(sorted(phrases, key=lambda phrase: (-len(phrase), phrase))):
            phrase = _Expression(rank, text, source, loose=loose(text))
            if phrase.tie:
                self._tied.append(phrase)
            elif not phrase.start:
                self._loose.append(phrase)
            else:
                (self._anywhere if phrase.unspaced else self._words)[phrase.start[:_KEY]].append(phrase)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """The matches in a folded text, from left to right; none overlaps another."""
        for phrase in self._tied:
            if phrase.core in text and (match := phrase.pattern.match(text)):
                yield match
                return
        end = 0
        for place, _, _, phrase in sorted(self._possible(text), key=lambda possible: possible[:3]):
            if place >= end and (match := phrase.pattern.match(text, place)):
                yield match
                end = match.end()

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in a folded text."""
        return next(self.finditer(text), None)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """A match that spans a folded text."""
        for phrase in self._tied:
            if phrase.core in text and (match := phrase.pattern.fullmatch(text)):
                return match
        for place, _, _, phrase in self._possible(text):
            if place == 0 and (match := phrase.pattern.fullmatch(text)):
                return match
        return None

    def _possible(self, text: str) -> Iterator[tuple[int, bool, int, _Expression]]:
        """Places where a phrase may begin: of words at their edges, of others (the second value) anywhere."""
        edges = [match.start() for match in _EDGE.finditer(text)]
        for place in edges:
            yield from _at(self._words, text, place, unspaced=False)
        everywhere = range(len(text)) if UNSPACED.search(text) else range(0)
        for place in everywhere:
            yield from _at(self._anywhere, text, place, unspaced=True)
        for phrase in self._loose:
            if phrase.core in text:
                for place in everywhere if phrase.unspaced else edges:
                    yield place, phrase.unspaced, phrase.rank, phrase


def _at(
    phrases: dict[str, list[_Expression]], text: str, place: int, *, unspaced: bool
) -> Iterator[tuple[int, bool, int, _Expression]]:
    for key in (text[place : place + _KEY], text[place]):
        for phrase in phrases.get(key, ()):
            if text.startswith(phrase.start, place):
                yield place, unspaced, phrase.rank, phrase
