"""Launching an application and quoting the clipboard through `run`: the reported effects have happened and last."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from pathlib import Path

import pytest

from tests.display.acceptance.harness import performed, start_console
from tests.display.rig import Desktop, wait_until


@pytest.mark.slow
@pytest.mark.full
def test_an_application_is_launched_typed_into_and_quoted(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tools/test_launching.py, and the quotation in on_page/test_keys.py."""
    chord: list[dict[str, object]] = [{"kind": "chord", "keys": keys} for keys in (["ctrl", "a"], ["ctrl", "c"])]
    actions: list[list[dict[str, object]]] = [
        [{"kind": "launch", "app": "no such program"}],
        [{"kind": "launch", "app": "Mousepad"}],
        [{"kind": "type_text", "text": "Copied: żółw"}],
        chord,
        [{"kind": "quote_clipboard", "variable": "copied"}],
    ]
    script = tmp_path / "script.json"
    turns = [{"calls": [{"action": action} for action in turn]} for turn in actions]
    script.write_text(json.dumps({"turns": turns}), encoding="utf-8")
    record = tmp_path / "record.ocsession"
    args = [
        "run",
        "Write it down",
        "--json",
        "--provider",
        "scripted",
        "--model",
        str(script),
        "--session",
        str(record),
    ]
    console = start_console(desktop, tmp_path, *args, HOME=str(tmp_path))
    try:
        assert console.wait(100) == 0, console.report()
        outcomes = performed(console.events())
        assert [result for result, _ in outcomes] == ["failed", *["done"] * 5], outcomes
        assert "No application is called" in outcomes[0][1]
        assert "Started Mousepad. Its window “Untitled 1" in outcomes[1][1]
        assert desktop.find_window(wm_class="mousepad") is not None, "what was launched lives on"
    finally:
        end(desktop)


def end(desktop: Desktop) -> None:
    """End the editor, which is no child of this process, by the process of its window."""
    for window in desktop.windows():
        if window.pid is not None and "mousepad" in window.wm_class.lower():
            with contextlib.suppress(ProcessLookupError):
                os.kill(window.pid, signal.SIGKILL)
    wait_until(lambda: not desktop.windows(), "the editor to end")
