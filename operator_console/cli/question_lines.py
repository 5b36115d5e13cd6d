"""Formats a question for the terminal, with the complete text of the action.

Text from models and applications must not imitate the console's own lines. It is therefore wrapped to the width of
the terminal, each line starts with a mark, and invisible characters are escaped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from operator_console.domain.decisions import Assessment, Question
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import exact_text, shown, shown_lines
from operator_console.ui.view.call_words import question_text, reasons_of
from operator_console.ui.view.words import risk_phrase

MARK = "  | "
MIN_COLUMNS = 20


def question_lines(question: Question, columns: int, *, focused: bool = True) -> str:
    """The question as text for a terminal of this width. `focused`: whether the terminal has the keyboard focus."""
    first, *more = _marked(question_text(question), columns)
    lines = ["", f"? {first.removeprefix(MARK)}", *more]
    action = question.action
    text = exact_text(action, question.assessment) if action is not None else ""
    long = len(text) > columns // 2 or "\n" in text
    if text and action is not None and (long or text != exact_text(action)):
        lines += [
            ngettext("  full text, {count} character:", "  full text, {count} characters:", len(text)).format(
                count=len(text)
            ),
            *_marked(text, columns),
        ]
    if question.window:
        lines.append(_("  window: {window}").format(window=shown(question.window)))
    if question.assessment is not None:
        lines.append(f"  {_risk(question.assessment)}")
    for number, choice in enumerate(question.choices, 1):
        at = f"  (at {choice.region.centre[0]}, {choice.region.centre[1]})" if choice.region else ""
        lines.append(f"  {number}. {shown(choice.label)}{at}")
    if question.timeout_s is not None:
        lines.append(_("  declined if not answered within {timeout_s:.0f} s").format(timeout_s=question.timeout_s))
    if not focused:
        lines.append(_("  Type the answer in this terminal: the keyboard focus may be elsewhere."))
    return "\n".join(lines)


def _risk(assessment: Assessment) -> str:
    what = ", ".join(category.value for category in assessment.categories)
    kind = f"C{int(assessment.risk)}, {risk_phrase(assessment.risk)}"
    why = " ".join(reasons_of(assessment))
    rule = f" ({assessment.rule})" if assessment.rule else ""
    named = f"{what} ({kind})" if what else kind
    return _("risk {risk}: {why}").format(risk=named, why=shown(why)) + rule


def _marked(text: str, columns: int) -> list[str]:
    width = max(columns, MIN_COLUMNS) - len(MARK) - 1
    return [f"{MARK}{part}" for line in shown_lines(text).split("\n") for part in _wrapped(line, width)]


def _wrapped(line: str, width: int) -> Iterator[str]:
    """Wrap the line to rows of at most `width` terminal cells."""
    piece, taken = "", 0
    for char in line:
        cells = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if taken + cells > width:
            yield piece
            piece, taken = "", 0
        piece, taken = piece + char, taken + cells
    yield piece
