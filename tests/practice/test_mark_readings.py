"""What the marks' window and page tell, as the Test of a target reads it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from operator_console.practice.event_log import Hit, PracticeLog, Ready, Received
from operator_console.practice.mark_readings import COLOURS, PAGE, PAGE_TITLE, Seen, seen_in_log, seen_in_title
from operator_console.resource_files import resource_path


def test_the_log_tells_each_marks_last_press_and_what_stands_in_the_field(tmp_path: Path) -> None:
    log = PracticeLog(tmp_path / "marks.jsonl")
    log.write(Ready(pid=7, window_id=9, width=420, height=240, scale=1.0))
    log.write(Hit(mark=0, dx=3, dy=0))
    log.write(Hit(mark=0, dx=0, dy=0))
    log.write(Hit(mark=2, dx=-1, dy=2))
    log.write(Received(text="H", length=1, held=1, at_s=1.0))
    log.write(Received(text="Ha", length=2, held=0, at_s=2.0))
    with (tmp_path / "marks.jsonl").open("a") as file:
        file.write('{"kind": "received", "text": "Har')
    seen = seen_in_log(tmp_path / "marks.jsonl")
    assert seen == Seen(hits={0: (0, 0), 2: (-1, 2)}, text="Ha", length=2, held=0, at_s=2.0)


def test_nothing_was_received_before_there_is_a_log(tmp_path: Path) -> None:
    assert seen_in_log(tmp_path / "none.jsonl") == Seen(hits={})


def test_the_title_of_the_page_tells_the_same() -> None:
    title = PAGE_TITLE + '{"hits":[[1,0,-2]],"text":"Ha","length":2,"held":1,"at":2000}'
    assert seen_in_title(title) == Seen(hits={1: (0, -2)}, text="Ha", length=2, held=1, at_s=2.0)


@pytest.mark.parametrize("title", ["", "about:blank", PAGE_TITLE, PAGE_TITLE + "{}", PAGE_TITLE + '{"hits":[[1]]}'])
def test_another_title_tells_nothing(title: str) -> None:
    assert seen_in_title(title) is None


def test_the_page_has_the_marks_colours() -> None:
    page = resource_path(*PAGE).read_text(encoding="utf-8")
    assert [int(found, 16) for found in re.findall("--colour: #([0-9a-f]{6})", page)] == list(COLOURS)
