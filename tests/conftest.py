"""What holds for every test: a private home, no keys, no display by accident, and nothing left behind.

Fixtures for displays are in tests/display/conftest.py.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import itertools
import os
import sys
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from operator_console.domain import redaction

# How long an example takes is the machine's affair: on a busy one both checks fail without a fault.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("each run", _ANY_MACHINE, max_examples=30)  # others in each run
settings.register_profile("full", _ANY_MACHINE, max_examples=200)
# For tests of changed programs (tests/strength.py): the same examples each time, and the first failure is enough.
settings.register_profile(
    "strength", _ANY_MACHINE, max_examples=30, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("each run")

MARK = "OPERATOR_CONSOLE_TEST_MARK"
GRACE_S = 3.0

_NOT_FOR_TESTS = (
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "WINDOWID",
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "all_proxy",
)
_RUNS_SESSIONS = frozenset(("engine", "app", "acceptance"))
"""Folders of tests that run a session, or what one lives in, on their own loop."""
# Started by the standard library once a process shares memory, and kept by it until the end.
_KEPT_BY_PYTHON = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--real", action="store_true", help="also run tests that need a real provider's key and network")
    parser.addoption("--full", action="store_true", help="also run the long versions of tests, and every combination")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--full"):
        settings.load_profile("full")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for marker in ("real", "full"):
        if config.getoption(f"--{marker}"):
            continue
        asked = [item for item in items if item.get_closest_marker(marker)]
        others = [item for item in items if not item.get_closest_marker(marker)]
        if others:  # a report of each that is skipped would cost seconds
            items[:] = others
            config.hook.pytest_deselected(items=asked)
        else:
            for item in asked:
                item.add_marker(pytest.mark.skip(reason=f"needs --{marker}"))
    if settings.get_current_profile_name() == "strength":  # long ones last: mostly a short one notices the change
        items.sort(key=lambda item: item.path.stem.endswith("_machine"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """No collection of garbage during the imports, of which hardly anything is; what they made stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Homes, one for each test; each exists once something is written there."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def private_environment(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A private OPERATOR_CONSOLE_HOME (short, for sockets); keys, proxies and displays are gone; Qt draws offscreen.

    No secret is known to hide.
    """
    if "real" not in request.keywords:
        for name in _NOT_FOR_TESTS:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(next(homes)))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv(MARK, uuid.uuid4().hex)
    for known in ("_secrets", "_keys"):  # else a key of one test would be hidden in the errors of all later ones
        monkeypatch.setattr(redaction, known, set())


@pytest.fixture(autouse=True)
def nothing_left_behind(private_environment: None, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves a thread, a process, an asyncio task or a visible window.

    Processes are known by a mark in their environment, so one that was orphaned or left its group is found too.
    """
    threads = set(threading.enumerate())
    newest, children = _newest(), set(_children())
    mark = f"{MARK}={os.environ[MARK]}"
    if inspect.iscoroutinefunction(getattr(request, "function", None)):
        request.getfixturevalue("no_task_left_behind")
        if sys.platform == "linux" and _RUNS_SESSIONS.intersection(Path(str(request.path)).parts):
            request.getfixturevalue("nothing_holds_the_loop")
    yield
    left = [
        *_settled(lambda: [f"thread {t.name}" for t in threading.enumerate() if t not in threads and _counts(t)]),
        *(_settled(lambda: _left_processes(children, newest, mark)) if _newest() != newest else ()),
        *_visible_windows(),
    ]
    if left:
        pytest.fail("left behind: " + "; ".join(left), pytrace=False)


@pytest.fixture
async def no_task_left_behind() -> AsyncIterator[None]:
    """The asyncio half of ``nothing_left_behind``; requested by it for coroutine tests."""
    yield
    current = asyncio.current_task()
    left = [task for task in asyncio.all_tasks() if task is not current and not task.done()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=GRACE_S)  # some do not listen: that must be a failure, not a hang
        pytest.fail("left behind: " + "; ".join(f"task {task.get_name()} {task!r}" for task in left), pytrace=False)


@pytest.fixture
async def nothing_holds_the_loop() -> AsyncIterator[None]:
    """Fails a coroutine test in which the product held the loop for longer than 100 ms (see ``loop_watch``)."""
    from operator_console.policy.word_tables import tables
    from tests.loop_watch import LoopWatch

    tables()  # a session loads them in a thread before it arms the guard: no lease is answered then
    watch = LoopWatch()
    watch.start()
    yield
    watch.stop()
    if held := [str(stall) for stall in watch.stalls if stall.ours]:
        pytest.fail("the loop that answers the lease was " + "\n".join(held), pytrace=False)


def _counts(thread: threading.Thread) -> bool:
    """Idle workers of the loop's own executor, and the watch on the loop, end after this check; so does what serves a
    page that several tests share."""
    return thread.is_alive() and not thread.name.startswith(("asyncio_", "loop watch", "shared page"))


def _settled(left: Callable[[], list[str]]) -> list[str]:
    """What is still left after a moment of grace (ends are not instant)."""
    deadline = time.monotonic() + GRACE_S
    while (found := left()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def _newest() -> int:
    """The id of the process or thread that was started last on this machine."""
    if sys.platform != "linux":
        return 0
    with open("/proc/loadavg") as loads:  # noqa: PTH123 - after and before each test
        return int(loads.read().rpartition(" ")[2])


def _left_processes(children: set[int], newest: int, mark: str) -> list[str]:
    found = {pid for pid in _children() if pid not in children} | set(_marked(mark, newest))
    commands = {pid: _command(pid) for pid in sorted(found) if _alive(pid)}
    return [
        f"process {pid} {command}"
        for pid, command in commands.items()
        if not any(kept in command for kept in _KEPT_BY_PYTHON)
    ]


def _children() -> list[int]:
    pids: list[int] = []
    for task in _numbers("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/children") as children:  # noqa: PTH123 - after and before each test
                pids += [int(pid) for pid in children.read().split()]
        except OSError:
            continue
    return pids


def _processes() -> list[int]:
    return _numbers("/proc")


def _numbers(folder: str) -> list[int]:
    """The entries of a folder of /proc that are numbers: of processes or threads."""
    return [int(name) for name in os.listdir(folder) if name.isdigit()] if sys.platform == "linux" else []  # noqa: PTH208


def _marked(mark: str, newest: int) -> list[int]:
    """Processes with the mark in their environment, of those started after `newest`; to read all costs time."""
    needle = mark.encode()
    pids: list[int] = []
    again = _newest() < newest  # the ids began again at the lowest
    for pid in _processes():
        if pid <= newest and not again:
            continue
        try:
            if needle in Path(f"/proc/{pid}/environ").read_bytes():
                pids.append(pid)
        except OSError:
            continue
    return pids


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return False


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return "?"


def _visible_windows() -> list[str]:
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return []
    visible = [w for w in widgets.QApplication.topLevelWidgets() if w.isVisible()]
    names = [f"window {w.objectName() or type(w).__name__} {w.windowTitle()!r}" for w in visible]
    for window in visible:
        window.hide()
    return names
