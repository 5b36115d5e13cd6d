"""Word tables: what words on a control, in a title or in a model's intent say about the effect of an action.

There is one TOML file per language in resources/policy; a new file there adds a language. Every file has every section.
All languages apply at once, because desktops mix them.

Matching ignores case, and accents and spaces inside a phrase, because OCR often loses both. Words match whole
("Undelete" does not match "delete"); in Chinese and Japanese, which have no spaces, substrings match. A trailing `*` in
a table matches any ending of the word, for inflection; a leading `*` any beginning, for Korean compounds; a leading `=`
requires the whole text to match. Arabic words match with and without the article and the prefixes that are written
together with it. If matches overlap, the longer phrase wins ("Sign in" does not count as "sign").

`verbs` are in any form ("delet*") and count only where something is carried out: on push buttons, in menus and in what
a dialog asks. In them and in the long lists a `*` may stand anywhere in a word, and alone for one word or none.

Phrases of [topics] name a subject: words of a category inside them do not count ("Pay scale"). There, a leading `^` or
a trailing `$` ties a phrase to the start or the end of the text, and the whole text counts as the subject ("How to
delete a branch").
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import tomli

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.risk import Category
from operator_console.policy.phrases import PhraseIndex, PhrasePattern
from operator_console.resource_files import resource_path

_SEPARATORS = re.compile(r"[\s_\-‐‑–—]+")
_MNEMONIC = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])(?: ?\([a-z0-9]\))+")
_ARABIC = re.compile(r"[\u0621-\u064a]")
_ARABIC_STEM = 3  # letters
_ARABIC_PREFIX = "[وف]?(?:[بكل]?ال|لل|[بل])?"  # and, so; with, like, for; the
_BETWEEN = "\u2980"  # in no phrase, and left as it is by each normalization
_ARTICLE = re.compile(r"(?<!\w)[وف]?(?:[بكل]?ال|لل)(?=[\u0621-\u064a]{2})")
_KOREAN_ENDING = re.compile(r"(?<=[\uac00-\ud7af])(?:하기|합니다|하시겠습니까|할까요|하세요|할게요|됩니다)\*?$")
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_PARTICLES = re.compile(r"^[をにへのがはともで]+|(?:する|します|をする)$|^[のがを]$")  # of Japanese, around a word
_AROUND = re.compile(r"^[\W\d_]+|[\W\d_]+$")  # numbers, punctuation and icons, as emoji are
_LAST_KEPT = 0xFFFF  # of the characters of which `_Folding` remembers what it made: a page can show all there are
_LONGEST_ORDER = 200
_LONGEST_PART = 4_000
_REMEMBERED = 400  # characters
# A longer text without any accent is in a language that has none; OCR loses some of them, not all.
_MOST_WORDS_WITHOUT_ACCENTS = 4
_NEVER_DROPPED = frozenset((Category.DELETE, Category.PAY, Category.SEND, Category.CREDENTIALS, Category.SECURITY))
Found: TypeAlias = tuple[tuple[Category, str], ...]
"""Categories with the words that name them."""


def includes(found: Found, *categories: Category) -> bool:
    """Whether one of the categories is among those that were found."""
    return any(category in categories for category, _ in found)


class _Folding(dict[int, str | None]):
    """Of each character of a decomposed text what `fold` makes of it, made when it first occurs."""

    _LETTERS: ClassVar[dict[str, str | None]] = {
        "ł": "l", "ø": "o", "đ": "d", "ı": "i", "’": "'", "‘": "'", "ʼ": "'", "＇": "'", "&": None,
        # Arabic letters that are often written for each other, their Persian forms, and the line that stretches a word.
        "ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ـ": None, "،": ",", "、": ",",
    }  # fmt: skip
    _VOICING = "\u3099\u309a"  # marks that distinguish kana letters and must stay, unlike accents
    _INVISIBLE = ("Cf", "Cc")

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        accent = unicodedata.combining(character) and character not in self._VOICING
        invisible = unicodedata.category(character) in self._INVISIBLE and not character.isspace()
        made = None if accent or invisible else self._LETTERS.get(character, character)
        if code <= _LAST_KEPT:
            self[code] = made
        return made


_FOLDING = _Folding()
_ASCII_DROPPED = dict.fromkeys(code for code in range(128) if _FOLDING[code] is None)


def fold(text: str) -> str:
    """Normalise a text for comparison: NFKC, case-folded, without accents and invisible characters, single spaces.

    The access key that follows a label in East Asian scripts, "취소(C)", is removed.
    """
    if text.isascii():  # most phrases of the tables: it takes a tenth of the time
        return _SEPARATORS.sub(" ", text.lower().translate(_ASCII_DROPPED)).strip()
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold()).translate(_FOLDING)
    spaced = _SEPARATORS.sub(" ", unicodedata.normalize("NFC", folded))
    return (_MNEMONIC.sub("", spaced) if "(" in spaced else spaced).strip()


def fold_each(texts: Iterable[str]) -> dict[str, str]:
    """Each text with what `fold` makes of it, in a third of the time that it takes for each alone."""
    different = list(dict.fromkeys(texts))
    folded = fold(_BETWEEN.join(different)).split(_BETWEEN)
    if len(folded) != len(different):  # a text holds the character
        return {text: fold(text) for text in different}
    return dict(zip(different, map(str.strip, folded), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WordTables:
    """The compiled tables of all languages; the patterns match folded text.

    Attributes:
        words: per category, words that apply on a control, in a dialog title and in an intent.
        labels: per category, words that apply on a control only.
        verbs: per category, verbs in any form, which apply on push buttons and menu entries and in questions only.
        fields: per category, names of fields whose content belongs to the category.
        accented: words that are written with accents in every table, folded to plain letters.
        orders: all words and labels in their base form, folded, without spaces, with their categories.
        groups: the short lists that belong to no category, by name.
        wholes: the lists of whole texts by name, as in `WHOLES`, without spaces.
        indexed: the long lists by name, as in `INDEXED`; the tag of a phrase is whether its accents were removed.
    """

    words: Mapping[Category, PhrasePattern]
    labels: Mapping[Category, PhrasePattern]
    verbs: PhraseIndex[Category]
    fields: Mapping[Category, PhrasePattern]
    accented: frozenset[str]
    orders: Mapping[str, tuple[Category, ...]]
    groups: Mapping[str, PhrasePattern]
    wholes: Mapping[str, frozenset[str]]
    indexed: Mapping[str, PhraseIndex[bool]]

    def in_label(self, text: str) -> Found:
        """Categories named by the text of a control, with the matching words."""
        return _remembered(_in_label, self, text)

    def as_order(self, text: str) -> Found:
        """Categories of which the whole text is one phrase, apart from numbers, punctuation and icons."""
        return _remembered(_as_order, self, text[:_LONGEST_ORDER])

    def in_text(self, text: str) -> Found:
        """Categories named in a title or an intent, with the matching words."""
        return _remembered(_in_text, self, text)

    def in_intent(self, text: str) -> Found:
        """As `in_text`, for a model's words, which have their accents: “place” is no “płacę”, but may be an order's."""
        found = self.in_text(text)
        if not text.isascii() or all(words not in self.accented for _category, words in found):
            return found
        verbs = {category for category, _words in self.in_button(text)}
        return tuple(each for each in found if each[1] not in self.accented or each[0] in verbs)

    def in_button(self, text: str) -> Found:
        """Categories of which a verb, in any form, is on a push button or in a question."""
        return _remembered(_in_button, self, text)

    def as_result(self, text: str) -> Found:
        """Categories of which a verb, in any form, is in the name of a place that something is put into, whatever
        subject that names elsewhere: “Published”, “Deleted items”."""
        return _remembered(_as_result, self, text)

    def in_control(self, text: str) -> Found:
        """Categories that the text of a control names by any word, then those by a verb in any form."""
        return (*self.in_label(text), *self.in_button(text))

    def as_verb(self, text: str) -> Found:
        """Categories of which a verb, in any form and with its object, is the whole text."""
        bare = _AROUND.sub("", fold(text[:_LONGEST_ORDER]))
        return tuple(named for named in self.in_button(text) if named[1] == bare)

    def in_field(self, text: str) -> Found:
        """Categories of a field with this name, with the matching words."""
        return _remembered(_in_field, self, text)

    def has(self, group: str, text: str) -> bool:
        """Whether the text contains a word of the group."""
        if group in self.indexed:
            return _indexed(self.indexed[group], text[:_REMEMBERED])
        pattern = self.groups[group]
        return _matched(pattern, text) if len(text) <= _REMEMBERED else bool(pattern.search(fold(_bounded(text))))

    def outside(self, group: str, text: str) -> tuple[str, ...]:
        """The words of a text that no phrase of a group that is `INDEXED` contains; in scripts without spaces, the runs
        of characters between such phrases."""
        return _outside(self.indexed[group], text[:_REMEMBERED])

    def is_made_of(self, groups: tuple[str, ...], text: str) -> bool:
        """Whether each word of a text is in a phrase of one of some groups that are `INDEXED`; numbers do not count."""
        return _made_of(tuple(self.indexed[group] for group in groups), text[:_REMEMBERED])

    def is_at_edge(self, group: str, text: str) -> bool:
        """Whether the text begins or ends with a phrase of a group that is `INDEXED`."""
        return _indexed_at_edge(self.indexed[group], text[:_REMEMBERED])

    def is_exactly(self, group: str, text: str) -> bool:
        """Whether the whole text, apart from punctuation and icons, is one word of a group that is not `INDEXED`."""
        if group in self.wholes:
            return _whole(text[:_LONGEST_ORDER]) in self.wholes[group]
        return _matched_whole(self.groups[group], text[:_LONGEST_ORDER])


GROUPS = (
    "confirm", "safe", "submit", "closing", "overwriting", "recipient", "publication", "topics", "opening", "search",
    "files", "trash", "paste", "harmless", "warning", "protection", "message", "updating", "trifles", "saving",
    "assent", "declining", "tracking", "switching-off", "restoring", "at-once", "vague", "outward", "documents",
    "undoing", "entering", "noted", "appearance", "reading", "changing", "keeping",
    "ending", "quantities", "nothing-yet", "resuming", "pastimes", "refusing", "under-way", "unchanged", "adding",
    "own-things", "small-words", "sender", "addressee", "answering", "paying",
    "switching", "looks", "concluding", "proofs", "codes", "rejecting",
    "taking-out", "existing", "playing", "broadcasts", "marks", "versions", "pointed", "nouns",
    "unsaved", "liking", "staking", "plain-no", "without", "limits", "phrase-words", "wallets",
    "roles", "counting", "counted", "turning", "turned", "time-spans", "applying", "clearing", "everything",
    "linking", "settings",
)  # fmt: skip
"""Lists that belong to no category: what each holds is said in the English table."""
INDEXED = ("harmless", "warning", "protection", "message", "trifles", "declining", "tracking", "at-once",
           "publication", "outward", "documents", "entering", "appearance", "changing",
           "keeping", "ending", "quantities", "nothing-yet", "resuming", "pastimes", "refusing", "under-way",
           "unchanged", "adding", "own-things", "small-words", "paying", "switching", "looks",
           "concluding", "proofs", "codes", "taking-out", "existing", "playing", "broadcasts", "marks",
           "versions", "pointed", "unsaved", "without", "phrase-words", "wallets", "roles",
           "counting", "counted", "turning", "turned", "time-spans")  # fmt: skip
"""Long lists, of which only `has` can be asked."""
WHOLES = (
    "opening",
    "paste",
    "updating",
    "assent",
    "switching-off",
    "restoring",
    "vague",
    "undoing",
    "noted",
    "sender",
    "addressee",
    "answering",
    "rejecting",
    "nouns",
    "liking",
    "staking",
    "plain-no",
    "limits",
    "applying",
    "clearing",
    "everything",
    "linking",
    "settings",
)
"""Lists without stars, of which only `is_exactly` can be asked."""
NAMED = tuple(category for category in Category if category not in (Category.TERMINAL, Category.UNKNOWN))
"""The categories that words name."""
_CATEGORIES = tuple(category.value for category in NAMED)
_CATEGORY_LISTS = ("words", "labels", "verbs", "fields")


@functools.cache
def tables() -> WordTables:
    """The shipped tables, loaded once.

    Raises:
        FileNotFoundError: The installation has no folder of tables.
        OperatorError: As `load`.
    """
    return load(resource_path("policy"))


def load(folder: Path) -> WordTables:
    """Compile all tables (*.toml) of a folder.

    Raises:
        OperatorError: There is none, or one cannot be read or is incomplete; the message names the file and the line.
    """
    phrases: dict[str, dict[Category, list[str]]] = {name: defaultdict(list) for name in _CATEGORY_LISTS}
    groups: dict[str, list[str]] = {name: [] for name in GROUPS}
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise _unusable(folder, notice(NoticeCode.NO_WORD_TABLE))
    for file in files:
        for section, lists in _sections(file).items():
            if section in groups:
                groups[section] += lists["words"]
                continue
            for name, items in lists.items():
                phrases[name][Category(section)] += items
    folded = fold_each(chain(*groups.values(), *(items for lists in phrases.values() for items in lists.values())))
    verbs = ((folded[item], name) for name, items in phrases["verbs"].items() for item in items)
    return WordTables(
        words=_patterns(phrases["words"], folded), labels=_patterns(phrases["labels"], folded),
        verbs=PhraseIndex(verbs, _bare_word),
        fields=_patterns(phrases["fields"], folded),
        accented=_accented(folded, phrases["words"]),
        orders=_orders(folded, phrases["words"], phrases["labels"]),
        groups={
            name: _pattern(map(folded.__getitem__, items))
            for name, items in groups.items() if name not in (*INDEXED, *WHOLES)
        },
        wholes={name: frozenset(_squeezed(folded[item].strip("=")) for item in groups[name]) for name in WHOLES},
        indexed={
            name: PhraseIndex(((folded[item], _loses_accents(item, folded[item])) for item in groups[name]), _bare_word)
            for name in INDEXED
        },
    )  # fmt: skip


def _accented(folded: Mapping[str, str], words: Mapping[Category, Sequence[str]]) -> frozenset[str]:
    items = {item for each in words.values() for item in each}
    plain = {folded[item] for item in items if item.isascii()}
    return frozenset(folded[item] for item in items if folded[item].isascii() and folded[item].isalpha()) - plain


def _loses_accents(phrase: str, folded: str) -> bool:
    return folded.isascii() and not phrase.isascii()


def _sections(file: Path) -> dict[str, dict[str, list[str]]]:
    """The lists of each section of a table, checked. An incomplete table would let actions run that need an answer."""
    text = _text(file)
    try:
        sections: dict[str, Any] = tomli.loads(text)
    except tomli.TOMLDecodeError as error:  # its message names line and column
        raise _unusable(file, f"{error}.") from error
    expected = {*GROUPS, *_CATEGORIES}
    if missing := sorted(expected - sections.keys()):
        names = ", ".join(f"[{name}]" for name in missing)
        end = len(text.splitlines())
        raise _unusable(file, notice(NoticeCode.WORD_TABLE_CUT_OFF, line=end, sections=names))
    for section, lists in sections.items():
        if section not in expected:
            line = _line(text, section)
            raise _unusable(file, notice(NoticeCode.UNKNOWN_WORD_SECTION, line=line, section=section))
        allowed = ("words",) if section in GROUPS else _CATEGORY_LISTS
        if not isinstance(lists, dict) or not lists:
            line, names = _line(text, section), ", ".join(allowed)
            raise _unusable(file, notice(NoticeCode.WORD_SECTION_EMPTY, line=line, section=section, lists=names))
        for name, items in lists.items():
            _check_list(file, text, section, name, items, allowed)
    return sections


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _unusable(file, notice(NoticeCode.NOT_UTF8_IN_LINE, line=line, error=error.reason)) from error
    except OSError as error:
        raise _unusable(file, f"{error}.") from error


def _check_list(file: Path, text: str, section: str, name: str, items: object, allowed: tuple[str, ...]) -> None:
    if name not in allowed:
        line, names = _line(text, section, name), ", ".join(allowed)
        raise _unusable(file, notice(NoticeCode.UNKNOWN_WORD_LIST, line=line, section=section, list=name, lists=names))
    if not isinstance(items, list) or not items:
        line = _line(text, section, name)
        raise _unusable(file, notice(NoticeCode.WORD_LIST_EMPTY, line=line, section=section, list=name))
    for item in items:
        if not isinstance(item, str) or not (any(map(str.isalnum, item)) or fold(item).strip("=*^$ ")):
            line = _line(text, section, name)
            raise _unusable(file, notice(NoticeCode.WORD_EMPTY, line=line, section=section, list=name, item=repr(item)))


def _line(text: str, section: str, name: str | None = None) -> int:
    """The number of the line, from 1, where a section or a list in it begins."""
    number = _first(text, rf"\s*\[?\s*[\"']?{re.escape(section)}[\"']?\s*[].=]", 0)
    if name is not None:
        own = _first(text, rf".*?[\"']?\b{re.escape(name)}[\"']?\s*=", number - 1)
        after = _first(text, r"\s*\[[^\[]", number)
        number = own if own < after else number
    return number


def _first(text: str, pattern: str, start: int) -> int:
    """The number (from 1) of the first line from index `start` on that begins with the pattern; past the end: none."""
    lines = text.splitlines()
    return next((i + 1 for i in range(start, len(lines)) if re.match(pattern, lines[i])), len(lines) + 1)


def _unusable(path: Path, detail: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.WORD_TABLE_UNUSABLE, path=str(path)),
        detail=detail,
        remedy=notice(NoticeCode.CORRECT_OR_REINSTALL),
    )


def _pattern(folded: Iterable[str]) -> PhrasePattern:
    return PhrasePattern(set(folded), _source, _takes_prefix)


def _patterns(phrases: Mapping[Category, list[str]], folded: Mapping[str, str]) -> dict[Category, PhrasePattern]:
    return {category: _pattern(map(folded.__getitem__, items)) for category, items in phrases.items() if items}


def _source(phrase: str) -> str:
    """The regular expression of a phrase."""
    return ",? ?".join(_words(phrase))


def _words(phrase: str) -> Iterator[str]:
    """A pattern for each word. A short Arabic word takes prefixes only inside a phrase: alone it would be another."""
    for number, word in enumerate(phrase.split(" ")):
        prefix = _ARABIC_PREFIX if (_takes_prefix(word) if not number else _ARABIC.match(word)) else ""
        yield prefix + re.escape(word).replace(r"\*", r"\w*")


def _takes_prefix(phrase: str) -> bool:
    """Whether the first word may have one."""
    first = phrase.strip("=^$").split(" ", 1)[0]
    return _ARABIC.match(first) is not None and len(first.strip("*")) >= _ARABIC_STEM


def _orders(folded: Mapping[str, str], *lists: Mapping[Category, list[str]]) -> Mapping[str, tuple[Category, ...]]:
    orders: dict[str, dict[Category, None]] = defaultdict(dict)
    for phrases in lists:
        for category, items in phrases.items():
            for phrase in items:
                orders[_squeezed(folded[phrase].replace("*", "").removeprefix("="))][category] = None
    return {text: tuple(categories) for text, categories in orders.items()}


def _bare_word(word: str) -> str:
    """A word without the article of Arabic, or without the ending that makes a Korean noun a verb."""
    return word if word.isascii() else _KOREAN_ENDING.sub("", _ARTICLE.sub("", word))


def _squeezed(text: str) -> str:
    return re.sub(r"[\s,]", "", _ARTICLE.sub("", text))


def _remembered(look: Callable[[WordTables, str], Found], words: WordTables, text: str) -> Found:
    """The words found in a text; those of short texts are kept, because titles and labels come again and again."""
    return _kept(look, words, text) if len(text) <= _REMEMBERED else look(words, text)


@functools.lru_cache(maxsize=4096)
def _kept(look: Callable[[WordTables, str], Found], words: WordTables, text: str) -> Found:
    return look(words, text)


@functools.lru_cache(maxsize=4096)
def _matched(pattern: PhrasePattern, text: str) -> bool:
    return pattern.search(fold(text)) is not None


@functools.lru_cache(maxsize=4096)
def _indexed(index: PhraseIndex[bool], text: str) -> bool:
    plain = text.isascii() and (len(_WORDS.findall(text)) > _MOST_WORDS_WITHOUT_ACCENTS or _ends_sentence(text))
    return any(not (plain and found.tag) for found in index.search(fold(text)))


def _ends_sentence(text: str) -> bool:
    """Whether it is the end of a sentence that began in the line above: “eu, sit aliquet.”"""
    return " " in text and text[:1].islower() and text.endswith(".")


@functools.lru_cache(maxsize=4096)
def _indexed_at_edge(index: PhraseIndex[bool], text: str) -> bool:
    folded = _AROUND.sub("", fold(text))
    return any(found.start == 0 or found.end == len(folded) for found in index.search(folded))


@functools.lru_cache(maxsize=4096)
def _outside(index: PhraseIndex[bool], text: str) -> tuple[str, ...]:
    return _left((index,), fold(text))


@functools.lru_cache(maxsize=1024)
def _made_of(indexes: tuple[PhraseIndex[bool], ...], text: str) -> bool:
    return not _left(indexes, fold(text))


def _left(indexes: Iterable[PhraseIndex[bool]], folded: str) -> tuple[str, ...]:
    left = list(folded)
    for index in indexes:
        for found in index.search(folded):
            left[found.start : found.end] = " " * (found.end - found.start)
    return tuple(filter(None, (_PARTICLES.sub("", word) for word in _WORDS.findall("".join(left)))))


@functools.lru_cache(maxsize=4096)
def _whole(text: str) -> str:
    return _squeezed(_AROUND.sub("", fold(text)))


@functools.lru_cache(maxsize=4096)
def _matched_whole(pattern: PhrasePattern, text: str) -> bool:
    return pattern.fullmatch(_AROUND.sub("", fold(text))) is not None


def _in_label(words: WordTables, text: str) -> Found:
    return _search((*words.words.items(), *words.labels.items()), text, words.groups["topics"])


def _in_text(words: WordTables, text: str) -> Found:
    return _search(words.words.items(), text, words.groups["topics"])


def _in_button(words: WordTables, text: str) -> Found:
    folded = fold(_bounded(text))
    subjects = _subjects(words.groups["topics"], folded)
    found: dict[Category, str] = {}
    for match in words.verbs.search(folded):
        if not _in_any(subjects, match.start, match.end) and len(match.words) > len(found.get(match.tag, "")):
            found[match.tag] = match.words
    return tuple(found.items())


def _as_result(words: WordTables, text: str) -> Found:
    return tuple(dict.fromkeys((match.tag, match.words) for match in words.verbs.search(fold(_bounded(text)))))


def _in_field(words: WordTables, text: str) -> Found:
    return _search(words.fields.items(), text, None)


def _as_order(words: WordTables, text: str) -> Found:
    bare = _AROUND.sub("", fold(text))
    if words.groups["topics"].fullmatch(bare):
        return ()
    return tuple((category, bare) for category in words.orders.get(_squeezed(bare), ()))


def _search(patterns: Iterable[tuple[Category, PhrasePattern]], text: str, topics: PhrasePattern | None) -> Found:
    folded = fold(_bounded(text))
    subjects = _subjects(topics, folded) if topics is not None else []
    found = [
        (category, match)
        for category, pattern in patterns
        for match in pattern.finditer(folded)
        if not _in_any(subjects, match.start(), match.end())
    ]
    kept: dict[Category, str] = {}
    for category, match in found:
        inside = any(other is not category and _inside(match, larger) for other, larger in found)
        if category in _NEVER_DROPPED or not inside:
            kept.setdefault(category, match.group(0).strip())
    return tuple(kept.items())


def _subjects(topics: PhrasePattern, folded: str) -> list[tuple[int, int]]:
    """First and past-last character of each phrase that names a subject."""
    return [match.span() for match in topics.finditer(folded)]


def _in_any(spans: Iterable[tuple[int, int]], start: int, end: int) -> bool:
    return any(first <= start and end <= last for first, last in spans)


def _bounded(text: str) -> str:
    """The start and the end of a text that is longer than any control's, title's or intent's."""
    return text if len(text) <= 2 * _LONGEST_PART else f"{text[:_LONGEST_PART]}\n{text[-_LONGEST_PART:]}"


def _inside(match: re.Match[str], larger: re.Match[str]) -> bool:
    (start, end), (first, last) = match.span(), larger.span()
    return first <= start and end <= last and last - first > end - start
