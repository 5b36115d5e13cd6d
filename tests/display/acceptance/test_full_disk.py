"""The disk fills up during a run: words instead of tracebacks, and a stop still writes why the display is stopped."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.display.acceptance.deaths import latched
from tests.display.acceptance.test_stop import command
from tests.display.acceptance.trials import PHASES, trial
from tests.display.rig import Desktop
from tests.small_disk import small_disk

STOPPED, REFUSED = 3, 5


class SmallDisk:
    """A disk that is filled and emptied."""

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """As another program would, up to the last byte."""
        with contextlib.suppress(OSError), self._ballast.open("ab", buffering=0) as ballast:
            while True:
                ballast.write(bytes(4096))

    def empty(self) -> None:
        self._ballast.unlink()


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallDisk]:
    """With everything that the console keeps on it."""
    home = tmp_path / "home"
    home.mkdir()
    with small_disk(home, "48m"):
        monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(home))
        yield SmallDisk(home)


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "phase",
    [pytest.param(each, marks=pytest.mark.slow if each == "acting" else pytest.mark.full) for each in PHASES],
)
def test_a_stop_on_a_disk_that_has_filled_up(desktop: Desktop, tmp_path: Path, disk: SmallDisk, phase: str) -> None:
    with trial(desktop, tmp_path, phase) as run:
        run.reach(phase)
        disk.fill()
        if phase != "starting":
            assert command(desktop, "stop").returncode == 0
        code, why = run.end(), run.judge()
    disk.empty()
    assert (code, why) == ((REFUSED, None) if phase == "starting" else (STOPPED, "command"))
    if why is not None:
        assert command(desktop, "reset", "--yes").returncode == 0
    assert latched(desktop) is None


@pytest.mark.full
@pytest.mark.timeout(240)
@pytest.mark.parametrize("phase", PHASES[1:-1])
def test_a_run_goes_on_or_ends_in_order(desktop: Desktop, tmp_path: Path, disk: SmallDisk, phase: str) -> None:
    """What it says to a disk that stays full, without a stop."""
    with trial(desktop, tmp_path, phase) as run:
        run.reach(phase)
        disk.fill()
        run.end()
        assert run.judge() is None
    disk.empty()
