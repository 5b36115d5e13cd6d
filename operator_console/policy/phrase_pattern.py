"""Finds which phrases of a list are in a text, as one regular expression of all of them would, longer phrases first.

An expression is compiled for a phrase only when a text has its first letters where it may begin: to compile one for all
phrases took a third of a second of each start. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from operator_console.policy.phrase_index import UNSPACED

_EDGE = re.compile(r"(?<!\w)(?=.)", re.DOTALL)
_KEY = 2  # characters at the start of a phrase by which it is found
_TIES = {"=": r"\A\W*(?:{})\W*\Z", "^": r"\A\W*(?:{}).*\Z", "$": r"\A.*(?:{})\W*\Z"}


class _Phrase:
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
        self._tied: list[_Phrase] = []
        self._loose: list[_Phrase] = []
        self._words: dict[str, list[_Phrase]] = defaultdict(list)
        self._anywhere: dict[str, list[_Phrase]] = defaultdict(list)
        for rank, text in enumerate(sorted(phrases, key=lambda phrase: (-len(phrase), phrase))):
            phrase = _Phrase(rank, text, source, loose=loose(text))
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

    def _possible(self, text: str) -> Iterator[tuple[int, bool, int, _Phrase]]:
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
    phrases: dict[str, list[_Phrase]], text: str, place: int, *, unspaced: bool
) -> Iterator[tuple[int, bool, int, _Phrase]]:
    for key in (text[place : place + _KEY], text[place]):
        for phrase in phrases.get(key, ()):
            if text.startswith(phrase.start, place):
                yield place, unspaced, phrase.rank, phrase
