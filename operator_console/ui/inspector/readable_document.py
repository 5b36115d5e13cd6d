"""A stored answer as text to read: indented JSON, long texts shortened, bounded. Runs on a worker thread."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from operator_console.domain.translations import ngettext
from operator_console.engine.action_wording import shown_lines

LONGEST_STRING, LONGEST_LINE, LONGEST_SHOWN, LONGEST_COPIED = 2_000, 2_000, 100_000, 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text for the screen and the same, longer, for the clipboard; both "" for nothing."""

    shown: str
    whole: str


def readable_document(data: bytes) -> Document:
    """JSON or other text from a record; what is no text is shown with replacement characters."""
    text = data[:LONGEST_COPIED].decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Document(shown=_bounded(text), whole=text)
    whole = json.dumps(value, indent=2, ensure_ascii=False)
    return Document(shown=_bounded(json.dumps(_shortened(value), indent=2, ensure_ascii=False)), whole=whole)


def _shortened(value: Any) -> Any:
    match value:
        case str() if len(value) > LONGEST_STRING:
            return f"{value[:LONGEST_STRING]} {_rest(len(value) - LONGEST_STRING)}"
        case dict():
            return {key: _shortened(inner) for key, inner in value.items()}
        case list():
            return [_shortened(inner) for inner in value]
        case _:
            return value


def _bounded(text: str) -> str:
    """At most so many characters, in lines that a widget lays out at once, without hidden characters."""
    rest = len(text) - LONGEST_SHOWN
    lines = shown_lines(text[:LONGEST_SHOWN]).split("\n")
    broken = [line[start : start + LONGEST_LINE] for line in lines for start in range(0, len(line) or 1, LONGEST_LINE)]
    return "\n".join([*broken, _rest(rest)] if rest > 0 else broken)


def _rest(count: int) -> str:
    """Stands for the rest of a long text."""
    return ngettext("… {count} more character", "… {count} more characters", count).format(count=count)
