"""How an open question looks in the terminal: everything that would happen, whole, and nothing that could pass for a
line of the console's own.

Every line of what a model or an application wrote is cut to the terminal's width and carries a mark in front, and what
cannot be seen is written out. Pure. Called by answering.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from operator_console.domain.decisions import Assessment, Question
from operator_console.engine.wording import exact_text, shown, shown_lines

MARK = "  | "
LEAST_COLUMNS = 20


def question_lines(question: Question, columns: int) -> str:
    """The question for a terminal of that width."""
    first, *more = _marked(question.text, columns)
    lines = ["", f"? {first.removeprefix(MARK)}", *more]
    text = exact_text(question.action) if question.action is not None else ""
    if text and (len(text) > columns // 2 or "\n" in text):
        lines += [f"  exactly, {len(text)} characters:", *_marked(text, columns)]
    if question.window:
        lines.append(f"  window: {shown(question.window)}")
    if question.assessment is not None:
        lines.append(f"  {_risk(question.assessment)}")
    for number, choice in enumerate(question.choices, 1):
        at = f"  (at {choice.region.centre[0]}, {choice.region.centre[1]})" if choice.region else ""
        lines.append(f"  {number}. {shown(choice.label)}{at}")
    if question.timeout_s is not None:
        lines.append(f"  no answer within {question.timeout_s:.0f} s means no")
    return "\n".join(lines)


def _risk(assessment: Assessment) -> str:
    what = ", ".join(category.value for category in assessment.categories)
    kind = f"C{int(assessment.risk)}, {assessment.risk.word}"
    why = " ".join(assessment.reasons)
    rule = f" ({assessment.rule})" if assessment.rule else ""
    return f"risk {f'{what} ({kind})' if what else kind}: {shown(why)}{rule}"


def _marked(text: str, columns: int) -> list[str]:
    width = max(columns, LEAST_COLUMNS) - len(MARK) - 1
    return [f"{MARK}{part}" for line in shown_lines(text).split("\n") for part in _pieces(line, width)]


def _pieces(line: str, width: int) -> Iterator[str]:
    """The line in pieces that a terminal shows in one row each."""
    piece, taken = "", 0
    for char in line:
        cells = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if taken + cells > width:
            yield piece
            piece, taken = "", 0
        piece, taken = piece + char, taken + cells
    yield piece
