"""A browser that was open before is restarted: its page is opened again, and a page that asks keeps it open."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.app import browser_restart
from operator_console.app.browser_restart import may_be_restarted, restart, restart_command
from operator_console.domain.errors import OperatorError
from tests.display.rig import Desktop, launch_chromium, process_alive, wait_until

_PAGE = "<!doctype html><title>Letter to Anna</title><body style='height:300px'>"
_ASKS = (
    "<script>onbeforeunload = event => event.preventDefault();"
    "onmousedown = () => { document.title = 'Letter to Anna (unsaved)' }</script>"
)


def test_its_page_is_opened_again_by_a_process_that_tells_its_controls(desktop: Desktop, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(_PAGE, encoding="utf-8")
    before = launch_chromium(desktop, page.as_uri(), title="Letter to Anna").window
    assert before.pid is not None
    assert "--force-renderer-accessibility" in restart_command(before.pid)
    assert may_be_restarted(before.pid, desktop.name)
    restart(before.pid, desktop.name)
    after = desktop.wait_window(title="Letter to Anna", wm_class="chromium")
    assert after.pid is not None
    assert after.pid != before.pid
    arguments = Path(f"/proc/{after.pid}/cmdline").read_text(encoding="utf-8").split("\0")
    assert "--force-renderer-accessibility" in arguments
    desktop.close_window(after.xid)
    restarted = after.pid
    wait_until(lambda: not process_alive(restarted), "the browser to end")


@pytest.mark.full
def test_what_asks_before_it_closes_stays_open(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each run: tests/app/test_browser_restart.py."""
    page = tmp_path / "page.html"
    page.write_text(_PAGE + _ASKS, encoding="utf-8")
    shown = launch_chromium(desktop, page.as_uri(), title="Letter to Anna").window
    assert shown.pid is not None
    desktop.xdo("mousemove", "300", "300", "click", "1")
    desktop.wait_window(title="unsaved", wm_class="chromium")
    monkeypatch.setattr(browser_restart, "_CLOSES_WITHIN_S", 2.0)
    with pytest.raises(OperatorError, match="did not close"):
        restart(shown.pid, desktop.name)
    assert Path(f"/proc/{shown.pid}").exists()
