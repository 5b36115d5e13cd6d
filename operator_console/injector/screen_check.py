"""Checks, right before an action, that the screen has not changed under it since the model's picture."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.desktop.values import Window
from operator_console.desktop.x11.screen_capture import Capture
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import Rect
from operator_console.domain.grants import Grant, ScreenCheck
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Refused


def check_screen(capture: Capture, grant: Grant, offset: tuple[int, int], family: Sequence[Window] | None) -> None:
    """Compare the screen with the parts of the picture that the grant names.

    Args:
        capture: takes the pictures.
        grant: its `checks` hold the pixels to compare with.
        offset: how far the target has moved since the picture, in input units.
        family: the windows of a target window, which alone are looked at; None for a monitor.

    Raises:
        Refused: a part has changed, or can no longer be seen.
    """
    for check in grant.checks:
        region = grant.geometry.rect_to_screen(check.region).moved(*offset)
        now = _pixels(capture, region, family)
        if now is None or (now != check.pixels and not _similar(check, now)):
            raise Refused(RejectedReason.STALE, notice(NoticeCode.SCREEN_CHANGED_UNDER_TARGET))


def _pixels(capture: Capture, region: Rect, family: Sequence[Window] | None) -> bytes | None:
    if family is None:
        return bytes(capture.screen(region).pixels)
    grab = capture.windows(region, [window.frame_id for window in family])
    return None if grab is None else bytes(grab.pixels)


def _similar(check: ScreenCheck, now: bytes) -> bool:
    # Imported when the first pixel differs: numpy takes a fifth of this process's start.
    from operator_console.desktop.screen_similarity import similar

    return similar(check.pixels, now, check.region.size)
