"""How a call is judged, decided and let through: assessment, decision, grant, outcome, question.

`Grant` is the one kind of permission there is: single use, sealed by engine.approval with the per-run key that only
approval and the acting child hold, checked by the child. Nothing else opens the door to input. Values, and the
canonical bytes that a seal covers.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field, replace
from enum import StrEnum

from operator_console.domain.actions import Action, Choice, QuestionKind
from operator_console.domain.codec import canonical
from operator_console.domain.frames import TargetRef
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect
from operator_console.domain.risk import Category, RiskClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Policy's judgement of one action.

    Attributes:
        risk: the class.
        categories: what it would do, for C3 and C4.
        reasons: named reasons in plain words, strongest first.
        rule: the name of the rule that fixed the class ("sends-data").
        label: the text read at the target, "" where nothing was read.
    """

    risk: RiskClass
    categories: tuple[Category, ...] = ()
    reasons: tuple[str, ...] = ()
    rule: str = ""
    label: str = ""


class DecisionKind(StrEnum):
    """What was decided about a call (design §7)."""

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
    """The end of a review; `action` is set for MODIFY, `feedback` for SKIP and DENY where the human wrote some."""

    kind: DecisionKind
    by: DecidedBy
    rule: str
    action: Action | None = None
    feedback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenCheck:
    """What the screen under the target must still look like: `pixels` are BGRX rows of `region` (native pixels)."""

    region: Rect
    pixels: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusRule:
    """Where keys and text must land: the focus must be `window_id` or belong to the target, else refused.

    `window_id` None: any window of the target.
    """

    window_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerCheck:
    """Whose window must own a point of the action: the one that owned it in the picture.

    Attributes:
        at: the point, native pixels.
        window_id, pid: the top-level window and its process; None: the bare desktop, or an unknown process.
        title: for people.
    """

    at: NativePoint
    window_id: int | None
    pid: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderCheck:
    """Which window of the target must hold the keyboard focus: the one that held it in the picture, or that the agent
    has given it since by a click of the same turn.

    Attributes:
        window_id: the top-level window; None: none of the target's.
        title: for people.
    """

    window_id: int | None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A sealed, single-use permission for one action.

    Attributes:
        grant_id: random, hex.
        step, call: which call of which turn it is for.
        action: exactly what may happen.
        target, geometry: where; native points are resolved against the target's place at the time of acting.
        checks: screen checks made right before anything is sent.
        owners: whose window each point of the action must lie in right before anything is sent.
        holder: who must hold the focus then; None: not known, so not compared.
        focus: for keys and text; None for pointer actions.
        epoch: must equal the injector's; a stop or a pause moves it on.
        expires_s: time.monotonic() after which it is void (the clock is the machine's, the same in every process).
        pointer: where the agent's own pointer was, in input units, restored first; None: leave it.
        typing_delay_s: pause between characters of typed text.
        paste: typed text may go by the clipboard where it is long and beyond the keyboard.
        terminal: policy takes the window that gets the text for a terminal: a line is cleared by Ctrl+U there, and
            nothing is pasted.
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
        """The same grant with its MAC. Only engine.approval calls this."""
        return replace(self, seal=self._mac(key))

    def genuine(self, key: bytes) -> bool:
        """Whether the MAC fits; compared in constant time."""
        return hmac.compare_digest(self._mac(key), self.seal)

    def _mac(self, key: bytes) -> str:
        return hmac.new(key, canonical(replace(self, seal="")), "sha256").hexdigest()


class ActResult(StrEnum):
    """How an action ended (design §7, `performed.result`)."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What really happened under a grant.

    Attributes:
        result: done, failed, stopped, unknown.
        detail: in words; for a refusal what stood in the way ("covered by “Calculator”").
        reason: the refusal's machine-readable reason (a RejectedReason value), "" where none.
        method: how text was typed: by one method ("mapped keys", "temporary mapping", "clipboard paste"), or by several
            and how many characters by each ("mapped keys 980, temporary mapping 20"). "" for pointers.
        delivered: events or characters that were sent before it ended; total: how many there were to send.
        duration_s: from the grant's arrival to the last event.
        output: data (pointer position, clipboard text).
        pointer: the pointer in input units when it ended.
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


class Surface(StrEnum):
    """Where a question is asked: the side card waits for ever, the dialog lapses to no."""

    CARD = "card"
    DIALOG = "dialog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something a human must answer.

    Attributes:
        question_id: unique in the session.
        answer: confirm, choose or text.
        surface: card or dialog.
        text: the question in a person's words.
        choices: for choose.
        step, call: what it is about; None for a question of its own (Continue?).
        timeout_s: lapses to no (declined) after this; None: never.
        about: "review" (approve / edit / skip), "safety" (allow / deny), "model" (the model asks), "limit" (Continue?).
        action: for review and safety, exactly what would happen (after an edit: the edited action).
        assessment: for review and safety, policy's judgement of that action.
        window: for review and safety, the window that would get it ("shell — XTerm"), "" where unknown.
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
