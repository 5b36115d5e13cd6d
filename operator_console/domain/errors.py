"""The error tree, split by who must act.

    ConsoleError                 title + what happened + remedy, shown to the operator as they are
    ├── OperatorError            the operator can fix it (bad settings, no key, target gone ...); carries an exit code
    │   ├── TaskMistake          the task's text cannot be used as written; names the line
    │   └── LoginRefused         a machine lacks a password or an accepted certificate; says which
    ├── ProviderError            the model's service
    │   ├── ProviderTransient    temporary (429, 5xx, connection); engine waits and retries, providers never do
    │   ├── ProviderRefused      blocked or refused by the service; a human must look
    │   ├── ProviderRejected     the request was wrong (400) or the key was (401/403); never retried
    │   └── ProviderMalformed    empty or unreadable answer; the engine asks again at most 3 times
    ├── ComputerError            the target computer
    │   ├── ComputerUnavailable  gone, minimised, locked ...; `reason` is a closed set
    │   ├── ComputerRejected     refused before anything was sent (covered, stale, out of range, no focus ...)
    │   └── ComputerTimedOut     no answer in time; the outcome is unknown
    └── RecordError              the session file cannot be written or read

    ActionError                  the model's call cannot be understood; becomes a structured answer to the model
    └── OutOfRange               coordinates outside the picture

Finishing, reaching a limit and being stopped are not errors. Any other exception is a bug in this program.
"""

from __future__ import annotations

from enum import StrEnum

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    from operator_console.domain.message_texts import NoticeText


class ConsoleError(Exception):
    """An error for the operator: a title, what happened, and what to do about it, in plain sentences."""

    def __init__(self, title: str, *, detail: str = "", remedy: str = "") -> None:
        # Whatever a library or a service wrote into them, no key is shown or recorded. Imported late: `status` is fast.
        from operator_console.domain.message_texts import without_secrets_in

        self.title, self.detail, self.remedy = map(without_secrets_in, (title, detail, remedy))
        super().__init__(self.title)

    @property
    def text(self) -> NoticeText:
        """All of it, with the notices of the parts that have any."""
        # Imported late: the window's first picture needs the errors, but none of their words.
        from operator_console.domain.message_texts import joined

        return joined(self.title, self.detail, self.remedy)

    @property
    def worded(self) -> tuple[str, str, str]:
        """Title, detail and remedy in the language of the process."""
        from operator_console.domain.message_texts import worded

        return worded(self.title), worded(self.detail), worded(self.remedy)

    @property
    def for_terminal(self) -> str:
        """The lines that a command prints; control characters, as of a file, a window or a service, are escaped."""
        title, *more = self.worded
        lines = "\n".join((f"operator-console: {title}", *(f"  {part}" for part in more if part)))
        return "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in lines)

    def __str__(self) -> str:
        return str.__str__(self.text)


class ExitCode:
    """Exit codes of the command line, as resources/help/command-line.md states them."""

    FINISHED = 0
    FAILED = 1
    USAGE = 2
    STOPPED = 3
    LIMIT = 4
    REFUSED = 5
    ANCHORED_ELSEWHERE = 6


class OperatorError(ConsoleError):
    """A problem that the operator can fix. `exit_code` is the exit code of the command line."""

    def __init__(self, title: str, *, detail: str = "", remedy: str = "", exit_code: int = ExitCode.REFUSED) -> None:
        super().__init__(title, detail=detail, remedy=remedy)
        self.exit_code = exit_code


class TaskMistake(OperatorError):
    """The task's text cannot be used as written. `line` and `column` count from 1; 0 means all of it."""

    def __init__(self, title: str, *, detail: str = "", remedy: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(title, detail=detail, remedy=remedy, exit_code=ExitCode.USAGE)
        self.line, self.column = line, column


class LoginLack(StrEnum):
    """What a machine is not logged in to without; a key is its password."""

    KEY = "key"
    RIGHT_KEY = "right_key"
    ACCEPTED_CERTIFICATE = "accepted_certificate"
    CERTIFICATE_OF_BEFORE = "certificate_of_before"


class LoginRefused(OperatorError):
    """A machine cannot be logged in to without an answer of the operator.

    Attributes:
        lack: what it takes.
        address: the machine, HOST:PORT.
        fingerprint: SHA-256 of the certificate that it shows, in lower-case hex; "" where that is not in question.
        asks_user: the password goes with the name of a user.
    """

    def __init__(
        self, title: str, *, lack: LoginLack, address: str, fingerprint: str = "", asks_user: bool = False,
        detail: str = "", remedy: str = "",
    ) -> None:  # fmt: skip
        super().__init__(title, detail=detail, remedy=remedy)
        self.lack, self.address, self.fingerprint, self.asks_user = lack, address, fingerprint, asks_user


class ProviderError(ConsoleError):
    """The model's service did not give a usable answer."""


class ProviderTransient(ProviderError):
    """A temporary fault. `retry_after_s` is the delay that the service asked for, None where it named none."""

    def __init__(self, title: str, *, detail: str = "", remedy: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(title, detail=detail, remedy=remedy)
        self.retry_after_s = retry_after_s


class ProviderRefused(ProviderError):
    """The service blocked or refused this screen or task; a human must decide what happens next."""


class RejectedPart(StrEnum):
    """What a service did not take of a request that is otherwise right."""

    SIZE = "size"
    """More pictures, text or bytes than it takes."""
    FORM = "form"
    """The way in which the form of the answer was asked for (`response_format`)."""


class ProviderRejected(ProviderError):
    """The service rejected the request (400), or `part` of it, or, with `key_problem`, the key (401, 403)."""

    def __init__(
        self, title: str, *, detail: str = "", remedy: str = "", key_problem: bool = False,
        part: RejectedPart | None = None,
    ) -> None:  # fmt: skip
        super().__init__(title, detail=detail, remedy=remedy)
        self.key_problem = key_problem
        self.part = part


class ProviderMalformed(ProviderError):
    """The answer was empty or could not be read; without `by_model`, what came is none of a model's answers."""

    def __init__(self, title: str, *, detail: str = "", remedy: str = "", by_model: bool = True) -> None:
        super().__init__(title, detail=detail, remedy=remedy)
        self.by_model = by_model


class UnavailableReason(StrEnum):
    """Why a target cannot be seen or controlled now."""

    GONE = "gone"
    MINIMISED = "minimised"
    HIDDEN = "hidden"
    LOCKED = "locked"
    NO_DISPLAY = "no_display"
    BLANK = "blank"
    NO_STOP = "no_stop"
    STOPPED = "stopped"
    PAUSED = "paused"


class RejectedReason(StrEnum):
    """Why an action was refused before any of it was sent."""

    COVERED = "covered"
    STALE = "stale"
    OUT_OF_RANGE = "out_of_range"
    NO_FOCUS = "no_focus"
    OWN_WINDOW = "own_window"
    BAD_GRANT = "bad_grant"
    UNSUPPORTED = "unsupported"
    REVOKED = "revoked"


class ComputerError(ConsoleError):
    """The target computer did not do what was asked."""


class ComputerUnavailable(ComputerError):
    """The target cannot be seen or controlled now."""

    def __init__(self, title: str, *, reason: UnavailableReason, detail: str = "", remedy: str = "") -> None:
        super().__init__(title, detail=detail, remedy=remedy)
        self.reason = reason


class ComputerRejected(ComputerError):
    """Refused before anything was sent."""

    def __init__(self, title: str, *, reason: RejectedReason, detail: str = "", remedy: str = "") -> None:
        super().__init__(title, detail=detail, remedy=remedy)
        self.reason = reason


class ComputerTimedOut(ComputerError):
    """No answer in time: whether the action happened is unknown."""


class RecordError(ConsoleError):
    """The session file cannot be written or read."""


class ActionError(ValueError):
    """A model's call that cannot be understood; `text`, with its notices, goes back to the model."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class OutOfRange(ActionError):
    """A coordinate outside the picture the model was shown."""

    def __init__(self, *, axis: str, value: str, limit: str) -> None:
        from operator_console.domain.message_texts import notice
        from operator_console.domain.notices import NoticeCode

        super().__init__(notice(NoticeCode.POINT_OUT_OF_RANGE, axis=axis, value=value, limit=limit))
        self.axis = axis
        self.value = value
        self.limit = limit
