"""`vm:` on a real guest in three viewers: a language chosen by click, texts under three layouts, and a stop while the
viewer has the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode
from tests.display.guest.hosted import LONG, TEXTS, Hosted
from tests.display.rig import RigError, launch, wait_until

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]


def qemus_own(hosted: Hosted) -> tuple[str, str]:
    return f"vm:{hosted.window:#x}", "vm:guest"


def remote_viewer(hosted: Hosted) -> tuple[str, str]:
    args = ["remote-viewer", f"vnc://127.0.0.1:{hosted.guest.server.port}"]
    window = launch(hosted.desktop, args, title="(1)", wm_class="Remote-viewer", env=hosted.tree.env).window
    return f"vm:{window.xid:#x}", "vm:QEMU (guest)"


def tigervnc(hosted: Hosted) -> tuple[str, str]:
    args = ["xtigervncviewer", "-RemoteResize=0", f"127.0.0.1::{hosted.guest.server.port}"]
    window = launch(hosted.desktop, args, title=" - TigerVNC").window
    return f"vm:{window.xid:#x}", "vm:QEMU (guest)"


Viewer = Callable[[Hosted], tuple[str, str]]
"""Opens it; returns the target, and what the machine's settings are named after."""
each_viewer = pytest.mark.parametrize("viewer", [qemus_own, remote_viewer, tigervnc])


@each_viewer
def test_a_language_is_chosen_by_click(unset: Hosted, tmp_path: Path, viewer: Viewer) -> None:
    target, _ = viewer(unset)
    console = unset.begin(tmp_path, target, 'click "German"', 'click "Continue"', 'wait for "Deutschland"')
    assert console.wait() == ExitCode.FINISHED, console.report()
    unset.guest.wait_for_text("Liechtenstein")  # the next screen, in German
    assert unset.guest.held() == set()


@each_viewer
@pytest.mark.parametrize("layout", TEXTS)
def test_a_text_arrives_exactly_by_the_guests_layout(
    hosted: Hosted, tmp_path: Path, viewer: Viewer, layout: str
) -> None:
    target, machine = viewer(hosted)
    hosted.guest.use_layout(layout)
    console = hosted.begin(tmp_path, target, f'type "{TEXTS[layout]}"', machine=machine, layout=layout)
    assert console.wait() == ExitCode.FINISHED, console.report()
    assert hosted.guest.answer() == TEXTS[layout]
    assert hosted.guest.held() == set()


@pytest.mark.parametrize("viewer", [qemus_own, remote_viewer])
def test_the_stop_keys_work_while_the_viewer_grabs_the_keyboard(hosted: Hosted, tmp_path: Path, viewer: Viewer) -> None:
    target, _ = viewer(hosted)
    window = int(target.removeprefix("vm:"), 16)
    wait_until(lambda: _grabbed(hosted, window), "the viewer to grab the keyboard", interval_s=1)
    confirmed = hosted.stop_while_typing(hosted.begin(tmp_path, target, f'type "{LONG}"'))
    hosted.guest.press("a")
    assert hosted.guest.answer() in (f"{LONG[:confirmed]}a", f"{LONG[: confirmed + 1]}a")


def _grabbed(hosted: Hosted, window: int) -> bool:
    """Whether another client has the keyboard for itself. If not, the pointer comes to the viewer, which then grabs it.

    Asking is a grab of its own, which the viewer may find in its way.
    """
    try:
        with hosted.desktop.keyboard_grabbed():
            pass
    except RigError:
        return True
    hosted.point_at(window)
    return False
