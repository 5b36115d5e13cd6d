"""`virtual[:WxH]`: an isolated desktop of that size in pixels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from operator_console.computers.target_spec import ListHere, TargetListing, TargetSpec
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import start_virtual_desktop, virtual_desktop_trouble
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import TargetKind, TargetRef, VirtualTarget
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

if TYPE_CHECKING:
    from operator_console.computers.monitor.capture import MonitorCapture

DEFAULT_SIZE = Size(1440, 900)
_LEAST, _MOST = 320, 7680


def virtual_size(argument: str) -> Size:
    """The size that an argument gives. Raises OperatorError (usage) if it gives none."""
    if not argument:
        return DEFAULT_SIZE
    found = re.fullmatch(r"([0-9]{3,4})x([0-9]{3,4})", argument)
    if found and all(_LEAST <= int(side) <= _MOST for side in found.groups()):
        return Size(int(found[1]), int(found[2]))
    raise OperatorError(
        notice(NoticeCode.NOT_A_DESKTOP_SIZE, text=argument),
        remedy=notice(NoticeCode.WRITE_DESKTOP_SIZE, least=_LEAST, most=_MOST),
        exit_code=ExitCode.USAGE,
    )


def _accepts(argument: str) -> bool:
    virtual_size(argument)
    return True


def _resolve(argument: str, _: ListHere) -> TargetRef:
    size = virtual_size(argument)
    return VirtualTarget(
        spec=f"virtual:{argument}" if argument else "virtual",
        title=f"Virtual desktop · {size.width} × {size.height}",
    )


def _list_anywhere() -> list[TargetListing]:
    trouble = virtual_desktop_trouble()
    return [
        TargetListing(
            ref=_resolve("", lambda: ()),
            rect=Rect(0, 0, DEFAULT_SIZE.width, DEFAULT_SIZE.height),
            trouble=trouble.title if trouble is not None else "",
            remedy=trouble.remedy if trouble is not None else "",
        )
    ]


def _open_capture(ref: TargetRef, own: OwnWindows) -> MonitorCapture:
    from operator_console.computers.monitor.capture import MonitorCapture  # loads numpy

    assert isinstance(ref, VirtualTarget)
    return MonitorCapture(ref, 1, own)


VIRTUAL = TargetSpec(
    kind=TargetKind.VIRTUAL,
    grammar="virtual[:WxH]",
    accepts=_accepts,
    resolve=_resolve,
    open_capture=_open_capture,
    list_anywhere=_list_anywhere,
    start=lambda argument, plan: start_virtual_desktop(virtual_size(argument), plan),
)
