"""Text for accessible elements and for what an application tells about them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from operator_console.domain.elements import Control, ControlSource, Element, Exposure, TextKnowledge
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import control_words

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
