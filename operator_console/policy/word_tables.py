"""Word tables: what words on a control, in a title or in a model's intent say about the effect of an action.

There is one TOML file per language in resources/policy; a new file there adds a language. Every file has every section.
All languages apply at once, because desktops mix them.

Matching ignores case, and accents and spaces inside a phrase, because OCR often loses both. Words match whole
("Undelete" does not match "delete"); in scripts without spaces, substrings match. A trailing `*` in a table matches
any ending of the word; a leading `=` requires the whole text to match. If matches overlap, the longer phrase wins
("Sign in" does not count as "sign"). Phrases of [topics] name a subject: words of a category inside them do not count
("Pay scale"). There, a leading `^` or a trailing `$` ties a phrase to the start or the end of the text, and the whole
text counts as the subject ("How to delete a branch").
"""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operator_console.domain.errors import OperatorError
from operator_console.domain.risk import Category
from operator_console.resource_files import resource_path

_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "’": "'", "‘": "'", "＇": "'"})
_SEPARATORS = re.compile(r"[\s_\-‐‑–—]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")
_INVISIBLE = ("Cf", "Cc")
_AROUND = " .…!?:×✕✓<>()[]“”\"'0123456789▾▸»"
_LONGEST_ORDER = 200
_LONGEST_PART = 4_000
_NEVER_DROPPED = frozenset((Category.DELETE, Category.PAY, Category.SEND, Category.CREDENTIALS, Category.SECURITY))
_VOICING = "\u3099\u309a"  # kana voicing marks distinguish letters and must stay, unlike accents


def fold(text: str) -> str:
    """Normalise a text for comparison: NFKC, case-folded, without accents and invisible characters, single spaces."""
    kept = (c for c in unicodedata.normalize("NFKC", text) if c.isspace() or unicodedata.category(c) not in _INVISIBLE)
    folded = "".join(kept).casefold().translate(_LETTERS).replace("&", "")
    bare = (c for c in unicodedata.normalize("NFD", folded) if not unicodedata.combining(c) or c in _VOICING)
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFC", "".join(bare))).strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTables:
    """The compiled tables of all languages; the patterns match folded text.

    Attributes:
        words: per category, words that apply on a control, in a dialog title and in an intent.
        labels: per category, words that apply on a control only.
        fields: per category, names of fields whose content belongs to the category.
        orders: per category, all its words and labels in their base form, without other endings.
        groups: the other lists by name, as in `GROUPS`.
    """

    words: Mapping[Category, re.Pattern[str]]
    labels: Mapping[Category, re.Pattern[str]]
    fields: Mapping[Category, re.Pattern[str]]
    orders: Mapping[Category, re.Pattern[str]]
    groups: Mapping[str, re.Pattern[str]]

    def in_label(self, text: str) -> tuple[tuple[Category, str], ...]:
        """Categories named by the text of a control, with the matching words."""
        return _search((*self.words.items(), *self.labels.items()), text, self.groups["topics"])

    def as_order(self, text: str) -> tuple[tuple[Category, str], ...]:
        """Categories of which the whole text is one phrase, apart from numbers, punctuation and icons."""
        bare = fold(text[:_LONGEST_ORDER]).strip(_AROUND)
        if self.groups["topics"].fullmatch(bare):
            return ()
        return tuple((category, bare) for category, pattern in self.orders.items() if pattern.fullmatch(bare))

    def in_text(self, text: str) -> tuple[tuple[Category, str], ...]:
        """Categories named in a title or an intent, with the matching words."""
        return _search(self.words.items(), text, self.groups["topics"])

    def in_field(self, text: str) -> tuple[tuple[Category, str], ...]:
        """Categories of a field with this name, with the matching words."""
        return _search(self.fields.items(), text, None)

    def has(self, group: str, text: str) -> bool:
        """Whether the text contains a word of the group."""
        return self.groups[group].search(fold(_bounded(text))) is not None

    def is_exactly(self, group: str, text: str) -> bool:
        """Whether the whole text, apart from punctuation and icons, is one word of the group."""
        return self.groups[group].fullmatch(fold(text[:_LONGEST_ORDER]).strip(_AROUND)) is not None


GROUPS = (
    "confirm", "safe", "submit", "closing", "overwriting", "recipient", "publication", "topics", "opening", "search",
    "files", "trash", "paste",
)  # fmt: skip
"""Lists that belong to no category: what each holds is said in the English table."""
_CATEGORIES = tuple(category.value for category in Category if category is not Category.TERMINAL)
_CATEGORY_LISTS = ("words", "labels", "fields")


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
        OperatorError: There is none, or one cannot be read or is incomplete; the message names the file.
    """
    phrases: dict[str, dict[Category, list[str]]] = {name: defaultdict(list) for name in _CATEGORY_LISTS}
    groups: dict[str, list[str]] = {name: [] for name in GROUPS}
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise _unusable(folder, "It contains no *.toml file.")
    for file in files:
        for section, lists in _sections(file).items():
            if section in groups:
                groups[section] += lists["words"]
                continue
            for name, items in lists.items():
                phrases[name][Category(section)] += items
    return WordTables(
        words=_compiled(phrases["words"]), labels=_compiled(phrases["labels"]), fields=_compiled(phrases["fields"]),
        orders=_compiled({
            category: [
                phrase.replace("*", "").removeprefix("=")
                for name in ("words", "labels") for phrase in phrases[name].get(category, ())
            ]
            for category in Category
        }),
        groups={name: compile_phrases(items) for name, items in groups.items()},
    )  # fmt: skip


def _sections(file: Path) -> dict[str, dict[str, list[str]]]:
    """The lists of each section of a table, checked. An incomplete table would let actions run that need an answer."""
    try:
        sections: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:  # the message of a TOML error names line and column
        raise _unusable(file, f"{error}.") from error
    expected = {*GROUPS, *_CATEGORIES}
    if missing := sorted(expected - sections.keys()):
        raise _unusable(file, f"It has no section {', '.join(f'[{name}]' for name in missing)}.")
    if unknown := sorted(sections.keys() - expected):
        raise _unusable(file, f"{', '.join(unknown)}: not a section of a word table.")
    for section, lists in sections.items():
        allowed = ("words",) if section in GROUPS else _CATEGORY_LISTS
        if not isinstance(lists, dict) or not lists or not set(lists) <= set(allowed):
            raise _unusable(file, f"[{section}] must contain {' or '.join(allowed)}, and nothing else.")
        for name, items in lists.items():
            if not (
                isinstance(items, list)
                and items
                and all(isinstance(item, str) and fold(item).strip("=*^$ ") for item in items)
            ):
                raise _unusable(file, f"{name} of [{section}] must be a list of texts that are not empty.")
    return sections


def _unusable(path: Path, detail: str) -> OperatorError:
    return OperatorError(
        f"The word table “{path}” cannot be used.",
        detail=detail,
        remedy="Correct it, or install the program again.",
    )


def compile_phrases(phrases: Iterable[str]) -> re.Pattern[str]:
    """One pattern that matches any of the phrases in folded text, longer phrases first."""
    parts: dict[str, list[str]] = {"=": [], "^": [], "$": [], "spaced": [], "unspaced": []}
    for phrase in sorted({fold(p) for p in phrases}, key=len, reverse=True):
        tie = phrase[:1] if phrase[:1] in "=^" else phrase[-1:] if phrase[-1:] == "$" else ""
        words = [re.escape(word) for word in phrase.strip("=^$").split(" ")]
        pattern = r"\s*".join(words).replace(r"\*", r"\w*")
        unspaced = _UNSPACED.search(phrase) is not None
        if tie in ("^", "$") and not unspaced:
            pattern = rf"(?<!\w){pattern}(?!\w)"
        parts[tie or ("unspaced" if unspaced else "spaced")].append(pattern)
    joined = {kind: "|".join(patterns) for kind, patterns in parts.items()}
    forms = {
        "=": r"\A\W*(?:{})\W*\Z", "^": r"\A\W*(?:{}).*\Z", "$": r"\A.*(?:{})\W*\Z", "spaced": r"(?<!\w)(?:{})(?!\w)",
        "unspaced": "{}",
    }  # fmt: skip
    return re.compile("|".join(forms[kind].format(some) for kind, some in joined.items() if some) or r"(?!)")


def _compiled(phrases: Mapping[Category, list[str]]) -> dict[Category, re.Pattern[str]]:
    return {category: compile_phrases(items) for category, items in phrases.items() if items}


def _search(
    patterns: Iterable[tuple[Category, re.Pattern[str]]], text: str, topics: re.Pattern[str] | None
) -> tuple[tuple[Category, str], ...]:
    folded = fold(_bounded(text))
    subjects = [match.span() for match in topics.finditer(folded)] if topics is not None else []
    found = [
        (category, match)
        for category, pattern in patterns
        for match in pattern.finditer(folded)
        if not any(first <= match.start() and match.end() <= last for first, last in subjects)
    ]
    kept: dict[Category, str] = {}
    for category, match in found:
        inside = any(other is not category and _inside(match, larger) for other, larger in found)
        if category in _NEVER_DROPPED or not inside:
            kept.setdefault(category, match.group(0).strip())
    return tuple(kept.items())


def _bounded(text: str) -> str:
    """The start and the end of a text that is longer than any control's, title's or intent's."""
    return text if len(text) <= 2 * _LONGEST_PART else f"{text[:_LONGEST_PART]}\n{text[-_LONGEST_PART:]}"


def _inside(match: re.Match[str], larger: re.Match[str]) -> bool:
    (start, end), (first, last) = match.span(), larger.span()
    return first <= start and end <= last and last - first > end - start
