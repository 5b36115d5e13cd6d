"""The help pages of resources/help: their order, titles and texts, and a search in them. Free of Qt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from operator_console.resource_files import resource_path

FIRST, RUNBOOK = "first-steps#watch-it-work", "runbook"
"""Where help opens: it is installed already."""
_LINK = re.compile(r"^- \[([^\]]+)\]\(([a-z-]+)\.md\)", re.MULTILINE)
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[`*|#]+")
_AROUND = 40
_SPELLINGS = (("is", "iz"), ("our", "or"), ("ll", "l"), ("grey", "gray"), ("tre", "ter"))
"""What British and American English write differently in words of the pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpPage:
    """One page. `group`: its heading in the list of contents, "" for the page of contents itself."""

    name: str
    title: str
    group: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A place of a page with what was searched for: the heading above it, and the words around it."""

    page: HelpPage
    heading: str
    words: str


def load_pages() -> tuple[HelpPage, ...]:
    """All pages in the order of the page of contents, which comes first. Reads the files."""
    contents = _text("index")
    pages = [HelpPage(name="index", title=_title(contents), group="", text=contents)]
    for part in re.split(r"^## ", contents, flags=re.MULTILINE)[1:]:
        group = part.splitlines()[0].strip()
        for title, name in _LINK.findall(part):
            pages.append(HelpPage(name=name, title=title, group=group, text=_text(name)))
    return tuple(pages)


def search(pages: Sequence[HelpPage], wanted: str) -> tuple[Found, ...]:
    """The first place in each section that has all the words, pages with them in a heading first."""
    words = [spellings(word) for word in wanted.lower().split()]
    if not words:
        return ()
    found = [each for page in pages if page.group for each in _in_page(page, words)]
    return tuple(sorted(found, key=lambda one: not any(_has(one.heading.lower(), word) for word in words)))


def spellings(word: str) -> tuple[str, ...]:
    """The word as it is spelt in British and in American English ("minimised", "minimized"), itself first."""
    others = (word.replace(*pair) for one, other in _SPELLINGS for pair in ((one, other), (other, one)))
    return tuple(dict.fromkeys((word, *others)))


def slug(heading: str) -> str:
    """A heading as links name it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _has(text: str, word: Sequence[str]) -> bool:
    return any(spelling in text for spelling in word)


def _in_page(page: HelpPage, words: Sequence[Sequence[str]]) -> Iterator[Found]:
    for heading, text in _sections(page):
        lowered = f"{heading}\n{text}".lower()
        if all(_has(lowered, word) for word in words):
            yield Found(page=page, heading=heading, words=_around(text, words[0]))


def _sections(page: HelpPage) -> Iterator[tuple[str, str]]:
    """Headings and the texts below them; a `#` in a block of code is no heading."""
    heading, lines, code = page.title, list[str](), False
    for line in page.text.splitlines():
        code = code is not line.startswith("```")
        if not code and (start := re.match(r"#{1,4} (.+)", line)):
            yield heading, "\n".join(lines)
            heading, lines = _MARKUP.sub(r"\1", start[1]).strip(), []
        else:
            lines.append(line)
    yield heading, "\n".join(lines)


def _around(text: str, spelt: Sequence[str]) -> str:
    """The words around the first place, without markup, in one line."""
    plain = " ".join(_MARKUP.sub(r"\1", text).split())
    word = next((word for word in spelt if word in plain.lower()), spelt[0])
    at = max(0, plain.lower().find(word))
    start, end = plain.rfind(" ", 0, max(0, at - _AROUND)) + 1, plain.find(" ", at + len(word) + _AROUND)
    return f"{'…' if start else ''}{plain[start : end if end > 0 else None]}{'…' if end > 0 else ''}"


def _title(text: str) -> str:
    return text.splitlines()[0].lstrip("# ").strip()


def _text(name: str) -> str:
    return resource_path("help", f"{name}.md").read_text(encoding="utf-8")
