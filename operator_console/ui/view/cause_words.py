"""Text for what stops a session, pauses it, or is waited for. Imports little: `status` and `stop` use it."""

from __future__ import annotations

from operator_console.domain.stopping import PauseCause, StopCause, WaitsFor
from operator_console.domain.translations import _


def stop_words(cause: StopCause) -> str:  # noqa: PLR0911 - one arm a cause
    """What stopped a session, by itself or in brackets."""
    match cause:
        case StopCause.HOTKEY:
            return _("hotkey")
        case StopCause.BUTTON:
            return _("the Stop button")
        case StopCause.COMMAND:
            return _("the stop command")
        case StopCause.CORNER:
            return _("the pointer in a screen corner")
        case StopCause.LAPSE:
            return _("a console that stopped responding")
        case StopCause.DISPLAY_LOST:
            return _("the loss of the display")
        case StopCause.CONSOLE_DIED:
            return _("the unexpected end of the console")
        case StopCause.STOP_NOT_LIVE:
            return _("a stop that was not ready")
        case StopCause.INTERRUPT:
            return _("an interrupt")
        case StopCause.GUARD_DIED:
            return _("the unexpected end of the safety process")
        case StopCause.CARD:
            return _("your answer")


def stopped_words(cause: StopCause | None) -> str:
    """The banner's text for a stop, without its time; None: the cause is unknown."""
    return _("Stopped") if cause is None else _stopped_by(cause)


def _stopped_by(cause: StopCause) -> str:  # noqa: PLR0911 - one arm a cause
    match cause:
        case StopCause.HOTKEY:
            return _("Stopped by hotkey")
        case StopCause.BUTTON:
            return _("Stopped by the Stop button")
        case StopCause.COMMAND:
            return _("Stopped by the stop command")
        case StopCause.CORNER:
            return _("Stopped by the pointer in a screen corner")
        case StopCause.LAPSE:
            return _("Stopped by a console that stopped responding")
        case StopCause.DISPLAY_LOST:
            return _("Stopped by the loss of the display")
        case StopCause.CONSOLE_DIED:
            return _("Stopped by the unexpected end of the console")
        case StopCause.STOP_NOT_LIVE:
            return _("Stopped by a stop that was not ready")
        case StopCause.INTERRUPT:
            return _("Stopped by an interrupt")
        case StopCause.GUARD_DIED:
            return _("Stopped: the safety process ended unexpectedly")
        case StopCause.CARD:
            return _("Stopped by your answer")


def pause_words(cause: PauseCause) -> str:  # noqa: C901, PLR0911 - one arm a cause
    """Why a session is paused, by itself or in brackets."""
    match cause:
        case PauseCause.HUMAN:
            return _("by you")
        case PauseCause.HOTKEY:
            return _("by hotkey")
        case PauseCause.SCREEN_LOCK:
            return _("the screen was locked")
        case PauseCause.LEASE:
            return _("the console was busy")
        case PauseCause.STOP_NOT_LIVE:
            return _("the stop is not ready")
        case PauseCause.SUSPEND:
            return _("the computer was suspended")
        case PauseCause.LAPSED_QUESTION:
            return _("a question was not answered")
        case PauseCause.PROVIDER_BLOCKED:
            return _("the model’s service blocked this")
        case PauseCause.TARGET:
            return _("the target cannot be seen")
        case PauseCause.LIMIT:
            return _("a limit was reached")
        case PauseCause.RECORD:
            return _("the record cannot be written")
        case PauseCause.HAND:
            return _("you have it")
        case PauseCause.HOLD:
            return _("hold to run")


def paused_words(cause: PauseCause) -> str:
    """The title of a pause."""
    if cause is PauseCause.HUMAN:
        return _("Paused by you")
    if cause is PauseCause.HOTKEY:
        return _("Paused by hotkey")
    if cause is PauseCause.HAND:
        return _("You have it")
    if cause is PauseCause.HOLD:
        return _("Hold to run")
    return _("Paused: {cause}").format(cause=pause_words(cause))


def waits_for_phrase(waits_for: WaitsFor) -> str:
    """What a session of another kind than paused waits for, within a line."""
    match waits_for:
        case WaitsFor.ANSWER:
            return _("waiting for your answer")
        case WaitsFor.HAND_BACK:
            return _("you are in control")
