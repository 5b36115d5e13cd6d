"""The client of fcitx5, with a fake fcitx5 on a session bus of the test: running, absent, or hanging."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from operator_console.injector.input_method.fcitx import Fcitx
from tests.injector.fcitx_stand_in import StandIn
from tests.servers.message_bus import session_bus

DISPLAY = ":7"
DEADLINE_S = 20.0

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="needs dbus-daemon")


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    """A session bus."""
    with session_bus() as address:
        yield {"DBUS_SESSION_BUS_ADDRESS": address, "DISPLAY": f"{DISPLAY}.0"}


@contextmanager
def daemon(environ: dict[str, str], *, display: str = DISPLAY, hangs: bool = False) -> Iterator[StandIn]:
    found = StandIn(environ["DBUS_SESSION_BUS_ADDRESS"], display=display, hangs=hangs)
    try:
        yield found
    finally:
        found.close()


@contextmanager
def ours(environ: dict[str, str]) -> Iterator[Fcitx]:
    found = Fcitx(environ)
    found.start()
    try:
        yield found
    finally:
        found.close()


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_field_that_composes_is_told_by_its_own_state(environ: dict[str, str]) -> None:
    read: list[None] = []
    with daemon(environ) as fcitx, ours(environ) as found:
        until(lambda: found.pid)
        assert found.composing(lambda: read.append(None)) == ""
        fcitx.active.add("a")
        assert found.composing(lambda: read.append(None)) == "pinyin"
        fcitx.focus = "b"
        assert found.composing(lambda: read.append(None)) == ""
        fcitx.focus = ""
        fcitx.other = fcitx.first = "pinyin"
        assert found.composing(lambda: read.append(None)) == "", "keys do not go through it"
    assert read


def test_another_displays_field_is_not_this_ones(environ: dict[str, str]) -> None:
    with daemon(environ, display=":8") as fcitx, ours(environ) as found:
        until(lambda: found.pid)
        fcitx.active.add("a")
        assert found.composing(lambda: None) == ""
        assert "CurrentInputMethod" not in fcitx.asked


def test_it_may_come_and_go(environ: dict[str, str]) -> None:
    with ours(environ) as found:
        assert found.composing(pytest.fail) == ""
        for _ in range(2):
            with daemon(environ) as fcitx:
                fcitx.active.add("a")
                until(lambda: found.composing(lambda: None) == "pinyin")
            until(lambda: found.pid is None)
            assert found.composing(pytest.fail) == ""


@pytest.mark.parametrize("address", ["", "unix:path=/nowhere/at/all"])
def test_without_a_bus_there_is_none(address: str) -> None:
    with ours({"DBUS_SESSION_BUS_ADDRESS": address}) as found:
        assert found.composing(pytest.fail) == ""


def test_one_that_hangs_is_left_alone(environ: dict[str, str]) -> None:
    with daemon(environ, hangs=True) as fcitx, ours(environ) as found:
        for _ in range(3):
            assert found.composing(pytest.fail) == ""
        until(lambda: fcitx.asked)
        assert fcitx.asked == ["State"]
