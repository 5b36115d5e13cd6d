"""`vm:REGEX` (matches the machine's name, ignoring case) and `vm:0xID`, the viewer's window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.computers.target_spec import ListHere, TargetListing, TargetSpec
from operator_console.computers.vm.viewer_windows import shown_machine
from operator_console.computers.window.target import FitNotices, accepts_expression, one_that_fits
from operator_console.desktop.protocols import Desktop, WindowLayers
from operator_console.desktop.values import Window
from operator_console.domain.frames import TargetKind, TargetRef, VmTarget
from operator_console.domain.notices import NoticeCode

if TYPE_CHECKING:
    from operator_console.computers.vm.capture import VmCapture
    from operator_console.desktop.own_window_ids import OwnWindows


def _list_here(desktop: Desktop, layers: WindowLayers) -> list[TargetListing]:
    found = (_listing(each, desktop.name) for each in desktop.all_windows() if not layers.is_own(each))
    return [each for each in found if each is not None]


def _listing(window: Window, display_name: str) -> TargetListing | None:
    machine = shown_machine(window)
    if machine is None:
        return None
    name = machine.name or window.app
    ref = VmTarget(
        spec=f"vm:{window.window_id:#x}", title=f"Virtual machine · {name}", display=display_name,
        window_id=window.window_id, app=window.app, viewer=machine.viewer, name=name,
    )  # fmt: skip
    return TargetListing(ref=ref, rect=window.rect, state=window.state.value, pid=window.pid)


_SAYS = FitNotices(
    several=NoticeCode.MACHINES_FIT, choose=NoticeCode.CHOOSE_MACHINE_BY_ID, none=NoticeCode.NO_MACHINE_FITS,
    these=NoticeCode.SHOWN_MACHINES, nothing=NoticeCode.NO_MACHINE_IS_SHOWN,
    remedy=NoticeCode.OPEN_VIEWER_OR_CHOOSE_TARGET,
)  # fmt: skip


def _resolve(argument: str, list_here: ListHere) -> TargetRef:
    here = [each.ref for each in list_here() if isinstance(each.ref, VmTarget)]
    return one_that_fits(argument, here, lambda each: each.name, _SAYS)


def _open_capture(ref: TargetRef, own: OwnWindows) -> VmCapture:
    from operator_console.computers.vm.capture import VmCapture  # loads numpy

    assert isinstance(ref, VmTarget)
    return VmCapture(ref, own)


VM = TargetSpec(
    kind=TargetKind.VM,
    grammar="vm:NAME, vm:0xID",
    accepts=accepts_expression,
    resolve=_resolve,
    open_capture=_open_capture,
    list_here=_list_here,
)
