"""The target of the preview: the list to choose from, its live frames, and why it cannot be captured."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import assert_never

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from operator_console.domain.errors import ConsoleError
from operator_console.domain.frames import Frame, TargetKind
from operator_console.ui.backend import ConsoleBackend, TargetChoice
from operator_console.ui.bridge import Bridge
from operator_console.ui.view.target_words import TargetStep, is_gone
from operator_console.ui.widgets.images import image_of
from operator_console.ui.window import MainWindow
from operator_console.ui.window_place import RememberedSetup

TASK, PICTURES, FORWARD, POINTING = "targets", "pictures of the targets", "bring the target forward", "pointing"
THUMBNAIL_MS = 1_000
"""Least time between two pictures of the chosen target in the set-up."""
LOOK_S, PICTURE_S = 0.1, 2.0
"""While the list is open: how often its visible rows are looked at, and least time between two pictures of one."""


class TargetController(QObject):
    """Follows the chosen target, or that of the running session.

    Attributes:
        title: of the target in the preview if it was chosen after the last session began; otherwise "".
        live: the last live frame, changed or not; None while there is none.
        looked_s: time.monotonic() of it.

    Signals:
        changed: the state of the target changed (no payload).
        listed: the target list was refreshed (no payload).
        end_wanted: the session, whose target is gone, should end (no payload).
    """

    changed = Signal()
    listed = Signal()
    end_wanted = Signal()

    def __init__(
        self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, wanted: str,
        last: RememberedSetup | None = None,
    ) -> None:  # fmt: skip
        """`wanted`: specification of the target to choose first. `last`: the set-up that `wanted` is of, if it is."""
        super().__init__()
        self._last = last
        self._last_used = _listed_as(last.target) if last is not None else ""
        self._backend, self._bridge, self._window, self._wanted = backend, bridge, window, _listed_as(wanted)
        self._chooser = window.setup.chooser
        self._chooser.point.setVisible(backend.points_at_windows)
        self._session = ""
        self._began: TargetChoice | None = None
        self._listed = False
        self.title = ""
        self.trouble: ConsoleError | None = None
        self.looked_s: float | None = None
        self.live: Frame | None = None
        self._frame: Frame | None = None
        self._pictured_s: dict[str, float] = {}
        self._thumbnail = QTimer(self._chooser)  # ends with the widgets that it is about
        self._thumbnail.setSingleShot(True)
        self._thumbnail.setInterval(THUMBNAIL_MS)
        self._thumbnail.timeout.connect(self._show_thumbnail)
        self._chooser.refresh_pressed.connect(self.refresh)
        self._chooser.point_pressed.connect(self._point_pressed)
        self._chooser.chosen.connect(self._chosen)
        self._chooser.list_opened.connect(self._list_opened)
        window.empty.acted.connect(self._act)
        window.hint.acted.connect(self._act)
        bridge.frame.connect(self._frame_came)
        bridge.looked.connect(self._looked)
        bridge.targets.connect(self._targets_came)

    @property
    def looking(self) -> bool:
        """Whether the target list is being refreshed, or has not been read yet."""
        return not self._listed or self._bridge.running(TASK)

    def refresh(self) -> None:
        """List the targets anew, and watch the one in the preview again."""
        if self._session:
            self._bridge.watch(self._session)
        self._chooser.show_busy(refreshing=True)
        self._bridge.run(TASK, self._list())

    async def choose(self, spec: str) -> None:
        """List the targets anew and choose this one; "": the one used last, else the first."""
        targets = await self._backend.list_targets()
        self._targets_came(targets)
        if not self._chooser.choose(spec or self._wanted) and targets:
            self._chooser.choose(targets[0].spec)

    @property
    def pointing(self) -> bool:
        """Whether a window is being chosen by pointing at it."""
        return self._bridge.running(POINTING)

    def cancel_pointing(self) -> None:
        """Release the pointer without a choice."""
        if self.pointing:
            self._bridge.cancel(POINTING)
            self.changed.emit()

    def _point_pressed(self) -> None:
        if self.pointing:
            self.cancel_pointing()
        else:
            self._bridge.run(POINTING, self._point())
            self.changed.emit()

    async def _point(self) -> None:
        self._window.lower()  # other windows can be seen then, and the keyboard stays here for Escape
        try:
            spec = await self._backend.point_at_window()
        finally:
            self._window.raise_()
        if spec and not self._chooser.choose(spec):
            self._targets_came(await self._backend.list_targets())
            self._chooser.choose(spec)

    def begin_session(self, spec: str) -> None:
        """Show this target in the preview until `end_session`, regardless of the set-up column's choice."""
        self.cancel_pointing()
        self._began, self._last_used = self._chooser.listed(spec), _listed_as(spec)
        self._chooser.show_last(self._last_used)
        self._session, self.title = spec, ""
        self.looked_s, self.trouble, self.live = None, None, None
        self._bridge.watch(spec)

    def end_session(self) -> None:
        """Let the preview follow the set-up column's choice again."""
        if not self._session:
            return
        ended, self._session = self._session, ""
        listed = self._chooser.listed(ended)
        if _of_session(ended) and not (
            listed is not None and listed.live
        ):  # it has ended with the session: its last picture stays
            self._bridge.watch(None)
            self.looked_s, self.trouble, self.live = None, None, None
        elif self.trouble is not None:
            self.lost(self.trouble)

    def is_replaced(self, spec: str) -> bool:
        """Whether the window that the last session had is closed, and another one has its id."""
        began, now = self._began, self._chooser.listed(spec)
        if began is None or began.spec != spec or now is None or None in (began.pid, now.pid):
            return False
        return began.pid != now.pid

    def is_closed(self, spec: str) -> bool:
        """Whether the window that the last session had is closed."""
        began, now = self._began, self._chooser.listed(spec)
        if began is None or began.spec != spec or not began.kind.is_one_window:
            return False
        return now is None or now.closed

    def lost(self, error: ConsoleError) -> None:
        """Record that the target cannot be captured; a chosen one that has closed stays selected, marked closed."""
        self.trouble = error
        if is_gone(error) and not self._session:
            self._chooser.close_target(self._bridge.watched)

    @property
    def on_this_desktop(self) -> bool:
        """Whether the session's target is on the human's own desktop."""
        return bool(self._session) and not _of_session(self._session)

    def bring_forward(self) -> None:
        """Restore and raise the window in the preview, and give it the focus: only at the operator's wish."""
        if self._bridge.watched:
            self._bridge.run(FORWARD, self._backend.bring_forward(self._bridge.watched))

    def _act(self, step: TargetStep) -> None:
        match step:
            case TargetStep.CHOOSE:
                self._window.line.unfold.setChecked(True)
                self._window.setup.show()
                self._chooser.target.setFocus()
                self._chooser.target.showPopup()
            case TargetStep.RESTORE | TargetStep.SHOW | TargetStep.FRONT:
                self.bring_forward()
            case TargetStep.REFRESH:
                self.refresh()
            case TargetStep.CANCEL:
                self.cancel_pointing()
            case TargetStep.END:
                self.end_wanted.emit()
            case TargetStep.NONE:
                pass
            case _:
                assert_never(step)

    async def _list(self) -> None:
        try:
            targets = await self._backend.list_targets()
        finally:
            self._listed = True  # also where it failed: nothing is awaited any more
            self._chooser.show_busy(refreshing=False)
        watched = self._bridge.watched
        self._targets_came(targets)
        choice = self._chooser.choice
        if not self._session and choice is not None and choice.live and choice.spec == watched:
            self._bridge.watch(watched)  # again: it may have failed for another reason than a change of the list
        self.listed.emit()
        self._bridge.watch_targets()

    def _targets_came(self, targets: Sequence[TargetChoice]) -> None:
        self._listed = True
        self._chooser.show_targets(
            targets, self._now(self._wanted, targets) or f"{self._wanted} (closed)", self._now(self._last_used, targets)
        )
        choice = self._chooser.choice
        if self.title and choice is not None:
            self.title = choice.title
        self.changed.emit()

    def _now(self, spec: str, targets: Sequence[TargetChoice]) -> str:
        """The specification of a target used before as it is listed now; "" where another has its id.

        A machine is known by its name: its viewer may be another window by now.
        """
        if spec.partition(":")[0] == TargetKind.VM and not any(each.spec == spec for each in targets):
            title = self._last.target_title if self._last is not None and self._last.target == spec else ""
            machines = [each for each in targets if each.kind is TargetKind.VM]
            same = [each.spec for each in machines if spec == each.machine or each.title == title]
            if len(same) == 1:
                return same[0]
        return spec if self._is_still(spec, targets) else ""

    def _is_still(self, spec: str, targets: Sequence[TargetChoice]) -> bool:
        """Whether the specification of the target used last stands for it still: ids of windows are given again."""
        if spec.partition(":")[0] not in (TargetKind.WINDOW, TargetKind.VM):
            return True
        if self._began is not None and self._began.spec == spec:
            return any(each.spec == spec and each.pid == self._began.pid for each in targets)
        if self._last is None:
            return True
        title = self._last.target_title if self._last.target == spec else ""
        return any(each.spec == spec and each.title == title for each in targets)

    def _chosen(self, choice: object) -> None:
        if self._session:
            return
        self.looked_s, self.trouble, self.live, self._frame = None, None, None, None
        self._thumbnail.stop()
        self.title = choice.title if isinstance(choice, TargetChoice) else ""
        if isinstance(choice, TargetChoice) and choice.live:
            self._window.preview.show_frame(choice.picture)
            self._bridge.watch(choice.spec)
        else:
            self._window.preview.show_frame(None)
            self._bridge.watch(None)
        self.changed.emit()

    def _frame_came(self, frame: Frame) -> None:
        if self.trouble is not None:
            self.trouble = None
            self.changed.emit()
        self._window.preview.show_frame(frame)
        self._window.empty.show_note(None)
        self._frame = frame
        if not self._thumbnail.isActive():
            self._show_thumbnail()

    def _looked(self, frame: Frame) -> None:
        before = (self.live.covering, self.live.page) if self.live is not None else (None, None)
        self.live, self.looked_s = frame, max(frame.taken_s, 0.0) or time.monotonic()
        if (frame.covering, frame.page) != before:
            self.changed.emit()

    # pictures in the set-up

    def _show_thumbnail(self) -> None:
        frame, self._frame = self._frame, None
        choice = self._chooser.choice
        if frame is None or choice is None or choice.spec != self._bridge.watched:
            return
        if self._chooser.isVisible():
            self._chooser.show_picture(frame)
        self._thumbnail.start()

    def _list_opened(self, opened: object) -> None:
        if opened:
            self._bridge.run(PICTURES, self._take_pictures())
        else:
            self._bridge.cancel(PICTURES)

    async def _take_pictures(self) -> None:
        """Take pictures of the targets in view, one after the other, until the list is closed."""
        while True:
            for spec in self._chooser.visible_specs():
                choice = self._chooser.listed(spec)
                now_s = time.monotonic()
                if choice is None or not choice.live or now_s - self._pictured_s.get(spec, -PICTURE_S) < PICTURE_S:
                    continue
                self._pictured_s[spec] = now_s
                self._chooser.put_picture(spec, await self._picture(spec))
            await asyncio.sleep(LOOK_S)

    async def _picture(self, spec: str) -> QImage | None:
        from operator_console.ui.panels.target_rows import small

        try:
            frame = await self._backend.picture(spec)
        except ConsoleError:  # minimised, or gone meanwhile
            return None
        return await asyncio.to_thread(small, image_of(frame), self._window.devicePixelRatioF())


def _of_session(spec: str) -> bool:
    """Whether a target exists only while its session runs."""
    return TargetKind(spec.partition(":")[0]).starts_with_session


def _listed_as(spec: str) -> str:
    """The target in the list that a specification belongs to: an address is chosen beside the list."""
    kind = spec.partition(":")[0]
    return kind if kind in (TargetKind.BROWSER.value, TargetKind.VNC.value) else spec
