"""Assessment, decision and outcome of a call, and questions to the human."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from operator_console.domain.actions import Action, Choice, QuestionKind
from operator_console.domain.elements import Control
from operator_console.domain.message_texts import NoticeText, keep_notices
from operator_console.domain.notices import Notice
from operator_console.domain.permissions import PermissionOffer
from operator_console.domain.risk import Category, RiskClass
from operator_console.domain.tools import ToolResult

SUBMITTED_COMMAND = "terminal-command"
"""The rule whose value is the command line that an action submits, with what was typed of it before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFinding:
    """What one rule found, without wording.

    Attributes:
        risk: the risk class that the rule assigns.
        rule: stable name of the rule ("delete-by-label").
        category: the category; None below C3, and for what is asked about whatever is allowed.
        values: what the rule quotes: words, a command line, a host.
    """

    risk: RiskClass
    rule: str
    category: Category | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Policy's judgement of one action.

    Attributes:
        risk: the risk class.
        categories: kinds of effect, for C3 and C4.
        reasons: reasons in plain words, strongest first.
        rule: the name of the rule that fixed the class ("sends-data").
        label: the text read at the target, "" where nothing was read.
        control: the control that the action would hit; None: it hits none, or the record is older than this field.
        from_control: for a drag or a release, the control at which the button was pressed.
        findings: what the rules found, highest risk first; `reasons` are their sentences in English. Empty in a record
            that is older than this field.
    """

    risk: RiskClass
    categories: tuple[Category, ...] = ()
    reasons: tuple[str, ...] = ()
    rule: str = ""
    label: str = ""
    control: Control | None = None
    from_control: Control | None = None
    findings: tuple[RuleFinding, ...] = ()


class DecisionKind(StrEnum):
    """What was decided about a call."""

    APPROVE = "approve"
    MODIFY = "modify"
    SKIP = "skip"
    DENY = "deny"
    TAKE_OVER = "take_over"
    STOP = "stop"
    NOT_DONE = "not_done"

    @property
    def approves(self) -> bool:
        """Whether the action, or the operator's in its place, may be carried out."""
        return self in (DecisionKind.APPROVE, DecisionKind.MODIFY)


class DecidedBy(StrEnum):
    """Who decided."""

    POLICY = "policy"
    HUMAN = "human"
    LAPSE = "lapse"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How a call was decided.

    Attributes:
        feedback: for SKIP and DENY if the human wrote any.
        why: for NOT_DONE where the rule alone does not say it.
        permission: the permission that it rests on; "" for none.
    """

    kind: DecisionKind
    by: DecidedBy
    rule: str
    feedback: str = ""
    why: NoticeText = field(default_factory=NoticeText)
    permission: str = ""


class ActResult(StrEnum):
    """How an action ended: `result` of the event "performed"."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happened under a grant.

    Attributes:
        result: done, failed, stopped, unknown.
        detail: in words; for a refusal its cause ("covered by “Calculator”"). `detail_notices`: its codes and values.
        reason: the refusal's machine-readable reason (a RejectedReason value), else "".
        method: how text was typed: by one method ("mapped keys", "temporary mapping", "clipboard paste"), or by several
            and how many characters by each ("mapped keys 980, temporary mapping 20"). "" for pointers.
        delivered: events or characters that were sent before it ended; total: how many there were to send.
        duration_s: from the grant's arrival to the last event.
        output: data (pointer position, clipboard text).
        pointer: the pointer in input units when it ended.
        tool: the result of a function call, else None.
    """

    result: ActResult
    detail: str = ""
    detail_notices: tuple[Notice, ...] = ()
    reason: str = ""
    method: str = ""
    delivered: int = 0
    total: int = 0
    duration_s: float = 0.0
    output: str = ""
    pointer: tuple[int, int] | None = None
    tool: ToolResult | None = None

    def __post_init__(self) -> None:
        keep_notices(self, "detail")


class Surface(StrEnum):
    """Where a question is asked: on the side card, which never lapses, or in the dialog, which lapses to "no"."""

    CARD = "card"
    DIALOG = "dialog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to the human.

    Attributes:
        question_id: unique in the session.
        answer: confirm, choose or text.
        surface: card or dialog.
        text: the question; `text_notices`: its codes and values where this program words it.
        choices: for choose; `suggested`: the index of the one that is most likely, None: none is.
        step, call: the call it is about; None for a question about the session (Continue?).
        timeout_s: counts as declined after this; None: never lapses.
        about: "review" (approve / edit / skip), "safety" (allow / deny), "model" (the model asks), "limit" (Continue?),
            "haste" (answers come very quickly).
        action: for review and safety, exactly what would happen (after an edit: the edited action).
        assessment: for review and safety, policy's judgement of that action.
        window: for review and safety, the window that would receive it ("shell — XTerm"), "" where unknown.
        offer: what a yes may be widened to; None: nothing is offered.
    """

    question_id: str
    answer: QuestionKind
    surface: Surface
    text: str
    text_notices: tuple[Notice, ...] = ()
    choices: tuple[Choice, ...] = ()
    suggested: int | None = None
    step: int | None = None
    call: int | None = None
    timeout_s: float | None = None
    about: str = "model"
    action: Action | None = None
    assessment: Assessment | None = None
    window: str = ""
    offer: PermissionOffer | None = None

    def __post_init__(self) -> None:
        keep_notices(self, "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What an action was permitted on: SHA-256 digests in hex, each over the canonical form of the value.

    Attributes:
        window: of the window that was assessed as the receiver; "" where none is known.
        picture: of the picture that the model saw, by which the session file keeps it.
        question: of the event of the last question about the call; "" where nothing was asked.
        decision: of the event of the decision.
        permission: of the event that gave the permission that the decision rests on; "" where it rests on none.
    """

    window: str
    picture: str
    question: str
    decision: str
    permission: str = ""
