"""Checks, right before an action, that the browser shows what the model saw."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.browser.page_state import PageState, shown_windows, tab_of
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Refused
from operator_console.injector.action_limits import place_of
from operator_console.injector.browser.page_input import PageInput


class PageCheck:
    """Checks for one browser."""

    def __init__(self, page: PageInput) -> None:
        self._page = page

    def state(self) -> PageState:
        """What the browser shows now. Raises Refused, DeliveryUnknown."""
        return PageState.of(self._page.ask("Operator.state"))

    def check(self, grant: Grant, points: Sequence[NativePoint]) -> PageState:
        """The state, if it is that of the picture: the same document, windows and pixels at the points.

        Raises:
            Refused: it is not.
        """
        state = self.state()
        for point in points:
            place_of(grant, point)
        if grant.document and grant.document != state.page.document:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.PAGE_IS_ANOTHER))
        self._check_owners(grant, state)
        if state.page.dialog is None:
            self._check_pixels(grant)
        return state

    def same_tab(self, grant: Grant) -> None:
        """Raises Refused if another tab is shown than in the picture."""
        now = self.state().page.document
        if grant.document and tab_of(grant.document) != tab_of(now):
            raise Refused(RejectedReason.STALE, notice(NoticeCode.PAGE_IS_ANOTHER))

    def _check_owners(self, grant: Grant, state: PageState) -> None:
        page, over = shown_windows(state, "", 0, grant.geometry.native)
        now = page if over is None else over
        for owner in grant.owners:
            at = place_of(grant, owner.at)
            hit = now if now.rect.contains(at.x, at.y) else None
            if owner.window_id != (None if hit is None else hit.window_id):
                raise Refused(RejectedReason.STALE, _is_now(now.title if over is not None else state.page.title))
        if grant.holder is not None and grant.holder.window_id not in (None, now.window_id):
            raise Refused(RejectedReason.STALE, _is_now(now.title if over is not None else state.page.title))

    def _check_pixels(self, grant: Grant) -> None:
        if not grant.checks:
            return
        from operator_console.browser.screenshots import PagePicture
        from operator_console.desktop.screen_similarity import similar

        told = self._page.ask("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        picture = PagePicture(told["data"])
        if picture.size != grant.geometry.native:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.WINDOW_SIZE_CHANGED))
        for check in grant.checks:
            now = check.as_seen(picture.part(check.region))
            if now != check.pixels and not similar(check.pixels, now, check.region.size):
                raise Refused(RejectedReason.STALE, notice(NoticeCode.SCREEN_CHANGED_UNDER_TARGET))


def _is_now(title: str) -> NoticeText:
    return joined(notice(NoticeCode.OTHER_WINDOW_THERE), notice(NoticeCode.IT_IS_WINDOW, window=title))
