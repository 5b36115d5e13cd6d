"""The console's own folders, wherever they are, are told to policy."""

from __future__ import annotations

from operator_console.domain.actions import TypeText
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer
from operator_console.engine.session_context import Options
from tests.engine.rig import does, rig, said

NOTES = WindowInfo(window_id=5, title="Save As", app="mousepad", pid=1, rect=Rect(0, 0, 100, 100))
OPTIONS = Options(name="test", own_folders=("/srv/oc",))


async def test_a_path_in_the_consoles_folders_is_asked_about() -> None:
    r = rig(does(TypeText(text="/srv/x/../oc/settings.toml")), options=OPTIONS)
    r.computer.focus = NOTES
    await r.start()
    await r.settled()
    question = r.session.question
    assert question is not None and question.assessment is not None
    assert question.assessment.rule == "names-this-console"
    await r.post(Answer(question_id=question.question_id, answer="no"))
    await r.end()
    assert not r.injector.grants


async def test_another_path_is_not() -> None:
    r = rig(does(TypeText(text="/tmp/notes.txt")), said("ok"), options=OPTIONS)
    r.computer.focus = NOTES
    await r.run()
    assert len(r.injector.grants) == 1
