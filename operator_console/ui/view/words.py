"""Text for states, causes, figures and tasks, in the window and the terminal. Pure; no Qt.

`engine.action_wording` has the text for actions and escapes untrusted text.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from operator_console.domain.decisions import Assessment
from operator_console.domain.events import Observed
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.risk import Category, RiskClass
from operator_console.domain.stopping import StopCause
from operator_console.domain.translations import _
from operator_console.engine.action_wording import brief


def task_line(text: str, limit: int = 160, *, runbook: bool = False) -> str:
    """A task in one line: its first line, escaped, shortened and without a leading #; "…" if more lines follow.

    `runbook`: it is one, where `@FILE` names the file that holds it.
    """
    first, *more = text.strip().splitlines() or [""]
    if runbook and first.startswith("@"):
        return brief(_("Runbook {name}").format(name=PurePath(first[1:]).name), limit)
    return f"{brief(first.lstrip('#').strip(), limit)}{' …' if more else ''}"


STOP_WORDS: dict[StopCause, str] = {
    StopCause.HOTKEY: "hotkey",
    StopCause.BUTTON: "the Stop button",
    StopCause.COMMAND: "the stop command",
    StopCause.CORNER: "the pointer in a screen corner",
    StopCause.LAPSE: "a console that stopped responding",
    StopCause.DISPLAY_LOST: "the loss of the display",
    StopCause.CONSOLE_DIED: "the unexpected end of the console",
    StopCause.STOP_NOT_LIVE: "a stop that was not ready",
    StopCause.INTERRUPT: "an interrupt",
    StopCause.GUARD_DIED: "the unexpected end of the safety process",
    StopCause.CARD: "your answer",
}


ACCESSIBILITY_WORDS = (
    "Accessibility is switched on",
    "In your desktop session, while this session runs, so that applications name their controls.",
)
"""Title and text for a run that switched accessibility on."""


def stopped_words(cause: StopCause | None) -> str:
    """The banner's text for a stop, without its time; None: the cause is unknown."""
    if cause is StopCause.GUARD_DIED:
        return "Stopped: the safety process ended unexpectedly"
    return f"Stopped by {STOP_WORDS[cause]}" if cause is not None else "Stopped"


CATEGORY_WORDS: dict[Category, str] = {
    Category.SEND: "sends data",
    Category.POST: "publishes",
    Category.DELETE: "deletes",
    Category.TERMINAL: "runs a command",
    Category.INSTALL: "installs",
    Category.DOWNLOAD_RUN: "runs a download",
    Category.UPLOAD: "uploads",
    Category.LOGIN: "signs in",
    Category.PERSONAL_DATA: "personal data",
    Category.SYSTEM: "changes the system",
    Category.PAY: "pays",
    Category.CREDENTIALS: "fills in a secret",
    Category.SECURITY: "changes security",
    Category.LEGAL: "accepts terms",
}


def risk_words(assessment: Assessment) -> str:
    """The risk and what it is about: "Low risk", "No risk", "High · sends data"."""
    what = ", ".join(CATEGORY_WORDS[category] for category in assessment.categories)
    word = "No" if assessment.risk is RiskClass.C0 else assessment.risk.word.capitalize()
    return f"{word} · {what}" if what else f"{word} risk"


CATEGORY_NAMES: dict[Category, str] = {
    Category.SEND: "Send data",
    Category.POST: "Publish",
    Category.DELETE: "Delete things",
    Category.TERMINAL: "Run commands",
    Category.INSTALL: "Install software",
    Category.DOWNLOAD_RUN: "Run downloads",
    Category.UPLOAD: "Upload files",
    Category.LOGIN: "Sign in",
    Category.PERSONAL_DATA: "Enter personal data",
    Category.SYSTEM: "Change the system",
    Category.PAY: "Pay",
    Category.CREDENTIALS: "Fill in secrets",
    Category.SECURITY: "Change security settings",
    Category.LEGAL: "Accept terms",
}
"""Names of categories as permissions; `CATEGORY_WORDS` describes what an action does."""


def names_of(categories: Iterable[Category]) -> str:
    """Categories in one line: "send data, sign in"."""
    return ", ".join(CATEGORY_NAMES[each][:1].lower() + CATEGORY_NAMES[each][1:] for each in categories)


def clock_words(seconds: float) -> str:
    """0:42, 12:05, 1:02:03."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{secs:02}" if hours else f"{minutes}:{secs:02}"


def count_words(number: int) -> str:
    """842, 18.4 k, 1.2 M."""
    if number < 1_000:
        return str(number)
    if number < 999_950:
        return f"{number / 1_000:.1f} k"
    return f"{number / 1_000_000:.1f} M"


def size_words(size_bytes: int) -> str:
    """12 KB, 3.4 MB."""
    if size_bytes < 1_000_000:
        return f"{max(1, round(size_bytes / 1_000))} KB"
    return f"{size_bytes / 1_000_000:.1f} MB"


def age_words(seconds: float) -> str:
    """0.4 s, 12 s, 3 min."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def window_words(seen: Observed, target: TargetRef | None) -> str:
    """The window that receives the next input: the target, or on a monitor the focused window unless it is our own."""
    if target is None or target.kind is not TargetKind.MONITOR or seen.focus is None or seen.focus.own:
        return seen.title
    return f"{seen.focus.title} — {seen.focus.app}" if seen.focus.app else seen.focus.title
