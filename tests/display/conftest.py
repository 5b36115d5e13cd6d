"""Fixtures for tests that need a display. Each worker has its own servers; each test gets a clean desktop."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.display.guard.acting import KeptGuard, kept_guard
from tests.display.rig import (
    AccessibleDesktop,
    AccessibleSession,
    Desktop,
    desktop_of_its_own,
    start_xephyr,
    start_xvfb,
)
from tests.display.rig.vnc_servers import event_classes_apart


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the modules that run the whole program among the others.

    Each worker takes a stretch of the list, and several such tests at once keep each other waiting.
    """
    modules = [(path, list(tests)) for path, tests in itertools.groupby(items, key=lambda item: item.path)]
    whole = [tests for path, tests in modules if _runs_whole_program(path)]
    others = [tests for path, tests in modules if not _runs_whole_program(path)]
    places = [(number / len(group), tests) for group in (whole, others) for number, tests in enumerate(group)]
    items[:] = [item for _, tests in sorted(places, key=lambda place: place[0]) for item in tests]


def _runs_whole_program(path: Path) -> bool:
    return path.parent.name in ("acceptance", "cli")


@pytest.fixture(scope="session", autouse=True)
def event_classes_of_each_connection() -> Iterator[None]:
    with event_classes_apart():
        yield


@pytest.fixture(scope="session", autouse=True)
def no_tesseract(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A Tesseract without language packs is first on PATH: what is read does not depend on which this machine has."""
    program = tmp_path_factory.mktemp("programs") / "tesseract"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        yield


@pytest.fixture(scope="session")
def desktop_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desktop]:
    """Xvfb 1280x800 + openbox, one for the whole worker."""
    folder = tmp_path_factory.mktemp("xvfb")
    with desktop_of_its_own(folder) as desktop:
        yield desktop


@pytest.fixture
def desktop(desktop_session: Desktop) -> Iterator[Desktop]:
    """A clean desktop: no windows, nothing held, us layout. XTEST is its only input."""
    with desktop_session.for_a_test() as desktop:
        yield desktop


@pytest.fixture(scope="session")
def xephyr_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desktop]:
    """Outer Xvfb (the human's hands) and in it Xephyr + openbox (the desktop), one pair for the worker."""
    outer_folder = tmp_path_factory.mktemp("outer")
    inner_folder = tmp_path_factory.mktemp("inner")
    outer = start_xvfb(outer_folder)
    try:
        inner = start_xephyr(outer, inner_folder)
        try:
            desktop = Desktop.start(inner, inner_folder, human=outer)
            try:
                yield desktop
            finally:
                desktop.close()
        finally:
            inner.stop()
    finally:
        outer.stop()


@pytest.fixture
def xephyr_desktop(xephyr_session: Desktop) -> Iterator[Desktop]:
    """A clean nested desktop: ``human_xdo`` is a real device here, ``xdo`` is XTEST."""
    with xephyr_session.for_a_test() as desktop:
        yield desktop


@pytest.fixture(scope="session")
def accessible_session(desktop_session: Desktop) -> Iterator[AccessibleSession]:
    session = AccessibleSession(desktop_session)
    yield session
    session.close()


@pytest.fixture
def accessible_desktop(desktop: Desktop, accessible_session: AccessibleSession) -> AccessibleDesktop:
    """A clean desktop with an accessibility bus; applications started with its ``env`` are on it."""
    return AccessibleDesktop(desktop=desktop, tree=accessible_session)


@pytest.fixture(scope="session")
def accessible_xephyr_session(xephyr_session: Desktop) -> Iterator[AccessibleSession]:
    session = AccessibleSession(xephyr_session)
    yield session
    session.close()


@pytest.fixture
def accessible_xephyr_desktop(
    xephyr_desktop: Desktop, accessible_xephyr_session: AccessibleSession
) -> AccessibleDesktop:
    """The nested desktop with an accessibility bus: a human's hands and a screen reader's."""
    return AccessibleDesktop(desktop=xephyr_desktop, tree=accessible_xephyr_session)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guard_of_module(desktop_session: Desktop, homes: Iterator[Path]) -> AsyncIterator[KeptGuard]:
    """One guard for all tests of a module."""
    async with kept_guard(desktop_session.name, str(next(homes))) as kept:
        yield kept


@pytest.fixture
def one_guard(guard_of_module: KeptGuard, private_environment: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`guarded` and `armed` use the module's guard; for modules whose tests share an event loop."""
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", guard_of_module.home)
    with guard_of_module.in_use():
        yield
