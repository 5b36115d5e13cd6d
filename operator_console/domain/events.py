"""The events of a session, a closed union. The record consists of them; live view and replay render the same stream.

Kinds and required fields are a contract with other programs (resources/help/events.md); additions only. Events are
journalled first and published second, as `Record`s.

A text that this program writes has a field of the same name and `_notices` beside it, with the code and the values of
each of its sentences (`notices.py`). Text by others (the model, the operator, a service, the system) has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Literal, TypeAlias

from operator_console.domain.actions import Action
from operator_console.domain.decisions import ActResult, Assessment, Consent, DecidedBy, DecisionKind, Question
from operator_console.domain.element_marks import ElementMark
from operator_console.domain.frames import SettleReason, TargetRef, WindowInfo
from operator_console.domain.geometry import FrameGeometry, Rect
from operator_console.domain.hand_input import UNUSED, HandUse
from operator_console.domain.message_texts import keep_notices
from operator_console.domain.notices import Notice
from operator_console.domain.pages import PageDialog, Tab
from operator_console.domain.permissions import Coverage, RevokedBy
from operator_console.domain.prices import Money, Price
from operator_console.domain.projection import Projection
from operator_console.domain.proposals import CallStatus, SafetySignal, Usage
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.scope import ScopeSource
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.stopping import PauseCause, StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
    """A run began; `resumed`: in the file of an earlier run. `accessibility`: it is switched on in the desktop session
    while the run lasts. `profile`: the model profile that provider and model are from; "" for none. `rebuilt_turns`:
    turns of the earlier run that the model's conversation was rebuilt from; 0: it is told in words what happened.
    `task_text`: what the file says that the task names; "" where the task is the text itself. `sites`: what a managed
    browser may reach in this session; (): what the settings say; on other targets, the sites in scope. `apps`: the
    applications in scope; (): all. `effects`: the kinds of effect in scope; None: all. `scope_by`: who named these
    three. `hide`: what no picture shows, as `--hide` has it."""

    kind: Literal["session_started"] = "session_started"
    task: str
    target: TargetRef
    provider: str
    model: str
    profile: str = ""
    autonomy: Autonomy
    allow: tuple[Category, ...] = ()
    max_steps: int
    max_minutes: float
    price: Price | None = None
    max_cost: Decimal | None = None
    resumed: bool = False
    rebuilt_turns: int = 0
    accessibility: bool = False
    version: str = ""
    pid: int = 0
    task_text: str = ""
    sites: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    effects: tuple[Category, ...] | None = None
    scope_by: ScopeSource = ScopeSource.OPERATOR
    hide: tuple[str, ...] = ()

    @property
    def written(self) -> str:
        """The task in full."""
        return self.task_text or self.task


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A frame was captured; `picture` is the digest of the picture sent to the model, without marks.

    `exposure`: what the application with the focus tells the accessibility service, an `Exposure` value; "": not asked,
    or not answered yet. `marks`: the numbered boxes that are drawn on the picture for the model. `tabs`: those of a
    managed browser. `dialog`: what its page waits for.
    """

    kind: Literal["observed"] = "observed"
    step: int
    frame_id: str
    picture: str
    mime_type: str = "image/png"
    picture_bytes: int = 0
    note: str = ""
    note_notices: tuple[Notice, ...] = ()
    geometry: FrameGeometry
    focus: WindowInfo | None = None
    title: str = ""
    url: str = ""
    pointer: tuple[int, int] | None = None
    exposure: str = ""
    marks: tuple[ElementMark, ...] = ()
    tabs: tuple[Tab, ...] = ()
    dialog: PageDialog | None = None

    def __post_init__(self) -> None:
        keep_notices(self, "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedCall:
    """A call as recorded: as the model wrote it, the action it stands for, and policy's assessment."""

    index: int
    call_id: str = ""
    name: str
    arguments_json: str = "{}"
    action: Action | None = None
    error: str = ""
    intent: str = ""
    safety: SafetySignal | None = None
    box: Rect | None = None
    note: str = ""
    assessment: Assessment | None = None
    error_notices: tuple[Notice, ...] = ()
    intent_notices: tuple[Notice, ...] = ()
    note_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "error", "intent", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """The model answered.

    Attributes:
        usage: tokens of all requests since the turn before, also of those whose answer could not be used.
        cost: of these tokens; None without a price, or if none are reported.
        projection: None in the first steps.
        raw: digest of the verbatim answer.
        told: digest of what the model was told beside the picture, a `Told` in JSON; "" in an older record.
    """

    kind: Literal["proposed"] = "proposed"
    step: int
    calls: tuple[ProposedCall, ...]
    thoughts: str = ""
    narration: str = ""
    finished: bool = False
    usage: Usage
    cost: Money | None = None
    projection: Projection | None = None
    raw: str = ""
    told: str = ""
    request_bytes: int = 0
    latency_s: float = 0.0
    narration_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "narration")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A call was decided. `lead_s`: it is carried out after this lead time unless the operator skips or edits it.
    `permission`: the permission that it rests on; "" for none."""

    kind: Literal["decided"] = "decided"
    step: int
    call: int
    decision: DecisionKind
    by: DecidedBy
    rule: str
    assessment: Assessment | None = None
    action: Action | None = None
    feedback: str = ""
    lead_s: float = 0.0
    permission: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """An action is about to be carried out; durable before anything is sent.

    Attributes:
        window: the window that was assessed as the receiver.
        consent: what it was permitted on; None in an older record.
    """

    kind: Literal["granted"] = "granted"
    step: int
    call: int
    grant_id: str
    action: Action
    epoch: int
    window: WindowInfo | None = None
    consent: Consent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Performed:
    """How an action ended, or (without a grant) how a call that sends no input was answered.

    Attributes:
        status: what the model is told.
        pointer: the agent's pointer afterwards, in input units.
        method: how text was typed, or an element used through accessibility; "" for pointers and single keys.
        parts_done: where only the first parts of the call were carried out, those parts.
    """

    kind: Literal["performed"] = "performed"
    step: int
    call: int
    grant_id: str = ""
    result: ActResult
    status: CallStatus
    detail: str = ""
    detail_notices: tuple[Notice, ...] = ()
    reason: str = ""
    method: str = ""
    delivered: int = 0
    total: int = 0
    duration_s: float = 0.0
    pointer: tuple[int, int] | None = None
    parts_done: tuple[Action, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "detail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """After a call, the wait for the screen to stop changing has ended.

    Attributes:
        call: the call whose effect was waited for.
        changed: whether the screen changed as expected; None: no change was expected, or it cannot be determined.
    """

    kind: Literal["settled"] = "settled"
    step: int
    call: int = 0
    reason: SettleReason
    waited_s: float
    changed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloaded:
    """A managed browser has saved a file in the session's folder for downloads; nothing opens it.

    Attributes:
        name: the name of the file, in `folder`.
        folder: where it is.
        url: where it is from.
        size_bytes: its size.
        complete: False: it was cancelled or failed after so many bytes, and nothing is kept.
    """

    kind: Literal["downloaded"] = "downloaded"
    name: str
    folder: str
    url: str
    size_bytes: int = 0
    complete: bool = True


class BlockedBy(StrEnum):
    """Which rule a request of a managed browser was against."""

    BLOCKED_SITE = "blocked_site"
    NOT_ALLOWED_SITE = "not_allowed_site"
    LOCAL_ADDRESS = "local_address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """A managed browser wanted to reach what it may not, and nothing was sent there.

    Attributes:
        site: "host:port"; "*" for many others together.
        by: the rule that was against it.
        count: how often, since the last such event.
    """

    kind: Literal["blocked"] = "blocked"
    site: str
    by: BlockedBy
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """Nothing more is done until the session is resumed."""

    kind: Literal["paused"] = "paused"
    by: PauseCause
    detail: str = ""
    detail_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "detail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A pause ended; a fresh frame is captured next."""

    kind: Literal["resumed"] = "resumed"
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOver:
    """The operator has control of the target; nothing is observed or sent."""

    kind: Literal["handed_over"] = "handed_over"
    by: str = "human"
    reason: str = ""
    reason_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedBack:
    """The operator returned control. `by_hand`: what was given to the target in the preview; nothing of it is kept."""

    kind: Literal["handed_back"] = "handed_back"
    note: str = ""
    by_hand: HandUse = UNUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The operator took a snapshot of the virtual machine, or went back to one, while nothing could act.

    Attributes:
        act: which of both.
        name: the snapshot's.
    """

    kind: Literal["snapshot"] = "snapshot"
    act: SnapshotAct
    name: str


APPROVED_NEXT = "approved-next"
"""The rule of an action that the operator approved ahead, with a number of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutonomyChanged:
    """From here on the run has this autonomy, and so many of the next actions that the side card would ask about are
    approved: `approve_next`. Each is decided by the rule `APPROVED_NEXT`."""

    kind: Literal["autonomy_changed"] = "autonomy_changed"
    autonomy: Autonomy
    approve_next: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedAction:
    """An action that a stop interrupted or dropped.

    Attributes:
        action: the action; None where the model's call was not understood.
        assessment: policy's judgement of it; None where it was not assessed.
        window: the title of the window that would receive it, "" where unknown.
        name: the call's name in the model's dialect, where `action` is None.
    """

    action: Action | None = None
    assessment: Assessment | None = None
    window: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """An emergency stop or an orderly interruption.

    Attributes:
        reason: what stopped it.
        detail: in words ("pointer in the top-left corner of monitor 1").
        latched: whether a reset is needed.
        in_flight: the action that was being carried out, in words; "" for none. `in_flight_action`: the action itself.
        delivered, total: characters or events of it that were sent.
        cancelled: the actions that were dropped, in words. `cancelled_actions`: the actions themselves.
        released_keys, released_buttons: how many were held and released.
        press_to_last_event_ms: time from the stop to the last press or motion sent; None: nothing was being sent.
    """

    kind: Literal["stopped"] = "stopped"
    reason: StopCause
    detail: str = ""
    detail_notices: tuple[Notice, ...] = ()
    latched: bool
    in_flight: str = ""
    in_flight_action: StoppedAction | None = None
    delivered: int = 0
    total: int = 0
    cancelled: tuple[str, ...] = ()
    cancelled_actions: tuple[StoppedAction, ...] = ()
    released_keys: int = 0
    released_buttons: int = 0
    press_to_last_event_ms: float | None = None

    def __post_init__(self) -> None:
        keep_notices(self, "detail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question is open (event kind `question`)."""

    kind: Literal["question"] = "question"
    question: Question
    step: int | None = None
    call: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question was answered, lapsed or was withdrawn. `answer`: "yes", "declined", the index, the text, or
    "withdrawn". `permits`: it was widened to what the question offered."""

    kind: Literal["answered"] = "answered"
    question_id: str
    answer: str
    by: DecidedBy
    took_s: float = 0.0
    step: int | None = None
    call: int | None = None
    permits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Permitted:
    """The operator permitted actions without a question, until the session ends. It ends with the run at the latest.

    Attributes:
        permission_id: unique in the session.
        text: what is permitted, in one sentence.
        coverage: the same as values.
        question_id: the question whose answer it is.
    """

    kind: Literal["permitted"] = "permitted"
    permission_id: str
    text: str
    text_notices: tuple[Notice, ...] = ()
    coverage: Coverage
    question_id: str
    step: int | None = None
    call: int | None = None

    def __post_init__(self) -> None:
        keep_notices(self, "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRevoked:
    """A permission ended before its session."""

    kind: Literal["permission_revoked"] = "permission_revoked"
    permission_id: str
    by: RevokedBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message to the model, from the operator or the engine (`by`: "operator" or "console")."""

    kind: Literal["message"] = "message"
    text: str
    by: str = "operator"
    text_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """The request to the model is repeated after `wait_s`."""

    kind: Literal["retrying"] = "retrying"
    step: int
    attempt: int
    of: int
    wait_s: float
    reason: str
    reason_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A warning to the operator; the session continues. `pid`: the process that it is about, where a restart of that
    would help."""

    kind: Literal["warned"] = "warned"
    title: str
    detail: str = ""
    detail_notices: tuple[Notice, ...] = ()
    title_notices: tuple[Notice, ...] = ()
    step: int | None = None
    pid: int | None = None

    def __post_init__(self) -> None:
        keep_notices(self, "title", "detail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """A human reset the latch."""

    kind: Literal["reset"] = "reset"
    by: str


class EndedOutcome(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The run is over; another may be appended to the same file. `unreported_steps`: those without reported tokens.
    `actions`, `questions`, `answer_s`: as of `QuestionLoad`."""

    kind: Literal["ended"] = "ended"
    outcome: EndedOutcome
    message: str = ""
    message_notices: tuple[Notice, ...] = ()
    steps: int = 0
    usage: Usage
    cost: Money | None = None
    unreported_steps: int = 0
    elapsed_s: float = 0.0
    actions: int = 0
    questions: int = 0
    answer_s: float | None = None

    def __post_init__(self) -> None:
        keep_notices(self, "message")


Event: TypeAlias = (
    SessionStarted
    | Observed
    | Proposed
    | Decided
    | Granted
    | Performed
    | Settled
    | Downloaded
    | Blocked
    | Paused
    | Resumed
    | HandedOver
    | HandedBack
    | Snapshot
    | AutonomyChanged
    | Stopped
    | Asked
    | Answered
    | Permitted
    | PermissionRevoked
    | Message
    | Retrying
    | Warned
    | Reset
    | Ended
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An event in the journal: `seq` counts from 1, `time` is RFC 3339, UTC, with microseconds."""

    seq: int
    time: str
    event: Event
