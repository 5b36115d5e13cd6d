"""A second start finds the first, hands its file over and ends; nothing that a dead one left keeps a start away."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from operator_console.app import single_window
from operator_console.app.single_window import WindowClaim, claim_window
from operator_console.app.window_requests import later_starts
from operator_console.domain.errors import OperatorError

DISPLAY = ":987.0"
SESSION = Path("/home/me/Żółw and more.ocsession")


def claimed(run: Path, display: str = DISPLAY) -> WindowClaim:
    claim = claim_window(run, display, None, practice=False)
    assert claim is not None
    return claim


def modes(folder: Path) -> dict[str, int]:
    """The permissions of what is in a folder."""
    return {path.name: path.stat().st_mode & 0o777 for path in sorted(folder.iterdir())}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder, deeper than the address of a socket is long."""
    return tmp_path / ("deep" * 20) / ("deeper" * 10) / "run"


async def test_a_second_start_hands_over_its_file_and_ends(run: Path) -> None:
    heard: list[tuple[Path | None, bool]] = []
    first = claimed(run)
    async with later_starts(first.socket_path, lambda *wanted: heard.append(wanted)):
        for record, practice in ((None, False), (SESSION, False), (None, True)):
            assert await asyncio.to_thread(claim_window, run, ":987", record, practice=practice) is None
    assert heard == [(None, False), (SESSION, False), (None, True)]
    first.release()
    claimed(run).release()
    assert list(modes(run)) == ["_3a987.window"]


async def test_what_is_there_is_private(run: Path) -> None:
    first = claimed(run)
    async with later_starts(first.socket_path, lambda *_: None):
        assert modes(run) == {"_3a987.window": 0o600, "_3a987.window.sock": 0o600}
        assert modes(run.parent)["run"] == 0o700
    first.release()


async def test_another_display_has_a_window_of_its_own(run: Path) -> None:
    first, other = claimed(run), claimed(run, ":988")
    assert first.socket_path != other.socket_path
    first.release()
    other.release()


async def test_a_socket_that_a_killed_console_left_is_replaced(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = claimed(run)
    assert first.socket_path is not None
    with socket.socket(socket.AF_UNIX) as left:
        monkeypatch.chdir(run)
        left.bind(first.socket_path.name)
    first.release()
    heard: list[Path | None] = []
    second = claimed(run)
    async with later_starts(second.socket_path, lambda record, _practice: heard.append(record)):
        assert await asyncio.to_thread(claim_window, run, DISPLAY, SESSION, practice=False) is None
    assert heard == [SESSION]
    second.release()


async def test_a_start_while_the_first_closes_opens_a_window(run: Path) -> None:
    first = claimed(run)
    waiting = asyncio.create_task(asyncio.to_thread(claim_window, run, DISPLAY, None, practice=False))
    await asyncio.sleep(0)
    first.release()
    second = await waiting
    assert second is not None
    second.release()


async def test_what_is_no_request_is_left_and_the_next_is_heard(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Path | None] = []
    first = claimed(run)
    assert first.socket_path is not None
    async with later_starts(first.socket_path, lambda record, _practice: heard.append(record)):
        monkeypatch.chdir(run)
        for line in (b"nonsense\n", b"[1]\n", b"x" * 70_000 + b"\n"):
            reader, writer = await asyncio.open_unix_connection(first.socket_path.name)
            writer.write(line)
            assert await reader.read() == b""
            writer.close()
        assert await asyncio.to_thread(claim_window, run, DISPLAY, SESSION, practice=False) is None
    assert heard == [SESSION]
    first.release()


def test_a_window_that_does_not_answer_is_named(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_window, "WAIT_S", 0.1)
    first = claimed(run)
    with pytest.raises(OperatorError) as caught:
        claim_window(run, DISPLAY, None, practice=False)
    assert caught.value.exit_code == 5
    first.release()


def test_a_folder_that_cannot_be_used_keeps_no_window_away(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    claim = claimed(tmp_path / "run")
    assert claim.socket_path is None
    claim.release()
