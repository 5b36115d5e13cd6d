"""What is said on the preview about a target that cannot be seen or reached, and the one step offered. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from operator_console.domain.actions import Action, Drag, UseElement, target_point
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Frame, TargetKind, TargetRef, WindowInfo, target_display
from operator_console.domain.geometry import NativePoint
from operator_console.domain.message_texts import worded
from operator_console.domain.target_tests import TargetReport, Tried
from operator_console.domain.translations import _
from operator_console.ui.view.session_view import Phase

if TYPE_CHECKING:
    from operator_console.ui.backend import TargetChoice

MOSTLY = 0.5
"""The part of a window that other windows have to cover for it to be said."""
_SAMPLES = 24


class TargetStep(StrEnum):
    """What the button does."""

    NONE = ""
    CHOOSE = "choose"
    RESTORE = "restore"
    SHOW = "show"
    FRONT = "front"
    REFRESH = "refresh"
    CANCEL = "cancel"
    END = "end"

    @property
    def words(self) -> str:
        """The button's text."""
        match self:
            case TargetStep.NONE:
                return ""
            case TargetStep.CHOOSE:
                return _("Choose another")
            case TargetStep.RESTORE:
                return _("Restore the window")
            case TargetStep.SHOW:
                return _("Show the window")
            case TargetStep.FRONT:
                return _("Bring to front")
            case TargetStep.REFRESH:
                return _("Refresh targets")
            case TargetStep.CANCEL:
                return _("Cancel")
            case TargetStep.END:
                return _("End the session")


def target_title(target: TargetRef) -> str:
    """The title of a target in the reader's language; that of a window is its own."""
    rest = target.title.partition(" · ")[2]
    match target.kind:
        case TargetKind.MONITOR if rest:
            number = target.spec.partition(":")[2]
            return _("Monitor {number} · {size}").format(number=number, size=rest)
        case TargetKind.VIRTUAL if rest:
            return _("Virtual desktop · {size}").format(size=rest)
        case TargetKind.VM if rest:
            return _("Virtual machine · {name}").format(name=rest)
        case TargetKind.VNC if not rest:
            return _("VNC machine")
        case TargetKind.BROWSER if not rest:
            return _("Browser")
        case TargetKind.BROWSER if target.joins:
            return _("Open browser · {address}").format(address=rest)
        case TargetKind.BROWSER:
            return _("Browser · {address}").format(address=rest)
        case _:
            return target.title


def tried_word(outcome: Tried) -> str:
    """How one thing of a Test went."""
    match outcome:
        case Tried.OK:
            return _("ok")
        case Tried.NOT_OK:
            return _("not ok")
        case Tried.NOT_TRIED:
            return _("not tried")


def report_text(report: TargetReport) -> str:
    """The result of a target's Test as lines of text."""
    rows = [report.title]
    for line in report.lines:
        rows.append(f"  {tried_word(line.outcome):<9}  {worded(line.name):<8}  {worded(line.said)}")
        if line.remedy:
            rows.append(f"{'':<23}{worded(line.remedy)}")
    return "\n".join(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetNote:
    """A title, a text and a button."""

    title: str
    text: str = ""
    step: TargetStep = TargetStep.NONE


def is_gone(error: ConsoleError | None) -> bool:
    """Whether it says that the target is gone for good."""
    return isinstance(error, ComputerUnavailable) and error.reason is UnavailableReason.GONE


def has_own_window(target: TargetRef) -> bool:
    """Whether it is a browser with a window on the person's desktop."""
    return target.kind is TargetKind.BROWSER and bool(target_display(target))


def used_in_preview(target: TargetRef) -> bool:
    """Whether a person who takes over has nothing but the preview to use the target with."""
    on_desk = target.kind is TargetKind.MONITOR or target.kind.is_one_window
    return not on_desk and not has_own_window(target)


def trouble_note(error: ConsoleError, phase: Phase, kind: TargetKind | None = None) -> TargetNote:
    """Why the target cannot be seen. A session cannot exchange its target: without it, it can only end.

    `kind`: the target's; None: not known. Only a window can be shown.
    """
    reason = error.reason if isinstance(error, ComputerUnavailable) else None
    step = TargetStep.REFRESH
    if is_gone(error):
        step = TargetStep.END if phase.active else TargetStep.CHOOSE
        if phase is Phase.HANDED_OVER:
            step = TargetStep.NONE  # Hand back is there
    elif reason is UnavailableReason.MINIMISED:
        step = TargetStep.RESTORE
    elif reason is UnavailableReason.HIDDEN and (kind is None or kind.is_one_window):
        step = TargetStep.SHOW
    title, detail, remedy = error.worded
    text = f"{detail} {remedy}" if step is TargetStep.REFRESH else detail
    return TargetNote(title=title, text=text.strip(), step=step)


def choice_note(chosen: TargetChoice | None, *, looking: bool, some: bool) -> TargetNote | None:
    """What is said while no session runs and the chosen target has no picture; None for nothing.

    Args:
        chosen: the chosen target; None for none.
        looking: whether the targets are being listed.
        some: whether any target is listed.
    """
    if chosen is not None:
        if chosen.closed:
            text = _what_about_a_closed(chosen.kind)
            return TargetNote(title=f"{chosen.title}.", text=text, step=TargetStep.CHOOSE)
        if not chosen.live:
            if chosen.kind is TargetKind.BROWSER:
                address = chosen.spec.partition(":")[2]
                return TargetNote(
                    title=_("A browser of its own."),
                    text=chosen.trouble
                    or (
                        _(
                            "It starts with the session, with a fresh profile: without your logins, history "
                            "and extensions. It begins with {address}."
                        ).format(address=address)
                        if address
                        else _(
                            "It starts with the session, with a fresh profile: without your logins, history "
                            "and extensions. It begins with an empty page."
                        )
                    ),
                )
            if chosen.kind is TargetKind.VNC:
                return TargetNote(
                    title=_("A machine over VNC."),
                    text=_(
                        "The console connects when the session starts, and shows its screen here. Your own "
                        "screen, pointer, keyboard and clipboard are not touched."
                    ),
                )
            return TargetNote(
                title=_("An isolated desktop."),
                text=chosen.trouble
                or _(
                    "It starts with the session. The agent sees and uses only this desktop, never your own. "
                    "Files go in and out through its folder Shared, which lies beside the session's file."
                ),
            )
        return None
    if looking:
        return TargetNote(title=_("Looking for targets…"))
    if some:
        return TargetNote(
            title=_("No target chosen."),
            text=_("The target used last is not open. Choose another one."),
            step=TargetStep.CHOOSE,
        )
    return TargetNote(
        title=_("No target available."),
        text=_("Open a window or connect a monitor, then refresh the list."),
        step=TargetStep.REFRESH,
    )


def _what_about_a_closed(kind: TargetKind) -> str:
    match kind:
        case TargetKind.MONITOR:
            return _("It was switched off or unplugged. Choose another target, or switch it on again.")
        case TargetKind.VIRTUAL:
            return _("It ended with its window. Choose another target.")
        case _:
            return _("Choose another target, or open this one again.")


def covering_window(frame: Frame | None, action: Action | None) -> WindowInfo | None:
    """The window that keeps the pointer of an action from the target; None: there is none."""
    if frame is None:
        return None
    at = [frame.geometry.to_screen(point) for point in _pointed_at(action) if frame.geometry.contains(point)]
    over = (
        window.info
        for window in reversed(frame.covering)
        if any(part.contains(place.x, place.y) for part in window.parts for place in at)
    )
    return next(over, None)


def _pointed_at(action: Action | None) -> tuple[NativePoint, ...]:
    """Where the pointer has to reach the target. An element of a window is used without the pointer."""
    if action is None or isinstance(action, UseElement):
        return ()
    if isinstance(action, Drag):
        return (action.path[0], action.path[-1])
    point = target_point(action)
    return (point,) if point is not None else ()


def covered_note(frame: Frame | None, action: Action | None) -> TargetNote | None:
    """What is said about windows that lie over the target: over most of it, or over the next action's place."""
    if frame is None or not frame.covering:
        return None
    over = covering_window(frame, action)
    if over is not None:
        return _covered_by(over.title or over.app, _("The next action would not reach it."))
    if _covered_share(frame) < MOSTLY:
        return None
    top = frame.covering[-1].info
    return _covered_by(top.title or top.app, _("Clicks there would not reach it."))


def _covered_by(name: str, text: str) -> TargetNote:
    return TargetNote(
        title=(_("Covered by “{name}”").format(name=name) if name else _("Covered by another window")),
        text=text,
        step=TargetStep.FRONT,
    )


def _covered_share(frame: Frame) -> float:
    """The covered part of the picture, 0 to 1, by a grid of samples."""
    rect = frame.geometry.rect
    parts = [part for window in frame.covering for part in window.parts]
    hit = 0
    for row in range(_SAMPLES):
        y = rect.y + (row + 0.5) * rect.height / _SAMPLES
        for column in range(_SAMPLES):
            x = rect.x + (column + 0.5) * rect.width / _SAMPLES
            hit += any(part.contains(x, y) for part in parts)
    return hit / _SAMPLES**2


def pointing_note() -> TargetNote:
    """What is said while a window is chosen by pointing at it."""
    return TargetNote(
        title=_("Click the window that is to be the target."),
        text=_("The click is not passed on. Esc cancels."),
        step=TargetStep.CANCEL,
    )


"""Shown while a window is chosen by pointing at it."""
