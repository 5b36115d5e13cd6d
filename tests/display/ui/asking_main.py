"""A console with the real guard and a session in the test's hands: ``python -m tests.display.ui.asking_main``.

A line on stdin asks a question of that kind ("dialog", "card", "limit"), answers the open one ("answer"), hands over
to the person ("hand over") or ends that ("take back"); "hold" makes the session one of hold-to-run. "message" gives
the console's own line the keyboard, and "written FILE" writes its text; "places FILE" writes where Allow is, whether
it is open, and the word, "button FILE" the first two of Continue, the button of hold-to-run or the level Auto; "said
FILE" what was answered or chosen, "note FILE" what the open question says above its buttons. "done" on stdout says
that the window concerned is shown, or gone.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from qasync import QEventLoop

from operator_console.app.guard_status import GuardView
from operator_console.app.services import open_services, our_windows
from operator_console.desktop.platform import open_input_devices, open_occlusion
from operator_console.desktop.protocols import InputDevices, Occlusion
from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import DecidedBy, Question, Surface
from operator_console.domain.intents import Answer, SetAutonomy
from operator_console.domain.risk import Autonomy
from operator_console.domain.stopping import PauseCause
from operator_console.ui.backend import GuardStatus
from operator_console.ui.console import Console
from tests.display.ui.fake_backend import FakeBackend
from tests.display.ui.gallery import until
from tests.display.ui.scene import HIGH, LOW, NOTES, SUBMIT, frame_of, review


class GuardedBackend(FakeBackend):
    """The tests' backend, but for the guard and the focus."""

    def __init__(self, view: GuardView, occlusion: Occlusion) -> None:
        super().__init__()
        self._view = view
        self._occlusion = occlusion
        self._devices = open_input_devices(os.environ["DISPLAY"])

    @property
    def devices(self) -> InputDevices | None:
        return self._devices

    def has_focus(self) -> bool:
        return self._occlusion.has_focus()

    @property
    def guard(self) -> GuardStatus:
        return self._view.status

    def subscribe_guard(self, hear: Callable[[GuardStatus], None]) -> Callable[[], None]:
        return self._view.subscribe(hear)


def main() -> None:
    """Until stdin is closed."""
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        runner.run(_run(app))


def _shown(console: Console, *, dialog: bool) -> bool:
    if dialog:
        return (question := console.questions.dialog) is not None and question.isVisible()
    return console.window.side.card.approve.isVisible()


def _accepts_focus(console: Console) -> bool:
    """From a dialog's first picture on: the window manager gives it the keyboard for no click before."""
    assert console.questions.dialog is not None
    return not console.questions.dialog.windowHandle().flags() & Qt.WindowType.WindowDoesNotAcceptFocus


def _place(push: QWidget) -> str:
    """Where its middle is, and whether it is enabled."""
    centre = push.mapToGlobal(push.rect().center())
    return f"{centre.x()} {centre.y()} {int(push.isEnabled())}"


async def _do(console: Console, backend: GuardedBackend, command: str, number: int) -> None:
    command, _, file = command.partition(" ")
    match command:
        case "answer":
            question = console.sessions.view.question
            assert question is not None
            backend.emit(ev.Answered(question_id=question.question_id, answer="withdrawn", by=DecidedBy.NOBODY))
            await until(lambda: not _shown(console, dialog=question.about == "safety"), "the question to go")
        case "hand over":
            console.window.line.take_over.click()
            backend.emit(ev.HandedOver())
            await until(console.bar.isVisible, "the console to fold")
        case "message":
            console.window.activateWindow()
            console.window.line.message.setFocus()
            await until(console.window.line.message.hasFocus, "the console's own line to have the keyboard")
        case "places":
            dialog = console.questions.dialog
            assert dialog is not None
            Path(file).write_text(f"{_place(dialog.allow)} {dialog._word}")
        case "said":
            assert backend.handle is not None
            said = [each.answer for each in backend.handle.intents if isinstance(each, Answer)]
            said += [each.autonomy for each in backend.handle.intents if isinstance(each, SetAutonomy)]
            said += ["held" if on else "let go" for on in backend.held]
            Path(file).write_text("\n".join(map(str, said)))
        case "limit":
            asked = Question(
                question_id="q", answer=a.QuestionKind.CONFIRM, surface=Surface.CARD, text="On?", about="limit"
            )
            backend.emit(ev.Paused(by=PauseCause.LIMIT))
            backend.emit(ev.Asked(question=asked))
            await until(console.window.side.card.question.yes.isEnabled, "Continue to open")
        case "hold":
            started = backend.story.records[0].event
            assert isinstance(started, ev.SessionStarted)
            backend.emit(replace(started, autonomy=Autonomy.HOLD, resumed=True))
            await until(console.window.line.hold.isVisible, "the button of hold-to-run")
        case "button":
            line, yes = console.window.line, console.window.side.card.question.yes
            push = next(each for each in (yes, line.hold, line.autonomy.levels[Autonomy.AUTO]) if each.isVisible())
            Path(file).write_text(_place(push))
        case "note":
            Path(file).write_text(console.questions.dialog._note.text() if console.questions.dialog else "")
        case "written":
            Path(file).write_text(console.window.line.message.text())
        case "take back":
            backend.emit(ev.HandedBack())
            await until(lambda: not console.window.isMinimized(), "the console to come back")
        case _:
            await _ask(console, backend, number, dialog=command == "dialog")


async def _ask(console: Console, backend: GuardedBackend, number: int, *, dialog: bool) -> None:
    action, risk = (a.Click(at=SUBMIT), HIGH) if dialog else (a.TypeText(text="x", at=NOTES), LOW)
    question = replace(review(1, int(dialog), action, risk, dialog=dialog), question_id=f"q{number}")
    backend.emit(ev.Asked(question=question, step=1, call=int(dialog)))
    await until(partial(_shown, console, dialog=dialog), "the question")
    if dialog:
        await until(partial(_accepts_focus, console), "the question to take the keyboard from whoever clicks into it")


async def _run(app: QApplication) -> None:
    async with open_services(os.environ["DISPLAY"], our_windows()) as services:
        view = GuardView(services)
        occlusion = open_occlusion(services.own, services.display)
        backend = GuardedBackend(view, occlusion)
        console = Console(app, backend)
        life = asyncio.ensure_future(console.run())
        await until(lambda: console.window.setup.chosen_target is not None, "the targets")
        console.window.setup.task.setPlainText("Submit it.")
        console.window.setup.start.click()
        await until(lambda: backend.audience is not None, "the start")
        assert backend.audience is not None
        backend.audience.on_frame(frame_of(backend.story.image))
        backend.story.started()
        backend.story.batch(1)
        backend.play()
        asking: asyncio.Queue[str] = asyncio.Queue()
        numbers = itertools.count()
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin, lambda: asking.put_nowait(sys.stdin.readline().strip()))
        print("ready", flush=True)
        while command := await asking.get():
            await _do(console, backend, command, next(numbers))
            print("done", flush=True)
        loop.remove_reader(sys.stdin)
        backend.handle.over.set()  # type: ignore[union-attr]
        console.close()
        await life
        await view.close()
        occlusion.close()


if __name__ == "__main__":
    main()
