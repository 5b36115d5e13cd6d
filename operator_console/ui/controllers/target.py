"""The target of the preview: the list to choose from, its live frames, and why it cannot be captured."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Frame
from operator_console.ui.backend import ConsoleBackend, TargetChoice
from operator_console.ui.bridge import Bridge
from operator_console.ui.window import MainWindow

TASK = "targets"


class TargetController(QObject):
    """Follows the chosen target, or that of the running session.

    Attributes:
        title: of the target in the preview if it was chosen after the last session began; otherwise "".

    Signals:
        changed: the state of the target changed (no payload).
        listed: the target list was refreshed (no payload).
    """

    changed = Signal()
    listed = Signal()

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, wanted: str) -> None:
        super().__init__()
        self._backend, self._bridge, self._window, self._wanted = backend, bridge, window, wanted
        self._session = ""
        self.title = ""
        self.trouble: ConsoleError | None = None
        self.looked_s: float | None = None
        window.setup.refresh_pressed.connect(self.refresh)
        window.setup.target_chosen.connect(self._chosen)
        window.empty.acted.connect(self.refresh)
        bridge.frame.connect(self._frame_came)
        bridge.looked.connect(self._looked)

    @property
    def looking(self) -> bool:
        """Whether the target list is being refreshed."""
        return self._bridge.running(TASK)

    def refresh(self) -> None:
        """Refresh the target list, and watch a session's own target again."""
        if self._session:
            self._bridge.watch(self._session)
        self._window.setup.show_busy(refreshing=True)
        self._bridge.run(TASK, self._list())

    def begin_session(self, spec: str) -> None:
        """Show this target in the preview until `end_session`, regardless of the set-up column's choice."""
        self._session, self.title = spec, ""
        self.looked_s, self.trouble = None, None
        self._bridge.watch(spec)

    def end_session(self) -> None:
        """Let the preview follow the set-up column's choice again."""
        if self._session:
            self._session = ""
            if self.trouble is not None:
                self.lost(self.trouble)

    def lost(self, error: ConsoleError) -> None:
        """Record that the target cannot be captured; a chosen one that has closed stays selected, marked closed."""
        self.trouble = error
        gone = isinstance(error, ComputerUnavailable) and error.reason is UnavailableReason.GONE
        if gone and not self._session:
            self._window.setup.close_target(self._bridge.watched)

    async def _list(self) -> None:
        try:
            targets = await self._backend.list_targets()
        finally:
            self._window.setup.show_busy(refreshing=False)
        self._window.setup.show_targets(targets, self._wanted)
        self.changed.emit()
        self.listed.emit()

    def _chosen(self, choice: object) -> None:
        if self._session:
            return
        self.looked_s, self.trouble = None, None
        self.title = choice.title if isinstance(choice, TargetChoice) else ""
        if isinstance(choice, TargetChoice) and not choice.closed:
            self._window.stage.show_frame(choice.picture)
            self._bridge.watch(choice.spec)
        else:
            self._window.stage.show_frame(None)
            self._bridge.watch(None)
        self.changed.emit()

    def _frame_came(self, frame: object) -> None:
        assert isinstance(frame, Frame)
        self.trouble = None
        self._window.stage.show_frame(frame)
        self._window.empty.say("")

    def _looked(self, when_s: object) -> None:
        assert isinstance(when_s, float)
        self.looked_s = when_s
