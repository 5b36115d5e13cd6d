"""Every kind of target there is, one line each. A further kind adds its package and its line."""

from __future__ import annotations

import re

from operator_console.computers.monitor.target import MONITOR
from operator_console.computers.target_spec import ListHere, TargetSpec
from operator_console.computers.virtual.target import VIRTUAL
from operator_console.computers.window.target import WINDOW
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import TargetKind, TargetRef


def _not_driven(kind: TargetKind, name: str, *, grammar: str, argument: str) -> TargetSpec:
    """A kind that is understood and refused."""

    def resolve(_: str, __: ListHere) -> TargetRef:
        raise OperatorError(
            f"{name} cannot be driven in this version.",
            detail="Monitors, windows and an isolated virtual desktop can.",
            remedy="Open it in a window of this desktop and choose that: --target window:TITLE.",
        )

    return TargetSpec(
        kind=kind, grammar=grammar, accepts=lambda text: re.fullmatch(argument, text) is not None, resolve=resolve
    )


TARGETS: tuple[TargetSpec, ...] = (
    MONITOR,
    WINDOW,
    VIRTUAL,
    _not_driven(TargetKind.VNC, "VNC machines", grammar="vnc:HOST:PORT", argument=r".+:[0-9]{1,5}"),
    _not_driven(TargetKind.BROWSER, "A managed browser", grammar="browser[:URL]", argument=r".*"),
)
