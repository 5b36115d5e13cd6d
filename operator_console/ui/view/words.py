"""Text for states, causes, figures and tasks, in the window and the terminal. Pure; no Qt.

`engine.action_wording` has the text for actions and escapes untrusted text.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from operator_console.domain.category_names import category_name
from operator_console.domain.decisions import Assessment
from operator_console.domain.events import EndedOutcome, Observed
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.permissions import RevokedBy
from operator_console.domain.risk import Category, RiskClass
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.stopping import WaitsFor
from operator_console.domain.translations import _
from operator_console.engine.action_wording import capital
from operator_console.engine.visible_text import brief
from operator_console.ui.view.cause_words import waits_for_phrase


def task_line(text: str, limit: int = 160, *, runbook: bool = False) -> str:
    """A task in one line: its first line, escaped, shortened and without a leading #; "…" if more lines follow.

    `runbook`: it is one. Its title is the name of the file that holds it (`@FILE`), or the comment that it begins with,
    or its first step.
    """
    first, *more = text.strip().splitlines() or [""]
    if runbook and first.startswith("@"):
        return brief(_("Runbook {name}").format(name=PurePath(first[1:]).name), limit)
    if runbook and first and not first.startswith("#"):
        first = _("Runbook: {step}").format(step=first)
    return f"{brief(first.lstrip('#').strip(), limit)}{' …' if more else ''}"


def waits_for_words(waits_for: WaitsFor) -> str:
    """What a session of another kind than paused waits for."""
    return capital(waits_for_phrase(waits_for))


def revoked_words(by: RevokedBy) -> str:
    """That a permission ended before its session."""
    match by:
        case RevokedBy.OPERATOR:
            return _("A permission was revoked by you")
        case RevokedBy.TAKE_OVER:
            return _("A permission ended, because you took over")
        case RevokedBy.STOP:
            return _("A permission ended with the stop")


def snapshot_words(act: SnapshotAct) -> str:
    """What was done with a machine’s snapshot."""
    match act:
        case SnapshotAct.TAKEN:
            return _("Snapshot of the machine taken")
        case SnapshotAct.RESTORED:
            return _("Went back to the snapshot of the machine")


def ended_words(outcome: EndedOutcome) -> str:
    """How a session ended."""
    match outcome:
        case EndedOutcome.FINISHED:
            return _("Finished")
        case EndedOutcome.FAILED:
            return _("Failed")
        case EndedOutcome.STOPPED:
            return _("Ended after a stop")
        case EndedOutcome.LIMIT:
            return _("Limit reached")


def category_words(category: Category) -> str:  # noqa: C901, PLR0911, PLR0912 - one arm a category
    """What an action of a category does."""
    match category:
        case Category.SEND:
            return _("sends data")
        case Category.POST:
            return _("publishes")
        case Category.DELETE:
            return _("deletes")
        case Category.TERMINAL:
            return _("runs a command")
        case Category.INSTALL:
            return _("installs")
        case Category.DOWNLOAD_RUN:
            return _("runs a download")
        case Category.UPLOAD:
            return _("uploads")
        case Category.LOGIN:
            return _("signs in")
        case Category.PERSONAL_DATA:
            return _("personal data")
        case Category.SYSTEM:
            return _("changes the system")
        case Category.UNKNOWN:
            return _("effect not known")
        case Category.PAY:
            return _("pays")
        case Category.CREDENTIALS:
            return _("fills in a secret")
        case Category.SECURITY:
            return _("changes security")
        case Category.LEGAL:
            return _("accepts terms")


def risk_words(assessment: Assessment) -> str:
    """The risk and what it is about: "Low risk", "No risk", "High · sends data"."""
    what = ", ".join(category_words(category) for category in assessment.categories)
    if what:
        return f"{_('No') if assessment.risk is RiskClass.C0 else risk_word(assessment.risk)} · {what}"
    match assessment.risk:
        case RiskClass.C0:
            return _("No risk")
        case RiskClass.C1:
            return _("Low risk")
        case RiskClass.C2:
            return _("Medium risk")
        case RiskClass.C3:
            return _("High risk")
        case RiskClass.C4:
            return _("Critical risk")


def risk_phrase(risk: RiskClass) -> str:
    """The level of a risk, within a line."""
    match risk:
        case RiskClass.C0:
            return _("none")
        case RiskClass.C1:
            return _("low")
        case RiskClass.C2:
            return _("medium")
        case RiskClass.C3:
            return _("high")
        case RiskClass.C4:
            return _("critical")


def risk_word(risk: RiskClass) -> str:
    """The level of a risk."""
    return capital(risk_phrase(risk))


def permission_name(category: Category) -> str:
    """A category as a permission; `category_words` says what an action does."""
    return capital(category_name(category))


def names_of(categories: Iterable[Category]) -> str:
    """Categories in one line: "send data, sign in"."""
    return ", ".join(map(category_name, categories))


def clock_words(seconds: float) -> str:
    """0:42, 12:05, 1:02:03."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{secs:02}" if hours else f"{minutes}:{secs:02}"


def duration_words(seconds: float) -> str:
    """3.2 s, 41 s, 2 min 5 s, 1 h 4 min."""
    if seconds < 9.95:
        return _("{seconds:.1f} s").format(seconds=seconds)
    whole = round(seconds)
    if whole < 60:
        return _("{seconds} s").format(seconds=whole)
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return (
            _("{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)
            if rest
            else _("{minutes} min").format(minutes=minutes)
        )
    hours, minutes = divmod(minutes, 60)
    return _("{hours} h {minutes} min").format(hours=hours, minutes=minutes)


def count_words(number: int) -> str:
    """842, 18.4 k, 1.2 M."""
    if number < 1_000:
        return str(number)
    if number < 999_950:
        return _("{number:.1f} k").format(number=number / 1_000)
    return _("{number:.1f} M").format(number=number / 1_000_000)


def size_words(size_bytes: int) -> str:
    """12 kB, 3.4 MB."""
    if size_bytes < 1_000_000:
        return _("{size} kB").format(size=max(1, round(size_bytes / 1_000)))
    return _("{size:.1f} MB").format(size=size_bytes / 1_000_000)


def age_words(seconds: float) -> str:
    """0.4 s, 12 s, 3 min."""
    if seconds < 10:
        return _("{seconds:.1f} s").format(seconds=max(0.0, seconds))
    if seconds < 100:
        return _("{seconds:.0f} s").format(seconds=seconds)
    return _("{minutes:.0f} min").format(minutes=seconds / 60)


def window_words(seen: Observed, target: TargetRef | None) -> str:
    """The window that receives the next input: the target, or on a monitor the focused window unless it is our own."""
    if target is None or target.kind is not TargetKind.MONITOR or seen.focus is None or seen.focus.own:
        return seen.title
    return f"{seen.focus.title} — {seen.focus.app}" if seen.focus.app else seen.focus.title


def leaves_words(sends_to: str, proxies: str = "") -> str:
    """What is sent to a model's service, in sentences; "" where nothing is.

    Args:
        sends_to: who gets it; "" where the model runs on this machine.
        proxies: what it goes through on the way, as host:port; "" for nothing.
    """
    if not sends_to:
        return ""
    if proxies:
        return _(
            "Your task, your messages, every picture of the target, and the text typed and read there are sent to "
            "{service}, through the proxy {proxies}. Nothing else leaves this machine."
        ).format(service=sends_to, proxies=proxies)
    return _(
        "Your task, your messages, every picture of the target, and the text typed and read there are sent to "
        "{service}. Nothing else leaves this machine."
    ).format(service=sends_to)
