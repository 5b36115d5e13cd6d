"""Word tables: what words on a control, in a title or in a model's intent say about the effect of an action.

There is one TOML file per language in resources/policy. All languages apply at once, because desktops mix them.
Matching ignores case, and accents and spaces inside a phrase, because OCR often loses both. Words match whole
("Undelete" does not match "delete"); in scripts without spaces, substrings match. A trailing `*` in a table matches
any ending of the word; a leading `=` requires the whole text to match. If matches overlap, the longer phrase wins
("Sign in" does not count as "sign").
"""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from operator_console.domain.risk import Category
from operator_console.resource_files import resource_path

LANGUAGES = ("en", "pl", "de", "fr", "es", "zh", "ja", "ru")

_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "’": "'", "‘": "'", "＇": "'"})
_SEPARATORS = re.compile(r"[\s_\-‐‑–—]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")
_INVISIBLE = ("Cf", "Cc")
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
        groups: the other lists by name: confirm, safe, submit, closing, overwriting, recipient, publication.
    """

    words: Mapping[Category, re.Pattern[str]]
    labels: Mapping[Category, re.Pattern[str]]
    fields: Mapping[Category, re.Pattern[str]]
    groups: Mapping[str, re.Pattern[str]]

    def in_label(self, text: str) -> tuple[tuple[Category, str], ...]:
        """Categories named by the text of a control, with the matching words."""
        return _search((*self.words.items(), *self.labels.items()), text)

    def in_text(self, text: str) -> tuple[tuple[Category, str], ...]:
        """Categories named in a title or an intent, with the matching words."""
        return _search(self.words.items(), text)

    def in_field(self, text: str) -> tuple[tuple[Category, str], ...]:
        """Categories of a field with this name, with the matching words."""
        return _search(self.fields.items(), text)

    def has(self, group: str, text: str) -> bool:
        """Whether the text contains a word of the group."""
        return self.groups[group].search(fold(text)) is not None

    def is_exactly(self, group: str, text: str) -> bool:
        """Whether the whole text, apart from punctuation and icons, is one word of the group."""
        return self.groups[group].fullmatch(fold(text).strip(" .…!?:×✕✓<>()[]")) is not None


GROUPS = ("confirm", "safe", "submit", "closing", "overwriting", "recipient", "publication")


@functools.cache
def tables() -> WordTables:
    """The shipped tables, loaded once. Raises FileNotFoundError or ValueError if the installation is broken."""
    words: dict[Category, list[str]] = defaultdict(list)
    labels: dict[Category, list[str]] = defaultdict(list)
    fields: dict[Category, list[str]] = defaultdict(list)
    groups: dict[str, list[str]] = {name: [] for name in GROUPS}
    for language in LANGUAGES:
        for section, lists in tomllib.loads(resource_path("policy", f"{language}.toml").read_text("utf-8")).items():
            if section in groups:
                groups[section] += lists["words"]
                continue
            category = Category(section)
            words[category] += lists.get("words", [])
            labels[category] += lists.get("labels", [])
            fields[category] += lists.get("fields", [])
    return WordTables(
        words=_compiled(words), labels=_compiled(labels), fields=_compiled(fields),
        groups={name: compile_phrases(phrases) for name, phrases in groups.items()},
    )  # fmt: skip


def compile_phrases(phrases: Iterable[str]) -> re.Pattern[str]:
    """One pattern that matches any of the phrases in folded text, longer phrases first."""
    spaced: list[str] = []
    unspaced: list[str] = []
    whole: list[str] = []
    for phrase in sorted({fold(p) for p in phrases}, key=len, reverse=True):
        words = [re.escape(word) for word in phrase.removeprefix("=").split(" ")]
        pattern = r"\s*".join(words).replace(r"\*", r"\w*")
        if phrase.startswith("="):
            whole.append(pattern)
        else:
            (unspaced if _UNSPACED.search(phrase) else spaced).append(pattern)
    parts = [rf"\A\W*(?:{'|'.join(whole)})\W*\Z"] if whole else []
    parts += [rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
    parts += unspaced
    return re.compile("|".join(parts) or r"(?!)")


def _compiled(phrases: Mapping[Category, list[str]]) -> dict[Category, re.Pattern[str]]:
    return {category: compile_phrases(items) for category, items in phrases.items() if items}


def _search(patterns: Iterable[tuple[Category, re.Pattern[str]]], text: str) -> tuple[tuple[Category, str], ...]:
    folded = fold(text)
    found = [(category, match) for category, pattern in patterns for match in pattern.finditer(folded)]
    kept: dict[Category, str] = {}
    for category, match in found:
        inside = any(other is not category and _inside(match, larger) for other, larger in found)
        if category in _NEVER_DROPPED or not inside:
            kept.setdefault(category, match.group(0).strip())
    return tuple(kept.items())


def _inside(match: re.Match[str], larger: re.Match[str]) -> bool:
    (start, end), (first, last) = match.span(), larger.span()
    return first <= start and end <= last and last - first > end - start
