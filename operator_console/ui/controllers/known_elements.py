"""Shows on the preview which elements of the chosen target the console knows, while that is switched on in Set-up.

Only asks and draws; no input is sent to the target. Asked again when the picture changed, and while nothing is known:
applications begin to tell some time after accessibility was switched on.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend, KnownElements
from operator_console.ui.bridge import Bridge
from operator_console.ui.stage.element_outlines import ElementOutline, ElementOutlines
from operator_console.ui.view.element_words import element_words, known_words
from operator_console.ui.window import MainWindow

TASK = "elements"
AGAIN_MS, NOTHING_MS = 700, 2_000
"""Least time until it is asked again: after the picture changed, and after nothing was known."""


class KnownElementsController(QObject):
    """Follows the button and the chosen target."""

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._ask_again)
        window.setup.chooser.elements_toggled.connect(self._toggled)
        window.setup.chooser.chosen.connect(self._target_chosen)
        bridge.frame.connect(self._frame_came)

    def hide(self) -> None:
        """Switch it off: a session begins, a record is opened, or the applications cannot be asked."""
        self._window.setup.elements.setChecked(False)

    def _toggled(self, shown: object) -> None:
        if shown:
            self._window.setup.chooser.show_known(_("Asking…"))
            self._ask()
        else:
            self._clear()

    def _clear(self) -> None:
        self._again.stop()
        self._bridge.run(TASK, self._backend.forget_elements())
        self._window.stage.show_elements(None)
        self._window.setup.chooser.show_known("")

    def _target_chosen(self, _choice: object) -> None:
        if self._window.setup.elements.isChecked():
            self._window.stage.show_elements(None)
            self._ask()

    def _frame_came(self, _frame: object) -> None:
        if self._window.setup.elements.isChecked() and not self._again.isActive():
            self._again.start(AGAIN_MS)

    def _ask_again(self) -> None:
        if self._bridge.running(TASK):
            self._again.start(AGAIN_MS)
        else:
            self._ask()

    def _ask(self) -> None:
        choice = self._window.setup.chosen_target
        if choice is None or not choice.live or choice.trouble:
            self._window.stage.show_elements(None)
            self._window.setup.chooser.show_known("")
            return
        self._bridge.run(TASK, self._show(choice.spec))

    async def _show(self, spec: str) -> None:
        known = await self._backend.elements(spec)
        if not self._window.setup.elements.isChecked():
            return
        self._draw(known)
        if not known.elements:
            self._again.start(NOTHING_MS)

    def _draw(self, known: KnownElements) -> None:
        outlines = tuple(ElementOutline(box=each.box, title=element_words(each)) for each in known.elements)
        self._window.stage.show_elements(ElementOutlines(native=known.native, outlines=outlines))
        words = known_words(known.elements, known.exposure, switched_on=known.switched_on)
        self._window.setup.chooser.show_known(words)
