"""The practice window's log contains complete lines and can be read while it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.domain.codec import CodecError
from operator_console.practice.event_log import (
    Chosen,
    Clicked,
    Drawn,
    Hit,
    PracticeEvent,
    PracticeLog,
    Pressed,
    Ready,
    Received,
    Saved,
    Scrolled,
    Slid,
    Typed,
    line,
    read_log,
)

EVENTS: list[PracticeEvent] = [
    Ready(pid=7, window_id=0x1E00007, width=780, height=580, scale=1.25),
    Pressed(widget="Plant", button="left", x=0, y=0),
    Clicked(button="Save"),
    Typed(field="Notes", text="Zażółć\n„gęślą” jaźń 日本"),
    Chosen(item="May", how="pinned"),
    Scrolled(first="March"),
    Slid(value=0),
    Drawn(points=((1, 2), (3, 4)), start="Root", end=""),
    Saved(by="Ctrl+S", plant="", room="", notes="", month="", water=0, strokes=0),
    Hit(mark=2, dx=-1, dy=0),
    Received(text="Harvest", length=7, held=1, at_s=12.5),
]


def test_each_written_event_is_read_back(tmp_path: Path) -> None:
    log = PracticeLog(tmp_path / "p.jsonl")
    for count, event in enumerate(EVENTS, start=1):
        log.write(event)
        assert read_log(tmp_path / "p.jsonl") == EVENTS[:count]


def test_a_line_that_is_still_being_written_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    whole = line(EVENTS[2])
    for length in range(len(whole)):
        path.write_text(line(EVENTS[1]) + whole[:length], encoding="utf-8")
        assert read_log(path) == [EVENTS[1]]


def test_a_new_run_starts_a_new_file(tmp_path: Path) -> None:
    PracticeLog(tmp_path / "p.jsonl").write(EVENTS[1])
    PracticeLog(tmp_path / "p.jsonl").write(EVENTS[2])
    assert read_log(tmp_path / "p.jsonl") == [EVENTS[2]]


def test_a_missing_file_has_no_events(tmp_path: Path) -> None:
    assert read_log(tmp_path / "none.jsonl") == []


@pytest.mark.parametrize("text", ["{}\n", "nonsense\n", '{"kind":"exploded"}\n', '{"kind":"slid","value":"x"}\n'])
def test_a_file_that_is_no_practice_log_raises(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.jsonl").write_text(text)
    with pytest.raises(CodecError):
        read_log(tmp_path / "p.jsonl")
