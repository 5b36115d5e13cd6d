"""Keys for a window while another one has the focus, in real applications: what is judged, asked, shown and recorded is
what received them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import Action, Chord, TypeText
from operator_console.domain.codec import canonical
from operator_console.domain.decisions import Question, Surface
from operator_console.domain.events import Answered, Asked, Decided, EndedOutcome, Granted, Paused, Performed, Record
from operator_console.domain.intents import Answer, Approve, End
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus, Observation, Proposal
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.session_request import SessionRequest
from operator_console.engine.session import Session
from operator_console.engine.session_context import Options, Ports
from operator_console.guard.client import open_guard
from operator_console.injector.client import InjectorClient
from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from operator_console.ui.view.call_words import AskedFact, Asking, asking_of, window_hit
from operator_console.ui.view.session_view import SessionView, Step
from operator_console.ui.view.timeline_entries import entry_of
from tests.display.rig import AccessibleDesktop, Application, launch, launch_chromium, launch_xterm, wait_until
from tests.engine.rig import Memory, Model, Turn, Watcher, does, said
from tests.ui.view.folding import fold_all

TEXT, ENTER = TypeText(text="Ada 4711"), Chord(keys=(Key("enter"),))
FORM = (
    "<title>Visitors</title><form onsubmit=\"document.title='Sent '+v.value;return false\">"
    "<label>Visitor <input id=v autofocus></label></form><p id=p>"
    "<script>v.oninput=()=>document.title='Typed '+v.value;"
    "v.onkeydown=e=>{if(e.key=='e'&&e.ctrlKey)document.title='Chord '+v.value}</script>"
)
PAYMENT = "<title>Example Bank</title><button autofocus onclick=\"document.title='Paid'\">Pay 900 euros</button>"
TELLS = "--force-renderer-accessibility"
FOREIGN_WORDS = ("Secret diary", "Delete all photos", "Passphrase", "Example Bank", "Pay 900")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An application to type into, and how it is seen what it received.

    Attributes:
        chord: a combination whose effect shows there.
        received: whether text, Enter and `chord` arrived.
    """

    app: Application
    chord: Chord
    received: Callable[[], bool]


def editor(desktop: AccessibleDesktop, folder: Path) -> Target:
    file = folder / "visitors.txt"
    file.write_text("", encoding="utf-8")
    command = ["mousepad", "--disable-server", str(file)]
    app = launch(desktop.desktop, command, wm_class="mousepad", env=desktop.env)
    chord = Chord(keys=(Key("ctrl"), Key("s")))
    return Target(app=app, chord=chord, received=lambda: file.read_text(encoding="utf-8").startswith("Ada 4711\n"))


def terminal(desktop: AccessibleDesktop, folder: Path) -> Target:
    file, closed = folder / "line.txt", folder / "closed"
    app = launch_xterm(
        desktop.desktop, "sh", "-c", f"cat > '{file}'; touch '{closed}'; sleep 60", title="Plain terminal"
    )
    chord = Chord(keys=(Key("ctrl"), Key("d")))
    return Target(app=app, chord=chord, received=lambda: closed.exists() and file.read_text() == "Ada 4711\n")


def form(desktop: AccessibleDesktop, folder: Path) -> Target:
    (folder / "form.html").write_text(FORM, encoding="utf-8")
    page = (folder / "form.html").as_uri()
    app = launch_chromium(desktop.desktop, page, TELLS, title="Visitors", env=desktop.env)
    chord = Chord(keys=(Key("ctrl"), Key("e")))
    return Target(app=app, chord=chord, received=lambda: "Chord Ada 4711" in app.now().title)


@contextlib.contextmanager
def foreign(desktop: AccessibleDesktop, what: str) -> Iterator[Application]:
    """A window of another application that has the focus; ends at the end of the context."""
    commands = {
        "note": ["zenity", "--entry", "--title", "Secret diary", "--text", "Secret diary of today"],
        "delete question": ["zenity", "--question", "--title", "Delete all photos?", "--text", "Delete all photos?"],
        "password prompt": ["zenity", "--password", "--title", "Passphrase"],
    }
    if what == "payment page":
        page = f"data:text/html,{quote(PAYMENT)}"
        app = launch_chromium(desktop.desktop, page, TELLS, title="Example Bank", env=desktop.env)
    else:
        app = launch(desktop.desktop, commands[what], wm_class="zenity", env=desktop.env)
    try:
        yield app
        # Enter closes a dialog, and presses the button of the page.
        assert app.child.running
        assert "Paid" not in app.now().title
        assert not [found.text for found in desktop.tree.find_all(role="text", pid=app.pid) if found.text]
    finally:
        app.stop()


class Shown(Watcher):
    """Answers every question, and keeps what the dialog or card says of it."""

    def __init__(self, answer: str, *, until_paused: bool) -> None:
        super().__init__()
        self.answer = answer
        self.until_paused = until_paused
        self.asked: list[tuple[Asking, str]] = []
        self.session: Session | None = None

    def on_record(self, record: Record) -> None:
        super().on_record(record)
        if self.session is not None and isinstance(record.event, Asked):
            question, view = record.event.question, self.view()
            assert question.call is not None
            call = view.call(question.step, question.call)
            assert call is not None
            self.asked.append((asking_of(view, question), window_hit(call, view)))
            self._answer(self.session, question)
        elif self.session is not None and self.until_paused and isinstance(record.event, Paused):
            asyncio.get_running_loop().call_soon(self.session.post, End(why="the target is gone"))

    def _answer(self, session: Session, question: Question) -> None:
        """Again and again: what comes before the question is open does not count."""
        answered = [record.event.question_id for record in self.records if isinstance(record.event, Answered)]
        if question.question_id not in answered:
            dialog, yes = question.surface is Surface.DIALOG, Approve(question_id=question.question_id)
            session.post(Answer(question_id=question.question_id, answer=self.answer) if dialog else yes)
            asyncio.get_running_loop().call_later(0.02, self._answer, session, question)

    def view(self) -> SessionView:
        return fold_all(self.records)


@pytest.fixture
async def run(
    accessible_desktop: AccessibleDesktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Callable[..., Awaitable[Shown]]]:
    """Runs turns on a window, to the end."""
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", accessible_desktop.env["DBUS_SESSION_BUS_ADDRESS"])
    display = accessible_desktop.desktop.name
    async with contextlib.AsyncExitStack() as stack:
        injector = InjectorClient()
        guard = await open_guard(display, injector)
        stack.push_async_callback(guard.close)
        elements = AccessibleElements(AccessibilityOptions(run_folder=tmp_path))
        stack.push_async_callback(elements.close)
        await elements.start()

        async def start(
            app: Application, *turns: Turn, autonomy: Autonomy, answer: str = "yes", until_paused: bool = False
        ) -> Shown:
            spec, shown = f"window:{app.now().xid:#x}", Shown(answer, until_paused=until_paused)
            computer = await open_computer(spec, OwnWindows(), display)
            stack.push_async_callback(computer.close)
            ports = Ports(
                provider=Model(turns), computer=computer, injector=injector, guard=guard, open_journal=Memory,
                elements=elements,
            )  # fmt: skip
            request = SessionRequest(task="write it", target=spec, autonomy=autonomy)
            session = Session(request, ports, options=Options(name="test"), audiences=(shown,))
            shown.session = session
            ended = await session.run()
            assert ended.outcome is (EndedOutcome.FAILED if until_paused else EndedOutcome.FINISHED), ended
            return shown

        yield start


def after_focus_moved(desktop: AccessibleDesktop, other: Application, action: Action) -> Turn:
    """The other window has the focus again by the time that the model answers."""

    async def turn(_seen: Observation) -> Proposal:
        await asyncio.to_thread(desktop.desktop.activate, other.window.xid)
        return does(action)

    return turn


def of(shown: Shown, kind: type) -> list[object]:
    return [record.event for record in shown.records if isinstance(record.event, kind)]


TARGETS = {"editor": editor, "terminal": terminal, "form": form}
WINDOWS = ("note", "delete question", "password prompt", "payment page")
SHORT = {
    ("editor", "note", Autonomy.GUARDED), ("terminal", "delete question", Autonomy.GUARDED),
    ("terminal", "password prompt", Autonomy.STEP), ("form", "payment page", Autonomy.GUARDED),
}  # fmt: skip
"""Each application and each window at least once."""
CASES = [
    pytest.param(*case, marks=() if case in SHORT else pytest.mark.full)
    for case in itertools.product(TARGETS, WINDOWS, (Autonomy.GUARDED, Autonomy.STEP))
]


@pytest.mark.parametrize(("kind", "window", "autonomy"), CASES)
async def test_what_received_the_keys_is_named_and_nothing_of_the_window_that_had_the_focus(
    accessible_desktop: AccessibleDesktop, run: Callable[..., Awaitable[Shown]], tmp_path: Path, kind: str,
    window: str, autonomy: Autonomy,
) -> None:  # fmt: skip
    target = TARGETS[kind](accessible_desktop, tmp_path)
    with foreign(accessible_desktop, window) as other:
        turns = [after_focus_moved(accessible_desktop, other, action) for action in (TEXT, ENTER, target.chord)]
        shown = await run(target.app, *turns, said("done"), autonomy=autonomy)
        await asyncio.to_thread(wait_until, target.received, "all keys")
    performed = of(shown, Performed)
    assert [event.status for event in performed if isinstance(event, Performed)] == [CallStatus.DONE] * 3
    for event in (*of(shown, Decided), *of(shown, Asked), *of(shown, Granted)):
        told = canonical(event).decode()
        assert not [word for word in FOREIGN_WORDS if word in told], told
    names = {"editor": "visitors.txt", "terminal": "Plain terminal", "form": "Chromium"}
    for asking, hit in shown.asked:
        window_named = dict(asking.facts)[AskedFact.WINDOW]
        assert names[kind] in window_named
        assert names[kind] in hit
        assert not [word for word in FOREIGN_WORDS if word in str(asking)]
    asked = [asking.question.assessment.categories for asking, _ in shown.asked if asking.question.assessment]
    if autonomy is Autonomy.STEP:
        assert len(asked) >= 3
    else:
        known = [each for each in asked if set(each) - {Category.UNKNOWN}]
        assert bool(known) == (kind == "terminal")  # Enter submits a command line there
    steps = [item for item in shown.view().items if isinstance(item, Step)]
    last = [event for event in of(shown, Decided) if isinstance(event, Decided)]
    for item in steps:
        assert not [word for word in FOREIGN_WORDS if word in str(entry_of(item))]
    controls = [event.assessment.control for event in last if event.assessment and event.assessment.control]
    assert {names[kind] in control.window for control in controls} == {True}
    if kind != "terminal":
        assert "text field" in {control.role.value for control in controls}


async def test_a_button_that_enter_would_press_in_the_target_is_asked_about_before_the_key(
    accessible_desktop: AccessibleDesktop, run: Callable[..., Awaitable[Shown]]
) -> None:
    command = ["zenity", "--question", "--title", "Photos", "--text", "Delete all photos?", "--ok-label", "Delete"]
    question = launch(accessible_desktop.desktop, command, wm_class="zenity", env=accessible_desktop.env)
    with foreign(accessible_desktop, "note") as other:
        turn = after_focus_moved(accessible_desktop, other, ENTER)
        shown = await run(question, turn, said("done"), autonomy=Autonomy.GUARDED, answer="no")
    [(asking, hit)] = shown.asked
    assert asking.question.surface is Surface.DIALOG
    assert "“Delete” in “Photos”" in asking.question.text
    assert hit == dict(asking.facts)[AskedFact.WINDOW] == "Photos — Zenity"
    assert question.child.running
    assert of(shown, Granted) == []


@pytest.fixture
def two_workspaces(accessible_desktop: AccessibleDesktop) -> Iterator[None]:
    accessible_desktop.desktop.xdo("set_num_desktops", "2")
    yield
    accessible_desktop.desktop.xdo("set_num_desktops", "1")


@pytest.mark.usefixtures("two_workspaces")
@pytest.mark.parametrize(
    "put_away", ["windowminimize {}", pytest.param("set_desktop_for_window {} 1", marks=pytest.mark.full)]
)
async def test_a_target_that_was_put_away_gets_nothing_and_nothing_else_is_named(
    accessible_desktop: AccessibleDesktop, run: Callable[..., Awaitable[Shown]], tmp_path: Path, put_away: str
) -> None:
    target = editor(accessible_desktop, tmp_path)
    desktop, xid = accessible_desktop.desktop, target.app.window.xid
    with foreign(accessible_desktop, "note") as other:

        async def turn(_seen: Observation) -> Proposal:
            await asyncio.to_thread(desktop.xdo, *put_away.format(xid).split())
            await asyncio.to_thread(wait_until, lambda: not desktop.viewable(xid), "the window to be put away")
            await asyncio.to_thread(desktop.activate, other.window.xid)
            return does(TEXT)

        shown = await run(target.app, turn, autonomy=Autonomy.GUARDED, until_paused=True)
    for event in (*of(shown, Decided), *of(shown, Performed)):
        told = canonical(event).decode()
        assert not [word for word in FOREIGN_WORDS if word in told], told
    assert of(shown, Granted) == []
