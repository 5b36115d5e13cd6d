"""What the safety dialog says about a call: every fact from the action that would really happen. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.actions import Action, target_point
from operator_console.domain.decisions import Assessment, Question
from operator_console.domain.geometry import NativePoint
from operator_console.engine.wording import action_words, brief, exact_text, quoted
from operator_console.ui.model import SessionView
from operator_console.ui.words import CATEGORY_WORDS, window_words

SHORT = 160
"""A longer text is shown whole in a box of its own, to be scrolled to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question with what is shown beside it.

    Attributes:
        facts: name and value, in order: Action, On, Window, Rule.
        exact: a long text that would be typed or run, whole and as it is; "" where it is short.
        says: the model's and its service's words, not verified.
        point: where it lands, for the picture.
    """

    question: Question
    facts: tuple[tuple[str, str], ...]
    exact: str = ""
    says: str = ""
    assessment: Assessment | None = None
    point: NativePoint | None = None


def asking_of(view: SessionView, question: Question) -> Asking:
    """Everything the dialog shows for an open question."""
    call = view.call(question.step, question.call) if question.call is not None else None
    action = question.action or (call.action if call is not None else None)
    assessment = question.assessment or (call.assessment if call is not None else None)
    label = assessment.label if assessment is not None else ""
    facts: list[tuple[str, str]] = []
    exact = ""
    if action is not None:
        whole = exact_text(action)
        exact = whole if len(whole) > SHORT or "\n" in whole else ""
        words = action_words(action, "", limit=SHORT)
        facts.append(("Action", words.line if not exact else f"{words.verb} ({len(whole)} characters, below)"))
        facts.append(("On", _on(label, words.where)))
    if window := question.window or _window(view):
        facts.append(("Window", brief(window, 120)))
    safety = call.proposed.safety if call is not None else None
    if rule := _rule(assessment, safety is not None):
        facts.append(("Rule", rule))
    said = [call.proposed.intent if call is not None else "", safety.explanation if safety is not None else ""]
    return Asking(
        question=question,
        facts=tuple((name, value) for name, value in facts if value),
        exact=exact,
        says="\n".join(dict.fromkeys(part for part in said if part)),
        assessment=assessment,
        point=_point(action, call.proposed.box.centre if call is not None and call.proposed.box is not None else None),
    )


def _on(label: str, where: str) -> str:
    return " · ".join(part for part in (quoted(label, 80) if label else "", where) if part)


def _window(view: SessionView) -> str:
    step = view.step
    if step is None or step.observed is None:
        return ""
    seen = step.observed
    title = window_words(seen, view.started.target if view.started else None)
    return f"{title} · {seen.url}" if seen.url else title


def _rule(assessment: Assessment | None, checked: bool) -> str:
    sentences: list[str] = []
    if assessment is not None:
        sentences += assessment.reasons or [", ".join(CATEGORY_WORDS[c] for c in assessment.categories)]
    if checked:
        sentences.append("The model’s own safety check wants a yes.")
    if assessment is not None and assessment.rule:
        sentences.append(f"({assessment.rule})")
    return brief(" ".join(part for part in sentences if part), 300)


def _point(action: Action | None, box: tuple[int, int] | None) -> NativePoint | None:
    point = target_point(action) if action is not None else None
    return point if point is not None or box is None else NativePoint(*box)
