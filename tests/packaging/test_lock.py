"""The lock: complete, hashed, without addresses, and true to pyproject.toml on every supported combination."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import Xlib
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK_DIR = ROOT / "packaging" / "lock"
NAMES = ("app.txt", "dev.txt", "build.txt")
PLATFORMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "darwin": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "win32": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}
COMBINATIONS = [(python, platform) for python in ("3.11", "3.12", "3.13") for platform in PLATFORMS]


def entries(name: str) -> list[tuple[Requirement, int]]:
    """Every locked requirement with the number of its hashes."""
    joined = (LOCK_DIR / name).read_text().replace("\\\n", " ")
    found = []
    for line in joined.splitlines():
        if line.strip() and not line.startswith("#"):
            text, *hashes = re.split(r"\s--hash=", line)
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64}\s*", h) for h in hashes), line[:100]
            found.append((Requirement(text.strip()), len(hashes)))
    return found


def environment(python: str, platform: str) -> dict[str, str]:
    return {
        "python_version": python,
        "python_full_version": f"{python}.4",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_machine": "x86_64",
        "platform_version": "",
        "extra": "",
        **PLATFORMS[platform],
    }


def locked_versions(name: str, python: str, platform: str) -> dict[str, str]:
    """What would be installed there: name to version."""
    env = environment(python, platform)
    versions: dict[str, str] = {}
    for requirement, _ in entries(name):
        if requirement.marker is None or requirement.marker.evaluate(env):
            key = canonicalize_name(requirement.name)
            assert key not in versions, f"{key} is locked twice for {python} on {platform}"
            versions[key] = next(iter(requirement.specifier)).version
    return versions


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_exact_and_hashed(name: str) -> None:
    found = entries(name)
    assert len(found) > 5
    for requirement, hashes in found:
        assert [s.operator for s in requirement.specifier] == ["=="], requirement
        assert hashes, f"{requirement} has no hash"
        assert requirement.url is None


@pytest.mark.parametrize("name", NAMES)
def test_no_address_and_no_index_is_written(name: str) -> None:
    text = (LOCK_DIR / name).read_text()
    assert not re.search(r"https?:|file:|--(extra-)?index-url|--find-links|@ ", text)


@pytest.mark.parametrize("name", NAMES)
def test_no_marker_asks_for_the_kernel(name: str) -> None:
    """pip 24 reads platform_release as a version, and fails where it is none ("6.1.0-18-amd64")."""
    assert "platform_release" not in (LOCK_DIR / name).read_text()


@pytest.mark.parametrize("name", NAMES)
def test_what_must_not_be_installed_is_not_locked(name: str) -> None:
    names = {canonicalize_name(requirement.name) for requirement, _ in entries(name)}
    assert names.isdisjoint({"python3-xlib", "evdev", "mouseinfo"})


@pytest.mark.parametrize(("python", "platform"), COMBINATIONS)
def test_the_lock_satisfies_the_project(python: str, platform: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = {
        "app.txt": project["project"]["dependencies"],
        "dev.txt": project["project"]["dependencies"] + project["dependency-groups"]["dev"],
        "build.txt": project["build-system"]["requires"] + project["dependency-groups"]["build"],
    }
    env = environment(python, platform)
    for name, texts in wanted.items():
        versions = locked_versions(name, python, platform)
        for requirement in map(Requirement, texts):
            if requirement.marker is None or requirement.marker.evaluate(env):
                key = canonicalize_name(requirement.name)
                assert key in versions, f"{requirement} is not in {name}"
                assert requirement.specifier.contains(versions[key]), f"{requirement}: {name} has {versions[key]}"


@pytest.mark.parametrize(("python", "platform"), COMBINATIONS)
def test_the_application_runs_on_what_is_tested(python: str, platform: str) -> None:
    tested = locked_versions("dev.txt", python, platform)
    assert locked_versions("app.txt", python, platform).items() <= tested.items()


def test_the_defective_qt_is_locked_away_where_it_is_defective() -> None:
    for platform in PLATFORMS:
        assert locked_versions("app.txt", "3.11", platform)["pyside6-essentials"] != "6.12.0"


def test_xlib_is_the_one_that_pynput_needs() -> None:
    installed = {canonicalize_name(d.name) for d in metadata.distributions() if d.name}
    assert "python3-xlib" not in installed
    assert Xlib.__version__ >= (0, 33)
