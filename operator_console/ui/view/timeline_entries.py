"""The rows of the timeline as values: one for each step and note, one for steps in a row that only waited. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from operator_console.domain import actions as a
from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.events import Performed
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import capital
from operator_console.engine.visible_text import brief
from operator_console.ui.view.call_words import (
    Outcome,
    call_phrase,
    call_result,
    looked_for,
    outcome_of,
    outcome_word,
    ways_words,
)
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.session_view import Call, Item, Note, Step
from operator_console.ui.view.step_times import times_of
from operator_console.ui.view.words import duration_words

TITLE, DETAIL = 300, 300


class Tone(StrEnum):
    """The colour of a badge; its words say the same."""

    PLAIN = "plain"
    YOU = "you"
    AGAINST = "against"
    STOP = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """The decision about a step; `phrase`: within a line."""

    phrase: str
    tone: Tone

    @property
    def text(self) -> str:
        """As a line of its own."""
        return capital(self.phrase)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The text of a row.

    Attributes:
        number: of the step; of the first and last of a group; "" for a note.
        detail: the result, with its reason.
        missed: the part of the result that must be shown, where the decision alone would read as if it was done.
        time: of the machine; human: that the machine waited for a human, or in a pause.
        picture: the digest of its thumbnail.
    """

    number: str
    title: str
    detail: str
    time: str = ""
    human: str = ""
    badge: Badge | None = None
    picture: str = ""
    missed: str = ""

    @property
    def spoken(self) -> str:
        """All of it in one line, for a screen reader."""
        badge = self.badge.text if self.badge is not None else ""
        facts = " · ".join(part for part in (badge, self.detail, self.time, self.human) if part)
        title = " ".join(part for part in (self.number, self.title) if part)
        return f"{title} · {facts}" if facts else title


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A step or a note. `member`: it is shown below the row of its group. `place`: its place among the items."""

    item: Item
    place: int
    member: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """Names the row as long as it exists."""
        return ("item", self.item.seq)


@dataclass(frozen=True, slots=True)
class WaitsRow:
    """Steps in a row that only waited or looked. `place`: that of the first one among the items."""

    steps: tuple[Step, ...]
    place: int
    expanded: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """Names the row as long as it exists."""
        return ("waits", self.steps[0].seq)

    def holds(self, key: tuple[str, int]) -> bool:
        """Whether it stands for the step with this key."""
        return key[0] == "item" and self.steps[0].seq <= key[1] <= self.steps[-1].seq


Row: TypeAlias = ItemRow | WaitsRow


def rows_from(items: ChunkedList[Item], start: int, expanded: frozenset[int]) -> list[Row]:
    """The rows of the items from `start` on, oldest first; `expanded`: `seq` of the first step of each open group.

    The row of an open group comes after its steps: the newest row is shown first, and the group's row above its steps.
    """
    rows: list[Row] = []
    group: list[Step] = []

    def close(end: int) -> None:
        begin = end - len(group)
        if len(group) == 1:
            rows.append(ItemRow(group[0], begin))
        elif group:
            opened = group[0].seq in expanded
            if opened:
                rows.extend(ItemRow(step, begin + offset, member=True) for offset, step in enumerate(group))
            rows.append(WaitsRow(tuple(group), begin, opened))
        group.clear()

    for place in range(start, len(items)):
        item = items[place]
        if isinstance(item, Step) and only_waits(item):
            group.append(item)
            continue
        close(place)
        rows.append(ItemRow(item, place))
    close(len(items))
    return rows


def only_waits(step: Step) -> bool:
    """Whether a step did nothing but wait or look, and nobody was asked about it."""
    return bool(step.calls) and all(
        isinstance(call.action, a.Wait | a.Screenshot)
        and (call.by is DecidedBy.POLICY or call.decision is None)
        and call.decision in (None, DecisionKind.APPROVE)
        and (call.performed is None or call.performed.status is CallStatus.DONE)
        for call in step.calls
    )


def entry_of_row(row: Row, *, on_card: bool = False) -> Entry:
    """The text of a row; `on_card`: the card asks about it, or says what it is about."""
    return _group_entry(row.steps) if isinstance(row, WaitsRow) else entry_of(row.item, on_card=on_card)


def entry_of(item: Item, *, on_card: bool = False) -> Entry:
    """The text of a step or note; `on_card`: the card asks about the step, or says what the note is about."""
    if isinstance(item, Note):
        detail = "" if on_card else brief(item.detail, DETAIL)
        return Entry(number="", title=brief(item.title, TITLE), detail=detail, picture=item.picture)
    times = times_of(item)
    paused = _("paused {time}").format(time=duration_words(times.paused_s)) if times.paused_s >= 0.05 else ""
    counted = item.proposed is not None or not item.finished  # as in the other places that count steps
    return Entry(
        number=str(item.number) if counted else "", title=_step_title(item),
        detail="" if on_card else _step_detail(item),
        time=duration_words(times.machine_s) if times.machine_s is not None else "",
        human=_("you {time}").format(time=duration_words(times.you_s)) if times.you_s >= 0.05 else paused,
        badge=Badge(phrase=_("waiting for you"), tone=Tone.YOU) if on_card else _step_badge(item),
        picture=item.observed.picture if item.observed is not None else "",
        missed="" if on_card else _missed(item.calls),
    )  # fmt: skip


def _group_entry(steps: tuple[Step, ...]) -> Entry:
    first, last = steps[0], steps[-1]
    titles = {wait_title(call) for step in steps for call in step.calls}
    named = wait_title(first.calls[0])
    one_name = len({name for name, _ in filter(None, (looked_for(c.proposed) for s in steps for c in s.calls))}) == 1
    title = (
        named
        if one_name or len(titles) == 1
        else ngettext(
            "{count} step that only waited or looked", "{count} steps that only waited or looked", len(steps)
        ).format(count=len(steps))
    )
    machine = [times.machine_s for times in map(times_of, steps)]
    known = [value for value in machine if value is not None]
    running = "" if last.finished else _("in progress")
    looks = ngettext("looked once", "looked {count} times", len(steps)).format(count=len(steps))
    return Entry(
        number=f"{first.number}–{last.number}", title=title,
        detail=f"{looks} · {running}" if running else looks,
        time=duration_words(sum(known)) if known else "",
        picture=last.observed.picture if last.observed is not None else "",
    )  # fmt: skip


def wait_title(call: Call) -> str:
    """The title of a call; a wait of a runbook says what it waits for."""
    return capital(_wait_phrase(call))


def _wait_phrase(call: Call) -> str:
    looked = looked_for(call.proposed)
    if looked is None:
        return call_phrase(call)
    waits = _("waiting for {name} (up to {seconds} s)")
    return waits.format(name=brief(looked[0], 60), seconds=max(1, round(looked[1])))


def _step_title(step: Step) -> str:
    if step.proposed is None:
        return _("Looking at the screen and thinking")
    if not step.calls:
        words = step.proposed.narration or step.proposed.thoughts
        return brief(words, TITLE) or (_("Finished") if step.proposed.finished else _("Empty answer"))
    return capital(", ".join(map(_wait_phrase, step.calls)))


def _step_detail(step: Step) -> str:
    if step.proposed is None:
        return _("interrupted") if step.finished else _("in progress")
    if not step.calls:
        return _("no action")
    if len(step.calls) == 1 and _ends(step.calls[0]):
        return ""
    result = call_result(step.calls[0]) if len(step.calls) == 1 else _several(step.calls)
    ways = ways_words(step.calls[0].proposed)
    return " · ".join(part for part in (result, ways) if part)


def _several(calls: tuple[Call, ...]) -> str:
    results = [call_result(call) for call in calls]
    plain = Counter(result.split(" · ")[0] for result in results)
    if len(plain) == 1:
        only = next(iter(plain))
        if not only:
            return ""
        # Translators: {result} is what became of all calls of a step, as in: both done; all 3 done.
        both = _("both {result}") if len(calls) == 2 else _("all {count} {result}")
        return both.format(count=len(calls), result=only)
    return " · ".join(f"{count} {result}" for result, count in plain.items() if result)


def _missed(calls: tuple[Call, ...]) -> str:
    """What became of the calls that were allowed, or never asked about, and were not done; "" where there are none."""
    found = Counter(outcome_of(call) for call in calls if _settled(call))
    del found[Outcome.DONE]
    if len(calls) == 1:
        return next(map(outcome_word, found), "")
    return " · ".join(f"{count} {outcome_word(outcome)}" for outcome, count in found.items())


def _settled(call: Call) -> bool:
    """Whether a call is over whose badge does not say what became of it."""
    open_or_allowed = call.decision is None or call.decision.approves
    return open_or_allowed and not isinstance(call.action, a.AskOperator) and (call.performed is not None or call.over)


def _ends(call: Call) -> bool:
    """Whether a call ended the session: its title says how, and “ran automatically · done” says nothing."""
    return isinstance(call.action, a.Finish) and call.performed is not None and call.performed.status is CallStatus.DONE


def _step_badge(step: Step) -> Badge | None:
    badges = Counter(badge for call in step.calls if not _ends(call) and (badge := call_badge(call)) is not None)
    if not badges:
        return None
    if len(badges) == 1:
        return next(iter(badges))
    worst = max(badges, key=lambda badge: list(Tone).index(badge.tone))
    words = " · ".join(f"{count} {each.phrase}" for each, count in badges.items())
    return Badge(phrase=words, tone=worst.tone)


def _answer_badge(performed: Performed | None) -> Badge | None:
    """How the model's question was answered: nobody is asked whether it may ask."""
    if performed is None:
        return None
    if performed.status is CallStatus.DONE:
        return Badge(phrase=_("answered by you"), tone=Tone.YOU)
    if any(each.code is NoticeCode.NOBODY_COULD_ANSWER for each in performed.detail_notices):
        return Badge(phrase=_("nobody to ask"), tone=Tone.AGAINST)
    return Badge(phrase=_("declined by you"), tone=Tone.YOU)


def decided_by_you(call: Call) -> bool:
    """Whether the person decided about this call, or answered it. A stop says nothing about the calls that it drops."""
    if isinstance(call.action, a.AskOperator) and call.decision is DecisionKind.APPROVE:
        badge = _answer_badge(call.performed)
        return badge is not None and badge.tone is Tone.YOU
    return call.by is DecidedBy.HUMAN and call.decision is not DecisionKind.STOP


def call_badge(call: Call) -> Badge | None:
    """Who decided what about a call; None while that is open."""
    if call.decision is None:
        return None
    if isinstance(call.action, a.AskOperator) and call.decision is DecisionKind.APPROVE:
        return _answer_badge(call.performed)
    done = call.performed is not None
    tone = Tone.YOU if call.by is DecidedBy.HUMAN else Tone.PLAIN
    words = _decided(call.decision, call.by, done=done)
    match call.decision:
        case DecisionKind.STOP:
            tone = Tone.STOP
        case DecisionKind.DENY | DecisionKind.NOT_DONE | DecisionKind.TAKE_OVER:
            tone = Tone.AGAINST
        case _:
            pass
    if call.decision is DecisionKind.NOT_DONE and call.rule == "paused":
        words = _("withdrawn")
    if call.permission:
        words = _("ran as permitted by you") if done else _("runs as permitted by you")
    return Badge(phrase=words, tone=tone)


def _decided(decision: DecisionKind, by: DecidedBy | None, *, done: bool) -> str:  # noqa: C901, PLR0911 - one arm a decision
    """Who decided what about a call; `done`: it was carried out, or tried."""
    match decision, by:
        case DecisionKind.APPROVE, DecidedBy.HUMAN:
            return _("approved by you")
        case DecisionKind.APPROVE, _who:
            return _("ran automatically") if done else _("runs automatically")
        case DecisionKind.MODIFY, DecidedBy.HUMAN:
            return _("edited by you")
        case DecisionKind.MODIFY, _who:
            return _("edited")
        case DecisionKind.SKIP, DecidedBy.HUMAN:
            return _("skipped by you")
        case DecisionKind.SKIP, _who:
            return _("skipped")
        case DecisionKind.DENY, DecidedBy.HUMAN:
            return _("denied by you")
        case DecisionKind.DENY, DecidedBy.LAPSE:
            return _("not answered")
        case DecisionKind.DENY, DecidedBy.NOBODY:
            return _("denied: nobody to ask")
        case DecisionKind.DENY, _who:
            return _("denied")
        case DecisionKind.TAKE_OVER, _who:
            return _("withdrawn")
        case DecisionKind.STOP, _who:
            return _("stopped")
        case DecisionKind.NOT_DONE, _who:
            return _("not done")
