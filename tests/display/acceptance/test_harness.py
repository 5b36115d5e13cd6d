"""The scripted model of the acceptance tests."""

from __future__ import annotations

import pytest

from tests.display.acceptance.harness import final, insistent, turn
from tests.servers.scripted_server import Seen

ASKED = {"role": "user", "parts": [{"text": "Do it."}]}


def said_to(*conversations: list[object], first_again: bool = True) -> list[object]:
    first, *_ = insistent(turn(("wait", {})), final(), first_again=first_again)
    assert callable(first)
    return [first(Seen(request={"contents": contents}, png=b"")).get("text") for contents in conversations]


@pytest.mark.parametrize(("first_again", "second"), [(True, None), (False, "Done.")])
def test_a_first_turn_that_left_no_trace_is_said_again_in_the_same_session(
    first_again: bool, second: str | None
) -> None:
    assert said_to([ASKED], [ASKED], first_again=first_again) == [None, second]


def test_a_turn_whose_call_is_not_done_is_said_again() -> None:
    model = {"role": "model", "parts": [{"functionCall": {"name": "wait"}}]}
    undone, done = (
        {"role": "user", "parts": [{"functionResponse": {"name": "wait", "response": {"status": status}}}]}
        for status in ("not_done", "done")
    )
    assert said_to([ASKED], [ASKED, model, undone], [ASKED, model, done]) == [None, None, "Done."]
