"""The wheel holds what an installation needs, and is built without a network."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import operator_console

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def test_every_resource_ships(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(["git", "ls-files", "resources"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    names = tracked.stdout.split("\n")[:-1]
    assert names
    assert {f"operator_console/{name}" for name in names} <= inside


def test_package_licence_and_command_ship(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    inside = archive.namelist()
    info = f"operator_console-{operator_console.__version__}.dist-info"
    assert {"operator_console/py.typed", f"{info}/licenses/LICENSE"} <= set(inside)
    entry = archive.read(f"{info}/entry_points.txt").decode()
    assert "operator-console = operator_console.cli:main" in entry
    assert not [name for name in inside if name.startswith(("tests/", "packaging/"))]


def test_no_fake_ships(wheel: Path) -> None:
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if "fake" in name]


def test_resources_are_found_when_installed(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        "from operator_console.resource_files import resource_path, __file__ as here; "
        "print(here); print(resource_path('README.md'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.stdout.split() == [
        str(tmp_path / "operator_console" / "resource_files.py"),
        str(tmp_path / "operator_console" / "resources" / "README.md"),
    ], done.stderr
