"""Whether a virtual machine runs, and takes positions of the pointer."""

from __future__ import annotations

import logging

from pydantic import BaseModel, TypeAdapter, ValidationError

from operator_console.domain.errors import ComputerUnavailable, OperatorError, UnavailableReason
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.qmp.monitor import Monitor, MonitorUnusable, Refused, monitor_at, not_qmp, shortened

_log = logging.getLogger(__name__)


class _Status(BaseModel):
    status: str


class _Mouse(BaseModel):
    current: bool
    absolute: bool


_MICE = TypeAdapter(list[_Mouse])
_PAUSED = frozenset(("paused", "prelaunch", "debug"))
_OFF = frozenset(("shutdown", "postmigrate"))
_BUSY = frozenset(("inmigrate", "finish-migrate", "save-vm", "restore-vm", "colo"))
_CRASHED = frozenset(("guest-panicked", "internal-error", "io-error", "watchdog"))


class MonitoredGuest:
    """A virtual machine with the monitor at `path`. `name`: what the operator knows it by."""

    def __init__(self, path: str, name: str) -> None:
        self.path, self._name = path, name

    async def check(self, *, pointer: bool) -> None:
        """Check before a session that it runs and, with `pointer`, that it takes positions.

        Raises:
            MonitorUnusable: it cannot be asked.
            OperatorError: its pointer moves by steps only.
            ComputerUnavailable: it does not run.
        """
        async with monitor_at(self.path) as monitor:
            self._require_running(await status_of(monitor))
            if pointer and await _is_relative(monitor):
                raise OperatorError(notice(NoticeCode.VNC_POINTER_RELATIVE), remedy=notice(NoticeCode.ADD_TABLET))

    async def require_running(self) -> None:
        """Raise ComputerUnavailable if it is known not to run. Where it cannot be asked, nothing is known."""
        try:
            async with monitor_at(self.path) as monitor:
                status = await status_of(monitor)
        except MonitorUnusable as error:
            _log.warning("the state of %s is not known: %s", self._name, error)
            return
        self._require_running(status)

    def _require_running(self, status: str) -> None:
        said = _trouble(status, self._name)
        if said is not None:
            raise ComputerUnavailable(said[0], reason=UnavailableReason.HIDDEN, remedy=said[1])


def _trouble(status: str, name: str) -> tuple[NoticeText, NoticeText] | None:
    """What a status of QEMU's means, and what to do about it; None where the machine runs."""
    if status == "running":
        return None
    if status in _PAUSED:
        return notice(NoticeCode.VM_PAUSED, name=name), notice(NoticeCode.LET_VM_RUN)
    if status in _OFF:
        return notice(NoticeCode.VM_SHUT_DOWN, name=name), notice(NoticeCode.START_VM_AGAIN)
    if status == "suspended":
        return notice(NoticeCode.VM_SUSPENDED, name=name), notice(NoticeCode.WAKE_VM)
    if status in _BUSY:
        return notice(NoticeCode.VM_BUSY, name=name), notice(NoticeCode.WAIT_FOR_VM)
    if status in _CRASHED:
        crashed = notice(NoticeCode.VM_CRASHED, name=name, status=status)
        return crashed, notice(NoticeCode.RESET_VM_OR_GO_BACK)
    return notice(NoticeCode.VM_DOES_NOT_RUN, name=name, status=shortened(status)), notice(NoticeCode.LET_VM_RUN)


async def status_of(monitor: Monitor) -> str:
    """The status as QEMU names it ("running"). Raises MonitorUnusable."""
    try:
        return _Status.model_validate(await monitor.ask("query-status")).status
    except (Refused, ValidationError) as error:
        raise not_qmp(monitor.path) from error


async def _is_relative(monitor: Monitor) -> bool:
    """Whether the pointing device in use moves by steps. Raises MonitorUnusable."""
    try:
        mice = _MICE.validate_python(await monitor.ask("query-mice"))
    except (Refused, ValidationError) as error:
        raise not_qmp(monitor.path) from error
    return any(mouse.current and not mouse.absolute for mouse in mice)
