"""What a model is told about the target that it works on."""

from __future__ import annotations

import pytest

from operator_console.domain.frames import (
    BrowserTarget,
    MonitorTarget,
    TargetRef,
    VirtualTarget,
    VmTarget,
    VncTarget,
    WindowTarget,
)
from operator_console.domain.viewer_names import Viewer
from operator_console.engine.session import instruction
from tests.engine.rig import rig, said

DESKTOPS: list[TargetRef] = [
    MonitorTarget(spec="monitor:1", title=""),
    WindowTarget(spec="window:1", title="", window_id=1),
    VmTarget(spec="vm:1", title="", window_id=1, viewer=Viewer.QEMU_GTK, name="debian"),
    VirtualTarget(spec="virtual", title=""),
    VncTarget(spec="vnc:a:1", title=""),
]


@pytest.mark.parametrize("target", DESKTOPS, ids=lambda target: target.kind)
def test_on_a_desktop_the_model_is_told_of_windows(target: TargetRef) -> None:
    told = instruction(target)
    assert "It is an ordinary desktop" in told
    assert "{" not in told
    assert "address bar" not in told


def test_in_a_managed_browser_the_model_is_told_that_there_is_only_the_page() -> None:
    told = instruction(BrowserTarget(spec="browser", title=""))
    assert told.startswith("You operate a browser that this program manages.")
    assert "there is no address bar" in told
    assert "functions that go to an address" in told
    assert "drawn on the screenshot" in told
    assert "saved and not opened" in told
    assert "desktop" not in told.partition("How to work")[0]
    assert "{" not in told


@pytest.mark.parametrize(
    ("target", "browser"), [(BrowserTarget(spec="browser", title=""), True), (MonitorTarget(spec="m", title=""), False)]
)
async def test_the_model_knows_from_the_beginning_whether_it_has_a_managed_browser(
    target: TargetRef, browser: bool
) -> None:
    r = rig(said("done"), target=target)
    await r.run()
    assert r.model.brief is not None
    assert r.model.brief.browser is browser
    assert r.model.brief.instruction == instruction(target)
