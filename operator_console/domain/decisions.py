"""Assessment, decision, grant and outcome of a call, and questions to the human.

A `Grant` is the only permission to act: single use, sealed by the engine's approval with a per-run key that only
approval and whatever carries it out hold, and checked before anything is done.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field, replace
from enum import StrEnum

from operator_console.domain.actions import Action, Choice, QuestionKind
from operator_console.domain.codec import canonical
from operator_console.domain.elements import Control
from operator_console.domain.frames import TargetRef
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect
from operator_console.domain.risk import Category, RiskClass
from operator_console.domain.tools import ToolResult


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


class DecidedBy(StrEnum):
    """Who decided."""

    POLICY = "policy"
    HUMAN = "human"
    LAPSE = "lapse"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How a call was decided; `action` is set for MODIFY, `feedback` for SKIP and DENY if the human wrote any."""

    kind: DecisionKind
    by: DecidedBy
    rule: str
    action: Action | None = None
    feedback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenCheck:
    """What a part of the screen must still look like: `pixels` are BGRX rows of `region` (native pixels)."""

    region: Rect
    pixels: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusRule:
    """Which window must have the keyboard focus before keys or text are sent; otherwise they are refused.

    `window_id` None: any window of the target.
    """

    window_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerCheck:
    """Which window must be at a point of the action: the one that was there in the picture.

    Attributes:
        at: the point, native pixels.
        window_id, pid: the top-level window and its process; None: the bare desktop, or an unknown process.
        title: for display.
    """

    at: NativePoint
    window_id: int | None
    pid: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderCheck:
    """Which window of the target must have the keyboard focus: the one that had it in the picture, or the one that got
    it since from a click of the same turn.

    Attributes:
        window_id: the top-level window; None: no window of the target has the focus.
        title: for display.
    """

    window_id: int | None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A sealed, single-use permission for one action.

    Attributes:
        grant_id: random, hex.
        step, call: the call it is for.
        action: exactly what is permitted.
        target, geometry: native points are resolved against the target's position when the action is carried out.
        checks: screen checks made right before anything is sent.
        owners: the window that must be at each point of the action right before anything is sent.
        holder: the window that must have the focus then; None: not checked.
        focus: for keys and text; None for pointer actions.
        epoch: must equal the injector's; each stop, pause and resume increases it.
        expires_s: time.monotonic() after which it is void (the same clock in every process).
        pointer: where the agent's own pointer was, in input units, restored first; None: leave it.
        typing_delay_s: pause between characters of typed text.
        paste: long text that the keyboard layout lacks characters for may be pasted from the clipboard.
        terminal: policy considers the receiving window a terminal: a line is cleared with Ctrl+U there, and nothing is
            pasted.
        seal: hex MAC over everything above.
    """

    grant_id: str
    step: int
    call: int
    action: Action
    target: TargetRef
    geometry: FrameGeometry
    checks: tuple[ScreenCheck, ...] = ()
    owners: tuple[OwnerCheck, ...] = ()
    holder: HolderCheck | None = None
    focus: FocusRule | None = None
    epoch: int
    expires_s: float
    pointer: tuple[int, int] | None = None
    typing_delay_s: float = 0.0
    paste: bool = False
    terminal: bool = False
    seal: str = ""

    def sealed(self, key: bytes) -> Grant:
        """The grant with its MAC. Only the engine's approval may seal one."""
        return replace(self, seal=self._mac(key))

    def genuine(self, key: bytes) -> bool:
        """Whether the MAC is valid; compared in constant time."""
        return hmac.compare_digest(self._mac(key), self.seal)

    def _mac(self, key: bytes) -> str:
        return hmac.new(key, canonical(replace(self, seal="")), "sha256").hexdigest()


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
        detail: in words; for a refusal its cause ("covered by “Calculator”").
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
    reason: str = ""
    method: str = ""
    delivered: int = 0
    total: int = 0
    duration_s: float = 0.0
    output: str = ""
    pointer: tuple[int, int] | None = None
    tool: ToolResult | None = None


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
        text: the question.
        choices: for choose.
        step, call: the call it is about; None for a question about the session (Continue?).
        timeout_s: counts as declined after this; None: never lapses.
        about: "review" (approve / edit / skip), "safety" (allow / deny), "model" (the model asks), "limit" (Continue?).
        action: for review and safety, exactly what would happen (after an edit: the edited action).
        assessment: for review and safety, policy's judgement of that action.
        window: for review and safety, the window that would receive it ("shell — XTerm"), "" where unknown.
    """

    question_id: str
    answer: QuestionKind
    surface: Surface
    text: str
    choices: tuple[Choice, ...] = ()
    step: int | None = None
    call: int | None = None
    timeout_s: float | None = None
    about: str = "model"
    action: Action | None = None
    assessment: Assessment | None = None
    window: str = ""
