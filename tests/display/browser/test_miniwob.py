"""Pages of MiniWoB++ worked by whole sessions, with a model that never errs, in the browser and on the monitor."""

from __future__ import annotations

import pytest

from tests.benchmarks.miniwob import session
from tests.benchmarks.stage import stage
from tests.miniwob.pages import MiniWobPages
from tests.miniwob.tasks import SHORT


@pytest.mark.full
@pytest.mark.parametrize("monitor", [False, pytest.param(True, marks=pytest.mark.full)], ids=["browser", "monitor"])
def test_tasks_of_each_kind_are_solved(monitor: bool) -> None:
    """In each run: browser/test_hand.py and browser/test_use_element.py."""
    with stage((640, 480)) as here, MiniWobPages() as pages:
        model = session(here, pages, SHORT, monitor=monitor)
    assert [each for each in model.played if not each.solved] == []
