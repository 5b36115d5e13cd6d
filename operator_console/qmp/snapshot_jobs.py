"""Takes a snapshot of a virtual machine, and goes back to it.

Snapshots are internal ones: memory and all disks, kept in the machine's qcow2 images. The console keeps one, by a name
of its own; a new one replaces it. Those of anybody else are never touched. Needs QEMU 6. QEMU answers nothing while it
saves or loads, and tells no progress.
"""

from __future__ import annotations

import asyncio
import calendar
import logging
import time
import uuid
from collections.abc import Sequence

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.snapshot_acts import MachineSnapshot
from operator_console.qmp.monitor import Monitor, MonitorUnusable, Refused, monitor_at, not_qmp, shortened, status_of

DONE_WITHIN_S = 900.0
"""Limit of one job: gigabytes of memory are written to the disk."""

_POLL_S = 0.1
_OURS = "operator-console-%Y%m%d-%H%M%S"
"""Names, with the time in UTC."""

_NEEDS_RESET = frozenset(("shutdown", "internal-error"))

_log = logging.getLogger(__name__)


class _Snapshot(BaseModel):
    name: str
    vm_state_size: int = Field(alias="vm-state-size")


class _Image(BaseModel):
    snapshots: list[_Snapshot] = Field(default_factory=list)


class _Medium(BaseModel):
    node_name: str = Field(default="", alias="node-name")
    drv: str
    ro: bool
    image: _Image


class _Drive(BaseModel):
    device: str = ""
    qdev: str = ""
    inserted: _Medium | None = None


class _Job(BaseModel):
    id: str
    status: str
    error: str = ""


_DRIVES = TypeAdapter(list[_Drive])
_JOBS = TypeAdapter(list[_Job])


async def take_snapshot(path: str) -> MachineSnapshot:
    """Take a snapshot of the machine with the monitor at `path`, and delete the one that the console took before.

    Raises OperatorError: the monitor cannot be used, a disk keeps no snapshots, or QEMU fails.
    """
    async with monitor_at(path) as monitor:
        disks = await _disks(monitor)
        old = _ours(disks)
        taken_s = max(int(time.time()), *(each.taken_s + 1 for each in old), 0)
        name = time.strftime(_OURS, time.gmtime(taken_s))
        nodes = [disk.node_name for disk in disks]
        await _job(monitor, "snapshot-save", tag=name, vmstate=nodes[0], devices=nodes)
        for each in old:
            try:
                await _job(monitor, "snapshot-delete", tag=each.name, devices=nodes)
            except OperatorError as error:  # it takes room, no more
                _log.warning("the snapshot %s was not deleted: %s", each.name, error)
        return MachineSnapshot(name=name, taken_s=taken_s)


async def restore_snapshot(path: str) -> MachineSnapshot:
    """Go back to the snapshot that the console took; what happened since is lost. The machine runs afterwards.

    Raises OperatorError: the monitor cannot be used, there is no such snapshot, or QEMU fails.
    """
    async with monitor_at(path) as monitor:
        disks = await _disks(monitor)
        found = _ours(disks)
        if not found:
            raise OperatorError(notice(NoticeCode.NO_SNAPSHOT_OF_OURS), remedy=notice(NoticeCode.TAKE_SNAPSHOT_FIRST))
        newest = found[-1]
        if await status_of(monitor) in _NEEDS_RESET:
            await _tell(monitor, "system_reset")
        nodes = [disk.node_name for disk in disks]
        state = next(disk.node_name for disk in disks if _state_of(disk, newest.name))
        await _job(monitor, "snapshot-load", tag=newest.name, vmstate=state, devices=nodes)
        if await status_of(monitor) != "running":
            await _tell(monitor, "cont")
        return newest


async def find_snapshot(path: str) -> MachineSnapshot | None:
    """The snapshot that the console took; None for none. Raises OperatorError as `restore_snapshot`."""
    async with monitor_at(path) as monitor:
        return next(reversed(_ours(await _disks(monitor))), None)


async def _disks(monitor: Monitor) -> list[_Medium]:
    """What a snapshot holds the contents of. Raises OperatorError where that is nothing, or cannot be kept."""
    try:
        drives = _DRIVES.validate_python(await monitor.ask("query-block"))
    except (Refused, ValidationError) as error:
        raise not_qmp(monitor.path) from error
    written = [(each, each.inserted) for each in drives if each.inserted is not None and not each.inserted.ro]
    unfit = [shortened(drive.device or drive.qdev) for drive, medium in written if medium.drv != "qcow2"]
    if unfit:
        raise OperatorError(
            notice(NoticeCode.DISK_KEEPS_NO_SNAPSHOT, disk=", ".join(unfit)),
            remedy=notice(NoticeCode.CONVERT_TO_QCOW2),
        )
    if not written:
        raise OperatorError(notice(NoticeCode.VM_HAS_NO_DISK), remedy=notice(NoticeCode.ADD_QCOW2_DISK))
    return [medium for _, medium in written]


def _ours(disks: Sequence[_Medium]) -> list[MachineSnapshot]:
    """The console's own on all disks, oldest first."""
    on_all = set.intersection(*({each.name for each in disk.image.snapshots} for disk in disks))
    own = [MachineSnapshot(name=name, taken_s=taken_s) for name in on_all
           if (taken_s := _time_in(name)) is not None and any(_state_of(disk, name) for disk in disks)]  # fmt: skip
    return sorted(own, key=lambda each: each.taken_s)


def _time_in(name: str) -> int | None:
    """When it was taken, in seconds since 1970; None where it is not the console's."""
    try:
        taken_s = calendar.timegm(time.strptime(name, _OURS))
    except ValueError:
        return None
    return taken_s if time.strftime(_OURS, time.gmtime(taken_s)) == name else None


def _state_of(disk: _Medium, name: str) -> bool:
    """Whether the memory of a snapshot is kept on this disk."""
    return any(each.name == name and each.vm_state_size > 0 for each in disk.image.snapshots)


async def _tell(monitor: Monitor, command: str) -> None:
    try:
        await monitor.ask(command)
    except Refused as error:
        raise _failed(error.words) from error


async def _job(monitor: Monitor, command: str, **arguments: object) -> None:
    """Run a job to its end. Raises OperatorError."""
    job = f"operator-console-{uuid.uuid4().hex[:8]}"
    try:
        async with asyncio.timeout(DONE_WITHIN_S):
            await monitor.ask(command, within_s=DONE_WITHIN_S, job_id=job, **arguments)
            now = await _state_of_job(monitor, job)
            while now.status != "concluded":
                await asyncio.sleep(_POLL_S)
                now = await _state_of_job(monitor, job)
            await monitor.ask("job-dismiss", id=job)
    except Refused as error:
        if error.kind == "CommandNotFound":
            raise OperatorError(
                notice(NoticeCode.QEMU_TOO_OLD), detail=error.words, remedy=notice(NoticeCode.UPDATE_QEMU)
            ) from error
        raise _failed(error.words) from error
    except TimeoutError as error:
        raise _failed(notice(NoticeCode.QMP_SILENT, path=monitor.path)) from error
    if now.error:
        raise _failed(shortened(now.error))


async def _state_of_job(monitor: Monitor, job: str) -> _Job:
    try:
        jobs = _JOBS.validate_python(await monitor.ask("query-jobs", within_s=DONE_WITHIN_S))
    except ValidationError as error:
        raise not_qmp(monitor.path) from error
    found = next((each for each in jobs if each.id == job), None)
    if found is None:
        raise MonitorUnusable(notice(NoticeCode.SNAPSHOT_JOB_LOST), remedy=notice(NoticeCode.CHECK_SNAPSHOT_IN_QEMU))
    return found


def _failed(words: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.SNAPSHOT_FAILED), detail=words, remedy=notice(NoticeCode.CHECK_SNAPSHOT_IN_QEMU)
    )
