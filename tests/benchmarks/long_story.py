"""The records of a session of many steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from operator_console.domain import events as ev
from operator_console.domain.events import Record


def long_story(steps: int) -> list[Record]:
    """The records of an ordinary session: each step is looked at, proposed, decided, granted, done and settled."""
    from tests.display.ui.scene import Story, desktop_image

    story = Story(image=desktop_image(64, 48))
    story.history(5)
    first = next(place for place, each in enumerate(story.records) if isinstance(each.event, ev.Observed))
    pattern, records = story.records[first:], story.records[:first]
    for number in range(1, steps + 1):
        of = (number - 1) % 5 + 1
        for each in pattern:
            if getattr(each.event, "step", 0) == of:
                event: Any = each.event
                records.append(Record(seq=len(records) + 1, time=each.time, event=replace(event, step=number)))
    return records
