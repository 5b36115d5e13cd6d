"""A Wayland session: weston without a screen, with a run folder of its own, ended by its process id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.display.rig.processes import Child, wait_until
from tests.display.rig.server import clean_env, running_test_env

_SOCKET = "wayland-test"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaylandSession:
    """A running compositor.

    Attributes:
        variables: by which programs find it.
        xwayland: the display of its own X server, which starts with its first client.
    """

    variables: dict[str, str]
    xwayland: str
    home: Path

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of a program that the running test starts in it; there is no X server."""
        return {**clean_env(self.home), **self.variables, **running_test_env()}


@pytest.fixture(scope="session")
def wayland(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WaylandSession]:
    """1600x1000, one for the whole worker."""
    folder = tmp_path_factory.mktemp("weston")
    env = clean_env(folder)
    program = ["weston", "--backend=headless-backend.so", f"--socket={_SOCKET}", "--width=1600", "--height=1000"]
    child = Child([*program, "--idle-time=0", "--xwayland"], env=env, log=folder / "weston.txt")
    try:
        socket = Path(env["XDG_RUNTIME_DIR"]) / _SOCKET
        wait_until(lambda: child.checked() and socket.exists(), "weston to listen")
        variables = {
            "XDG_RUNTIME_DIR": env["XDG_RUNTIME_DIR"],
            "WAYLAND_DISPLAY": _SOCKET,
            "XDG_SESSION_TYPE": "wayland",
        }
        line = wait_until(lambda: re.search(r"listening on display (:\d+)", child.log_text()), "its X server's display")
        assert line is not None
        yield WaylandSession(variables=variables, xwayland=line[1], home=folder)
    finally:
        child.stop()
