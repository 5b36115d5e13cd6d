"""What a worker process answers becomes an outcome that shows no key."""

from __future__ import annotations

import pytest

from operator_console.domain.codec import canonical
from operator_console.domain.redaction import hide_key
from operator_console.tools.worker_answers import outcome_of

KEY = "sk-Zq7vXk2pLm9wRt4yHb8nQd3s"


@pytest.mark.parametrize(
    "answer",
    [
        {"texts": [f"the key is {KEY}"], "pictures": []},
        {"texts": [f"the key is {KEY}"], "pictures": [], "failed": True},
        {"error": f"ValueError: {KEY!r}"},
    ],
    ids=["result", "failure", "error"],
)
def test_a_result_that_repeats_a_key_is_told_without_it(answer: dict[str, object]) -> None:
    hide_key(KEY)
    outcome = outcome_of("look_up", answer, 0.1)
    assert b"[hidden]" in canonical(outcome)
    assert KEY[:8].encode() not in canonical(outcome)
