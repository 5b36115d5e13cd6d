"""Shows on the preview which elements of the chosen target the console knows, while that is switched on in Set-up.

Only asks and draws; no input is sent to the target. Asked again when the picture changed, and while nothing is known:
applications begin to tell some time after accessibility was switched on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from PySide6.QtCore import QObject, QTimer

from operator_console.domain.elements import Control, ControlSource, Element, Exposure, TextKnowledge
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import control_words
from operator_console.ui.backend import ConsoleBackend, KnownElements
from operator_console.ui.bridge import Bridge
from operator_console.ui.preview.element_boxes import ElementOutline, ElementOutlines
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
        self._window.preview.show_elements(None)
        self._window.setup.chooser.show_known("")

    def _target_chosen(self, _choice: object) -> None:
        if self._window.setup.elements.isChecked():
            self._window.preview.show_elements(None)
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
            self._window.preview.show_elements(None)
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
        self._window.preview.show_elements(ElementOutlines(native=known.native, outlines=outlines))
        words = known_words(known.elements, known.exposure, switched_on=known.switched_on)
        self._window.setup.chooser.show_known(words)


MOST_SHOWN = 300


def element_words(element: Element) -> str:
    """An element in a few words: `button “Save”`."""
    control = Control(
        source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=element.role, name=element.name,
        text=element.text, label=element.label, description=element.description,
    )  # fmt: skip
    return control_words(control) or element.role_name


def known_words(elements: Sequence[Element], exposure: Exposure, *, switched_on: bool = False) -> str:
    """How many elements are known, what the application in front tells, and whether accessibility is switched on."""
    on = _("Accessibility is switched on in your desktop session while they are shown.") if switched_on else ""
    return f"{_known(elements, exposure)} {on}".rstrip()


def _known(elements: Sequence[Element], exposure: Exposure) -> str:
    told = _exposure_words(exposure)
    count = len(elements)
    if not count:
        return told or _("The application shows no elements that can be used.")
    if count >= MOST_SHOWN:
        known = _("The first {count} elements known. Point at one to see its name.").format(count=count)
    else:
        known = ngettext(
            "{count} element known. Point at it to see its name.",
            "{count} elements known. Point at one to see its name.",
            count,
        ).format(count=count)
    return f"{known} {told}".rstrip()


def _exposure_words(exposure: Exposure) -> str:
    match exposure:
        case Exposure.FULL:
            return ""
        case Exposure.NOTHING:
            return _("This application tells nothing about its elements; its text is read from the picture.")
        case Exposure.SWITCHED_OFF:
            return _("This application lists its elements once accessibility is switched on and it is restarted.")
        case Exposure.NOT_ANSWERING:
            return _("This application does not answer when asked for its elements.")
        case Exposure.NO_SERVICE:
            return _("There is no accessibility service on this desktop, so no application lists its elements.")
        case _:
            assert_never(exposure)
