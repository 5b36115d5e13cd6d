"""A snapshot is taken of all disks that are written to, under a name of the console's own, and gone back to."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import OperatorError
from operator_console.qmp.snapshots import find_snapshot, restore_snapshot, take_snapshot
from tests.servers.qmp_server import Disk, QmpServer


async def test_it_holds_every_disk_and_is_found_again(qemu: QmpServer) -> None:
    qemu.disks = [
        Disk(node="#block103"), Disk(node="cd", drv="raw", read_only=True), Disk(node="data", device="virtio1"),
    ]  # fmt: skip
    qemu.events = 3
    assert await find_snapshot(qemu.path) is None
    taken = await take_snapshot(qemu.path)
    assert taken.name.startswith("operator-console-")
    (arguments,) = [each[1] for each in qemu.told if each[0] == "snapshot-save"]
    assert arguments["vmstate"] == "#block103"
    assert arguments["devices"] == ["#block103", "data"]
    found = await find_snapshot(qemu.path)
    assert found is not None
    assert found.name == taken.name
    assert (await restore_snapshot(qemu.path)).name == taken.name
    assert qemu.commands == ["snapshot-save", "job-dismiss", "snapshot-load", "job-dismiss"]


async def test_a_new_one_replaces_the_consoles_own_and_no_other(qemu: QmpServer) -> None:
    others = {"before-update": 5, "operator-console": 5, "operator-console-20200101": 5, "my operator-console-x": 5}
    qemu.disks[0].snapshots = dict(others)
    first = await take_snapshot(qemu.path)
    second = await take_snapshot(qemu.path)
    assert first.name < second.name
    assert set(qemu.disks[0].snapshots) == {*others, second.name}


async def test_the_old_one_stays_where_the_new_one_fails(qemu: QmpServer) -> None:
    first = await take_snapshot(qemu.path)
    qemu.failing["snapshot-save"] = "No space left on device"
    with pytest.raises(OperatorError) as told:
        await take_snapshot(qemu.path)
    assert told.value.detail == "No space left on device"
    assert "info snapshots" in told.value.remedy
    assert list(qemu.disks[0].snapshots) == [first.name]
    assert qemu.commands[-1] == "job-dismiss"


async def test_one_that_cannot_be_deleted_does_no_harm(qemu: QmpServer) -> None:
    await take_snapshot(qemu.path)
    qemu.failing["snapshot-delete"] = "Input/output error"
    second = await take_snapshot(qemu.path)
    assert (await restore_snapshot(qemu.path)).name == second.name


async def test_a_snapshot_by_others_is_never_gone_back_to(qemu: QmpServer) -> None:
    qemu.disks[0].snapshots = {"before-update": 5}
    with pytest.raises(OperatorError, match="no snapshot that this console has taken"):
        await restore_snapshot(qemu.path)
    assert qemu.commands == []


async def test_one_that_a_disk_lacks_is_none(qemu: QmpServer) -> None:
    await take_snapshot(qemu.path)
    qemu.disks.append(Disk(node="new"))
    assert await find_snapshot(qemu.path) is None


@pytest.mark.parametrize("status", ["paused", "guest-panicked", "shutdown", "internal-error"])
async def test_the_machine_runs_once_it_is_back(qemu: QmpServer, status: str) -> None:
    await take_snapshot(qemu.path)
    qemu.status = status
    await restore_snapshot(qemu.path)
    assert qemu.status == "running"


async def test_failing_to_go_back_is_told_in_qemus_words(qemu: QmpServer) -> None:
    await take_snapshot(qemu.path)
    qemu.failing["snapshot-load"] = "Device 'ram' has another size"
    with pytest.raises(OperatorError) as told:
        await restore_snapshot(qemu.path)
    assert told.value.detail == "Device 'ram' has another size"


@pytest.mark.parametrize(
    ("disks", "title", "remedy"),
    [
        ([], "no disk", "qcow2"),
        ([Disk(node="cd", drv="raw", read_only=True)], "no disk", "qcow2"),
        ([Disk(node="a"), Disk(node="b", device="pflash1", drv="raw")], "pflash1", "qemu-img convert"),
    ],
)
async def test_what_keeps_no_snapshots_is_told_before_anything_is_done(
    qemu: QmpServer, disks: list[Disk], title: str, remedy: str
) -> None:
    qemu.disks = disks
    for act in (take_snapshot, restore_snapshot):
        with pytest.raises(OperatorError) as told:
            await act(qemu.path)
        assert title in told.value.title
        assert remedy in told.value.remedy
    assert qemu.commands == []


async def test_a_qemu_without_these_commands_is_named_too_old(qemu: QmpServer) -> None:
    qemu.lacking = {"snapshot-save"}
    with pytest.raises(OperatorError, match="cannot take snapshots") as told:
        await take_snapshot(qemu.path)
    assert "QEMU 6" in told.value.remedy


async def test_a_job_that_disappears_is_told(qemu: QmpServer) -> None:
    def forget(command: str) -> None:
        if command == "query-jobs":
            qemu._jobs.clear()

    qemu.before_answer = forget
    with pytest.raises(OperatorError, match="no longer knows"):
        await take_snapshot(qemu.path)
