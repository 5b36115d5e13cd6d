"""What the operator does with a machine's snapshot, and its place in a session's record."""

from __future__ import annotations

from pathlib import Path

from operator_console.computers.vnc.target import vnc_address
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.events import Snapshot
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.snapshot_acts import MachineSnapshot, SnapshotAct
from operator_console.journal.write import SessionJournal
from operator_console.rfb.server_login import address_of
from operator_console.settings.model import Settings


def machine_written(text: str) -> str:
    """The machine that a text names, as the settings name it. Raises OperatorError (usage)."""
    kind, _, argument = text.strip().partition(":")
    if kind == "vnc":
        return f"vnc:{address_of(*vnc_address(argument))}"
    if kind == "vm" and argument.strip():
        return f"vm:{argument.strip()}"
    raise OperatorError(
        notice(NoticeCode.NOT_A_MACHINE, text=text), remedy=notice(NoticeCode.WRITE_MACHINE_SO),
        exit_code=ExitCode.USAGE,
    )  # fmt: skip


def monitor_of(settings: Settings, machine: str) -> str:
    """The path of a machine's monitor. Raises OperatorError where none is set."""
    path = settings.machine(machine).qmp
    if not path:
        raise OperatorError(
            notice(NoticeCode.NO_QMP_SOCKET, machine=machine), remedy=notice(NoticeCode.SET_QMP_SOCKET, machine=machine)
        )
    return path


async def carry_out(act: SnapshotAct, path: str) -> MachineSnapshot:
    """Take a snapshot of the machine with the monitor at `path`, or go back to it. Raises OperatorError."""
    from operator_console.qmp.snapshot_jobs import restore_snapshot, take_snapshot  # loads a library

    return await (take_snapshot(path) if act is SnapshotAct.TAKEN else restore_snapshot(path))


def append_to_record(record: Path, anchors: Path, event: Snapshot) -> None:
    """Add what was done after a run to its record, which is closed. Blocking. Raises RecordError."""
    with SessionJournal.resume(record, anchors) as journal:
        journal.append(event)
