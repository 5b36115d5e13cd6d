"""`vnc:HOST[:PORT]`: a machine whose screen a VNC server shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.computers.target_spec import UNKNOWN_GUEST, Guest, ListHere, TargetListing, TargetSpec
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import TargetKind, TargetRef, VncTarget
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.rfb.server_login import address_of, host_and_port

if TYPE_CHECKING:
    from operator_console.computers.vnc.computer import VncComputer
    from operator_console.rfb.server_login import Login


def vnc_address(argument: str) -> tuple[str, int]:
    """Host and port that an argument gives. Raises OperatorError (usage) if it gives none."""
    try:
        return host_and_port(argument)
    except ValueError as error:
        raise OperatorError(
            notice(NoticeCode.VNC_ADDRESS_INVALID, text=argument), remedy=notice(NoticeCode.WRITE_VNC_ADDRESS_SO),
            exit_code=ExitCode.USAGE,
        ) from error  # fmt: skip


def _accepts(argument: str) -> bool:
    vnc_address(argument)
    return True


def _resolve(argument: str, _: ListHere) -> TargetRef:
    address = address_of(*vnc_address(argument))
    return VncTarget(spec=f"vnc:{address}", title=f"VNC · {address}")


def _list_anywhere() -> list[TargetListing]:
    """The kind alone: which machine it is, an address says."""
    return [TargetListing(ref=VncTarget(spec="vnc", title="VNC machine"))]


async def open_machine(ref: VncTarget, login: Login, guest: Guest = UNKNOWN_GUEST) -> VncComputer:
    """Log in and look at the machine. `guest` tells whether it runs.

    Raises:
        OperatorError: it cannot be logged in to, or its pointer only moves by steps.
        ComputerUnavailable: it gives no picture.
    """
    from operator_console.computers.vnc.computer import VncComputer  # loads numpy, which listing does without

    return await VncComputer.open(ref, login, guest)


VNC = TargetSpec(
    kind=TargetKind.VNC, grammar="vnc:HOST:PORT", accepts=_accepts, resolve=_resolve, list_anywhere=_list_anywhere
)  # fmt: skip
