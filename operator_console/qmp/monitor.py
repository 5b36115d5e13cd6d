"""QEMU's monitor by its Unix socket, with limits on time and size: what it answers, and whether its machine runs.

Protocol: docs/interop/qmp-spec in QEMU's sources. A monitor serves one client at a time: another one is connected, and
hears nothing until the first has gone. So no connection is kept: each question opens one.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress

from pydantic import BaseModel, TypeAdapter, ValidationError
from qemu.qmp import ConnectError, ExecInterruptedError, ExecuteError, QMPClient, QMPError
from qemu.qmp.qmp_client import NegotiationError

from operator_console.domain.errors import ComputerUnavailable, OperatorError, UnavailableReason
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode

GREETED_WITHIN_S = 3.0
ANSWERED_WITHIN_S = 10.0
LINE_BYTES = 1 << 20
"""No answer to what is asked here is near this size."""

_CLOSED_WITHIN_S = 1.0
_WORDS = 300

_log = logging.getLogger(__name__)
_UNHEARD = logging.Logger("qemu", logging.CRITICAL)  # noqa: LOG001  apart from all others, it changes no setting of theirs
"""The client's own: it reports as errors what is told here."""
_PAUSED = frozenset(("paused", "prelaunch", "debug"))
_OFF = frozenset(("shutdown", "postmigrate"))
_BUSY = frozenset(("inmigrate", "finish-migrate", "save-vm", "restore-vm", "colo"))
_CRASHED = frozenset(("guest-panicked", "internal-error", "io-error", "watchdog"))


class MonitorUnusable(OperatorError):
    """The monitor is not there, is taken, or does not answer as QEMU does."""


class Refused(Exception):
    """QEMU did not do what it was told. `kind`: the class of its error; `words`: its own."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind, self.words = kind, shortened(words)


class Monitor:
    """An open connection. Made by `monitor_at`."""

    def __init__(self, client: QMPClient, path: str) -> None:
        self._client, self.path = client, path

    async def ask(self, command: str, *, within_s: float = ANSWERED_WITHIN_S, **arguments: object) -> object:
        """What QEMU answers, as read from JSON. `_` in the names of arguments stands for `-`.

        Raises:
            Refused: QEMU answers with an error.
            MonitorUnusable: it does not answer in time, or not in its protocol.
        """
        named: dict[str, object] = {name.replace("_", "-"): value for name, value in arguments.items()}
        try:
            async with asyncio.timeout(within_s):
                return await self._client.execute(command, named)
        except ExecuteError as error:
            raise Refused(str(error.error_class), str(error)) from error
        except TimeoutError as error:
            raise silent(self.path) from error
        except (ExecInterruptedError, EOFError, OSError) as error:
            raise MonitorUnusable(
                notice(NoticeCode.QMP_LOST, path=self.path), remedy=notice(NoticeCode.CHECK_QMP_SOCKET)
            ) from error
        except QMPError as error:
            raise not_qmp(self.path) from error


@asynccontextmanager
async def monitor_at(path: str) -> AsyncIterator[Monitor]:
    """A connection for the block. Raises MonitorUnusable."""
    client, line = await _connected(path)
    with line:
        try:
            yield Monitor(client, path)
        finally:
            await _disconnect(client, line)


async def _connected(path: str) -> tuple[QMPClient, socket.socket]:
    """The client takes an event that comes before the answer to its first command for a refusal, so that it is made
    once more."""
    first: MonitorUnusable | None = None
    for _ in range(2):
        try:
            return await _connected_once(path)
        except MonitorUnusable as error:
            first = first or error
            if not _failed_to_negotiate(error.__cause__):
                break
    assert first is not None
    raise first


async def _connected_once(path: str) -> tuple[QMPClient, socket.socket]:
    client = QMPClient(readbuflen=LINE_BYTES)
    client.events.event_filter = lambda _: False  # nobody takes events out: they would pile up
    client.logger = _UNHEARD
    with ExitStack() as opened:
        line = opened.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        line.setblocking(False)
        await _connect(client, line, path)
        opened.pop_all()
    return client, line


def _failed_to_negotiate(error: BaseException | None) -> bool:
    return isinstance(error, ConnectError) and isinstance(error.exc, NegotiationError)


async def _connect(client: QMPClient, line: socket.socket, path: str) -> None:
    try:
        async with asyncio.timeout(GREETED_WITHIN_S):
            line.connect(path)  # at once, or not at all while others wait there
            await client.connect(line)
    except (TimeoutError, BlockingIOError) as error:
        raise MonitorUnusable(
            notice(NoticeCode.QMP_BUSY, path=path), remedy=notice(NoticeCode.CLOSE_OTHER_MONITOR)
        ) from error
    except OSError as error:  # "AF_UNIX path too long" is one, too
        raise MonitorUnusable(
            notice(NoticeCode.QMP_NOT_THERE, path=path), detail=f"{error.strerror or error}.",
            remedy=notice(NoticeCode.START_QEMU_WITH_QMP, path=path),
        ) from error  # fmt: skip
    except ConnectError as error:
        raise not_qmp(path) from error


async def _disconnect(client: QMPClient, line: socket.socket) -> None:
    """The client flushes first, which an end that no longer reads would keep it from for ever."""
    closing = asyncio.ensure_future(client.disconnect())
    try:
        await asyncio.wait({closing}, timeout=_CLOSED_WITHIN_S)
    finally:
        if not closing.done():
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            await asyncio.wait({closing}, timeout=_CLOSED_WITHIN_S)
        if closing.done() and not closing.cancelled() and (error := closing.exception()) is not None:
            _log.debug("the monitor's connection ended with %r", error)


def shortened(words: str) -> str:
    """Words of QEMU's as they are shown."""
    plain = " ".join(words.split())
    return plain if len(plain) <= _WORDS else f"{plain[:_WORDS]}…"


def silent(path: str) -> MonitorUnusable:
    """It does not answer."""
    return MonitorUnusable(notice(NoticeCode.QMP_SILENT, path=path), remedy=notice(NoticeCode.CHECK_QMP_SOCKET))


def not_qmp(path: str) -> MonitorUnusable:
    """It answers something else."""
    return MonitorUnusable(notice(NoticeCode.NOT_QMP_THERE, path=path), remedy=notice(NoticeCode.CHECK_QMP_SOCKET))


class _Status(BaseModel):
    status: str


class _Mouse(BaseModel):
    current: bool
    absolute: bool


_MICE = TypeAdapter(list[_Mouse])


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
