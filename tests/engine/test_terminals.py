"""Whether a terminal receives the text is decided by policy and sealed into the grant."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import TypeText
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from tests.engine.rig import does, rig, said


@pytest.mark.parametrize(
    ("app", "title", "terminal"),
    [
        ("org.gnome.Ptyxis", "", True),
        ("Tilda", "", True),
        ("python3", "me@here: ~", True),
        ("Mousepad", "x", False),
        ("Chromium", "ttyd", True),
    ],
)
async def test_a_grant_says_whether_a_terminal_gets_it(app: str, title: str, terminal: bool) -> None:
    r = rig(does(TypeText(text="ls", clear=True)), said("ok"))
    r.computer.focus = WindowInfo(window_id=5, title=title, app=app, pid=1, rect=Rect(0, 0, 100, 100))
    await r.run()
    (grant,) = r.injector.grants
    assert grant.terminal is terminal
    assert grant.genuine(r.guard.grant_key)
