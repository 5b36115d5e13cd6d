"""`monitor:N`: the monitor with that number, in the desktop's order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from operator_console.computers.target_spec import ListHere, TargetListing, TargetSpec
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.protocols import Desktop, WindowLayers
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import MonitorTarget, TargetKind, TargetRef
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

if TYPE_CHECKING:
    from operator_console.computers.monitor.capture import MonitorCapture


def _accepts(argument: str) -> bool:
    return re.fullmatch(r"[1-9][0-9]{0,2}", argument or "1") is not None


def _list_here(desktop: Desktop, _: WindowLayers) -> list[TargetListing]:
    return [
        TargetListing(
            ref=MonitorTarget(
                spec=f"monitor:{each.number}",
                title=f"Monitor {each.number} · {each.rect.width} × {each.rect.height}",
                display=desktop.name,
            ),
            rect=each.rect,
            primary=each.primary,
        )
        for each in desktop.monitors()
    ]


def _resolve(argument: str, list_here: ListHere) -> TargetRef:
    number = int(argument or "1")
    here = [each.ref for each in list_here() if each.ref.kind is TargetKind.MONITOR]
    if number > len(here):
        raise OperatorError(
            notice(NoticeCode.NO_SUCH_MONITOR, number=number),
            detail=notice(NoticeCode.MONITORS_HERE, count=len(here)),
            remedy=notice(NoticeCode.TARGETS_COMMAND_LISTS_THEM),
        )
    return here[number - 1]


def _open_capture(ref: TargetRef, own: OwnWindows) -> MonitorCapture:
    from operator_console.computers.monitor.capture import MonitorCapture  # loads numpy

    assert isinstance(ref, MonitorTarget)
    return MonitorCapture(ref, int(ref.spec.partition(":")[2] or "1"), own)


MONITOR = TargetSpec(
    kind=TargetKind.MONITOR,
    grammar="monitor:N",
    accepts=_accepts,
    resolve=_resolve,
    open_capture=_open_capture,
    list_here=_list_here,
)
