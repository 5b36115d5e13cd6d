"""Whether text may be pasted is part of its sealed grant: only where it is enabled, and never for secrets.

What the model pastes is judged by what is in the clipboard then.
"""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.clipboard_contents import Clipboard
from operator_console.domain.events import Decided
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import RiskClass
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


@pytest.mark.parametrize(
    ("keys", "app", "holds", "asked"),
    [
        ("ctrl+v", "Mousepad", "Dear Ann", ""),
        ("ctrl+v", "Mousepad", CARD, "personal-data"),
        ("ctrl+shift+v", "XTerm", "rm -rf ~", "delete"),
        ("ctrl+shift+v", "XTerm", None, "terminal"),
        ("ctrl+c", "Mousepad", CARD, ""),
    ],
)
async def test_what_the_model_pastes_is_judged_by_the_clipboard(
    keys: str, app: str, holds: str | None, asked: str
) -> None:
    read: list[str] = []

    def clipboard(display: str) -> Clipboard:
        read.append(display)
        return Clipboard(text=holds)

    r = rig(does(Chord(keys=parse_chord(keys))), said("ok"), clipboard=clipboard, options=Options(answerable=False))
    r.computer.focus = WindowInfo(window_id=5, title="x", app=app, pid=1, rect=Rect(0, 0, 100, 100))
    await r.run()
    found = r.of(Decided)[0].assessment
    assert found is not None
    assert (asked in found.categories) if asked else found.risk < RiskClass.C3
    assert bool(read) is (keys != "ctrl+c")


@pytest.mark.parametrize("files", [True, False])
async def test_files_in_the_clipboard_are_an_upload_where_they_are_pasted_into_a_page(*, files: bool) -> None:
    r = rig(
        does(Chord(keys=parse_chord("ctrl+v"))), said("ok"),
        clipboard=lambda _: Clipboard(text="/home/ann/taxes.pdf", files=files), options=Options(answerable=False),
    )  # fmt: skip
    r.computer.focus = WindowInfo(window_id=5, title="My files", app="chromium", pid=1, rect=Rect(0, 0, 100, 100))
    await r.run()
    found = r.of(Decided)[0].assessment
    assert found is not None
    assert ("upload" in found.categories) is files
