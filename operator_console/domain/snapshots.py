"""Snapshots of virtual machines that the operator takes and goes back to with this console."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SnapshotAct(StrEnum):
    """What the operator did."""

    TAKEN = "taken"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSnapshot:
    """A snapshot that this console has taken.

    Attributes:
        name: as QEMU lists it.
        taken_s: when, in seconds since 1970.
    """

    name: str
    taken_s: int
