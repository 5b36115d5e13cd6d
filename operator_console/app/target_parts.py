"""What a session uses of its target beside the picture and the input, by the kind of the target.

A kind that is not listed has none of it: no elements are asked for, and calls that would start a program or read a
clipboard there are answered as not available.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from operator_console.app.session_ports import SessionElements, SessionServices
from operator_console.desktop.platform import accessibility_bus, new_windows, read_clipboard
from operator_console.domain.admission import Admission
from operator_console.domain.clipboard_contents import Clipboard
from operator_console.domain.errors import ComputerError, OperatorError
from operator_console.domain.frames import TargetKind, TargetRef, VirtualTarget, target_display
from operator_console.domain.programs import ProgramDoor
from operator_console.engine.ports import EffectPort
from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from operator_console.tools.clipboard_reading import ClipboardQuoter
from operator_console.tools.launching import Launcher

_CLIPBOARD_WITHIN_S = 0.2
"""A decision waits for it, where the action may paste."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetParts:
    """What a kind of target offers.

    Attributes:
        open_elements: what asks for the accessible elements of a target; None: they are not known.
        effects: what starts programs on a target and reads its clipboard, given what admits grants and the target's
            own way to start programs (None: as the person's).
        clipboard: what its clipboard holds, for judging what pastes; None: not known.
        on_this_computer: its programs see the person's files.
    """

    open_elements: Callable[[SessionServices, TargetRef], SessionElements] | None = None
    effects: Callable[[Admission, ProgramDoor | None], tuple[EffectPort, ...]] = lambda _, __: ()
    clipboard: Callable[[str], Clipboard] | None = None
    on_this_computer: bool = False


def desktop_elements(services: SessionServices, target: TargetRef) -> AccessibleElements:
    """What asks the applications of a desktop; of our own processes nothing is asked.

    An isolated desktop has a bus of its own: nothing is asked of the person's session, and nothing switched on there.
    """
    address = target.address if isinstance(target, VirtualTarget) else ""
    options = AccessibilityOptions(
        run_folder=services.paths.run,
        switch_on=services.settings.accessibility.switch_on,
        bus_address=partial(accessibility_bus, target_display(target)),
        only_bus=address,
        own_pids=lambda: services.own.pids,
    )
    return AccessibleElements(options)


def _desktop_effects(admission: Admission, programs: ProgramDoor | None) -> tuple[EffectPort, ...]:
    return Launcher(admission, new_windows, programs=programs), ClipboardQuoter(admission, read_clipboard)


def _clipboard(display: str) -> Clipboard:
    try:
        return read_clipboard(display, _CLIPBOARD_WITHIN_S)
    except (ComputerError, OperatorError):
        return Clipboard()


_ISOLATED = TargetParts(open_elements=desktop_elements, effects=_desktop_effects, clipboard=_clipboard)
_DESKTOP = replace(_ISOLATED, on_this_computer=True)
_PARTS: Mapping[TargetKind, TargetParts] = {
    TargetKind.MONITOR: _DESKTOP,
    TargetKind.WINDOW: _DESKTOP,
    TargetKind.VIRTUAL: _ISOLATED,
}


def parts_of(target: TargetRef) -> TargetParts:
    """What goes with this target."""
    return _PARTS.get(target.kind, TargetParts())
