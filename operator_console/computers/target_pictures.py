"""Pictures of listed targets over one connection: to open one for each takes most of a second among 300 windows.

They are for choosing a target, so a window is taken without its dialogs and menus. Belongs to one thread.
"""

from __future__ import annotations

from operator_console.computers.targets import snapshot
from operator_console.computers.window_wording import quoted, require_shown
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import open_display
from operator_console.desktop.protocols import Desktop, ScreenCapture
from operator_console.desktop.values import Grab
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, TargetRef, WindowTarget
from operator_console.domain.geometry import ScreenPoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode


class TargetPictures:
    """Takes pictures; connects at the first one."""

    def __init__(self, own: OwnWindows, display_name: str) -> None:
        self._own, self._display_name = own, display_name
        self._open: tuple[Desktop, ScreenCapture] | None = None

    def take(self, ref: TargetRef) -> Frame:
        """One picture. Blocking. Raises ComputerUnavailable with the reason."""
        from operator_console.computers.frame_building import make_frame  # with numpy, which listing does without

        if not isinstance(ref, WindowTarget) or ref.display != self._display_name:
            return snapshot(ref, self._own)
        try:
            grab = self._window(ref)
        except ComputerUnavailable as error:
            if error.reason is UnavailableReason.NO_DISPLAY:
                self.close()
            raise
        return make_frame(
            pixels=grab.pixels, native=grab.rect.size, origin=ScreenPoint(grab.rect.x, grab.rect.y), target=ref,
            needs=ImageNeeds(), title=ref.title, covered=grab.covered,
        )  # fmt: skip

    def close(self) -> None:
        """Disconnect."""
        if self._open is not None:
            desktop, capture = self._open
            self._open = None
            capture.close()
            desktop.close()

    def _window(self, ref: WindowTarget) -> Grab:
        if self._open is None:
            desktop = open_display(self._display_name)
            self._open = (desktop, desktop.capture(self._own))
        desktop, capture = self._open
        with desktop.losing():
            window = require_shown(desktop.describe(ref.window_id), ref.title)
            grab = capture.windows(window.rect, [window.frame_id])
        if grab is None:
            raise ComputerUnavailable(
                notice(NoticeCode.WINDOW_NOT_CAPTURED, window=quoted(ref.title)), reason=UnavailableReason.HIDDEN
            )
        return grab
