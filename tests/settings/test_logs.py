"""The log file on a full disk."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from operator_console.settings.logs import start_logging, stop_logging
from tests.journal.test_errors import file_size_limit


@pytest.mark.parametrize("lines", [1, 50])
def test_a_full_disk_is_one_sentence_and_no_traceback(
    lines: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log" / "console.log"
    assert start_logging(path, verbose=False) == ""
    try:
        with file_size_limit(10):
            for number in range(lines):
                logging.getLogger("operator_console.x").warning("a line that does not fit: %d", number)
            stop_logging()
    finally:
        stop_logging()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert str(path) in said[0]
    assert "cannot be written" in said[0]
