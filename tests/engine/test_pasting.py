"""Whether text may be pasted is part of its sealed grant: only where it is enabled, and never for secrets."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import TypeText
from operator_console.domain.intents import Answer
from operator_console.engine.session_context import Options
from tests.engine.rig import does, rig, said

SECRET, CARD = "password: hunter22", "4111 1111 1111 1111"


@pytest.mark.parametrize(
    ("text", "set_so", "may"),
    [("plain", True, True), ("plain", False, False), (SECRET, True, False), (CARD, True, False)],
)
async def test_a_grant_lets_paste_only_what_may_be_copied(text: str, set_so: bool, may: bool) -> None:
    r = rig(does(TypeText(text=text)), said("ok"), options=Options(paste=set_so))
    await r.start()
    await r.settled()
    while not r.injector.grants:
        if r.session.question is not None:
            await r.post(Answer(question_id=r.session.question.question_id, answer="yes"))
        await r.clock.advance(1.0)
        await r.settled()
    assert [grant.paste for grant in r.injector.grants] == [may]
    await r.end()
