"""A person's way through the whole app, worked by `Hands`: what once went wrong for a newcomer, in one go.

One app, a practice desktop, two windows and a server that speaks for the model. What is checked is read from the
window and from the records.
"""

from __future__ import annotations

from pathlib import Path

from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.hands import Hands, KeyHands, NameHands
from tests.display.acceptance.harness import final, grid, insistent, turn
from tests.display.rig import AccessibleDesktop, wait_until
from tests.servers.gemini_server import GeminiServerThread

SIZE = (400, 300)
FIRST, SECOND, THIRD = (150, 160), (350, 250), (90, 200)
MOVED = 222
FLAG = {"decision": "require_confirmation", "explanation": "This sends something."}
LONG = "Read this to its end. " * 220
HUGE = "x" * 1_000_000
LEAVES = "every picture of the target"
NOTE = "I pressed a key myself."
TURNS = (
    turn(("click", {"x": 500, "y": 500})),  # of the check of the key, in which nothing is carried out
    final("The key works."),
    final("Looked at."),
    turn(("click", grid(FIRST, SIZE))),
    turn(("click", grid(SECOND, SIZE))),
    turn(("type", {"text": LONG, "safety_decision": FLAG})),
    turn(("type", {"text": HUGE})),
    turn(("click", grid(THIRD, SIZE))),
    final("All is done."),
)
MOST = {
    "to the first approved practice step": 6,
    "from the first start to a session with a key": 12,
    "from a stop to going on": 3,
    "from a stop to a runbook's interrupted line": 4,
    "from a finished session to its page": 3,
}
"""Presses and clicks that a story may take; a text that is typed counts as one."""


def tell_the_first_minutes(
    place: AccessibleDesktop, folder: Path, hands: type[KeyHands] | type[NameHands]
) -> dict[str, int]:
    """Practice, a stop, and going on; returns the presses and clicks of each story, which are few enough."""
    app = App(place, folder, **_documents(folder))
    first = Stories(app, hands(app), EventWindow(place.desktop))
    first.practise()
    first.stop_and_go_on()
    first.choose_where_to_go_on()
    assert app.close() == 0
    first.window.application.stop()
    assert all(count <= MOST[story] for story, count in first.counts.items()), first.counts
    return first.counts


def tell(place: AccessibleDesktop, folder: Path, hands: type[KeyHands] | type[NameHands]) -> None:
    """All stories, the counted ones with at most so many presses and clicks."""
    counts = tell_the_first_minutes(place, folder, hands)
    window, env = EventWindow(place.desktop), _documents(folder)
    with GeminiServerThread(insistent(*TURNS, first_again=False), api_key="test-key") as server:
        # What is sent to another machine leaves this one; here it comes no further than its proxy.
        app = App(place, folder, GOOGLE_GEMINI_BASE_URL="http://models.invalid", HTTP_PROXY=server.url, **env)
        rest = Stories(app, hands(app), window)
        rest.use_a_model()
        rest.find_again_what_leaves()
        rest.begin_steps()
        rest.edit()
        rest.take_over_and_hand_back()
        rest.deny_after_reading()
        rest.skip_a_huge_text()
        rest.approve_from_the_bar()
        assert NOTE in str(server.received[-1].body)
        rest.export(folder / "documents")
        rest.inspect()
        rest.replay()
        rest.mend_a_runbook()
        rest.lose_the_target()
        rest.look_up_a_key()
        assert server.violations == []
        assert app.close() == 0
    counts |= rest.counts
    assert counts.keys() == MOST.keys()
    assert all(counts[story] <= most for story, most in MOST.items()), counts


def _documents(folder: Path) -> dict[str, str]:
    """What tells an app where its person's home is."""
    home = folder / "documents"
    home.mkdir(exist_ok=True)
    return {"XDG_DOCUMENTS_DIR": str(home), "HOME": str(home)}


class Stories:
    """Each method is a story; they follow one another."""

    def __init__(self, app: App, hands: Hands, window: EventWindow) -> None:
        self.app, self.hands, self.window = app, hands, window
        self.counts: dict[str, int] = {}

    # the first minutes

    def practise(self) -> None:
        """From the first start to the first approved step; the practice window covers nothing."""
        app, hands = self.app, self.hands
        app.wait("Start page")
        app.wait("Refresh targets", enabled=True)
        hands.press("Practice", BUTTON)
        app.wait_text("Practice is ready")
        hands.start()
        self._approve()
        self.counts["to the first approved practice step"] = hands.count

    def stop_and_go_on(self) -> None:
        """Stop, read the receipt, reset, and go on with the same task in the same record."""
        app, hands = self.app, self.hands
        app.wait("Approve", BUTTON, enabled=True)
        hands.stop()
        app.wait_record("stopped")
        app.wait_text("Stop receipt")
        assert app.wait("Start", BUTTON).description.startswith("Reset the stop first")
        record, before = app.record(), hands.count
        hands.reset()
        app.wait("Continue", BUTTON, enabled=True)
        hands.press("Continue", BUTTON)
        app.wait_record("session_started", resumed=True)
        self.counts["from a stop to going on"] = hands.count - before
        assert app.record() == record

    def choose_where_to_go_on(self) -> None:
        """A question with choices: told apart by number and words, and answered by one of them."""
        app, hands = self.app, self.hands
        app.wait_text("Continue from:")
        choice = "3 · Line 5: type “Kitchen” into text field “Room”"
        app.wait(choice, BUTTON, enabled=True)
        before = hands.count
        wait_until(lambda: "focused" in app.wait(choice, BUTTON).states, "the interrupted line to have the keyboard")
        hands.answer(choice)
        app.wait_record("answered", answer="2")
        going_on = self.counts["from a stop to going on"] + hands.count - before
        self.counts["from a stop to a runbook's interrupted line"] = going_on
        app.wait_text("Type “Kitchen”")
        self._approve()
        hands.stop()
        app.wait_record("stopped", 2)
        hands.reset()
        app.wait("Continue", BUTTON, enabled=True)

    def use_a_model(self) -> None:
        """From the first start to a session with a key; what leaves the machine is read before it."""
        app, hands = self.app, self.hands
        app.wait("Start page")
        app.wait("Refresh targets", enabled=True)
        known = app.record()
        hands.press("Enter a key…", BUTTON)
        wait_until(lambda: "focused" in app.wait("Key").states, "the field of the key to have the keyboard")
        hands.write("Key", "test-key")
        hands.confirm_key()
        hands.press("Close", BUTTON)
        hands.press("Write a task", BUTTON)
        hands.write("Task", "Look at it.")
        hands.start()
        app.wait_text("Read this once before the first session")
        assert app.record() == known
        hands.press("Start the session", BUTTON)
        wait_until(lambda: app.record() != known, "a record")
        app.wait_record("session_started")
        self.counts["from the first start to a session with a key"] = hands.count
        app.wait_record("ended", outcome="finished")

    def find_again_what_leaves(self) -> None:
        """Once it was read, it is found below the model."""
        app, hands = self.app, self.hands
        hands.press("Session setup")
        assert not [text for text in app.texts() if LEAVES in text]
        hands.press("What leaves this machine")
        app.wait_text(LEAVES)

    # a session, each action asked

    def begin_steps(self) -> None:
        """A session on a window."""
        app, hands = self.app, self.hands
        known = app.record()
        hands.choose("Target", "Event window")
        self._autonomy("Step")
        hands.write("Task", "Do as the script says.")
        hands.start()
        wait_until(lambda: app.record() != known, "a record of its own")

    def edit(self) -> None:
        """An edit is cancelled; another one is what the card shows, and what is done."""
        app, hands = self.app, self.hands
        app.wait("Approve", BUTTON, enabled=True)
        hands.press("Edit", BUTTON)
        hands.set_value("X", 11)
        app.wait_text("Edited")
        hands.press("Cancel edit", BUTTON)
        wait_until(lambda: app.see("X") is None, "the fields to go")
        hands.press("Edit", BUTTON)
        assert app.wait("X").value == FIRST[0]
        hands.set_value("X", MOVED)
        app.wait_text(f"at {MOVED}, {FIRST[1]}")
        assert app.wait("Approve", BUTTON).description == "Approve edited"
        self._approve()
        app.wait_record("decided", decision="modify", by="human")
        self._presses((MOVED, FIRST[1]))

    def take_over_and_hand_back(self) -> None:
        """The person gets the target and gives it back with a note; the action that waited is dropped."""
        app, hands = self.app, self.hands
        app.wait("Approve", BUTTON, enabled=True)
        hands.press("Take over", BUTTON)
        app.wait_record("handed_over")
        app.wait("Hand back", BUTTON, enabled=True)
        wait_until(lambda: not app.desktop.viewable(app.window.xid), "the console to fold")
        wait_until(lambda: app.desktop.active_window() == self.window.xid, "the target to come forward")
        seen, keys = len(app.records()), len(self.window.plain_keys())
        app.desktop.xdo("key", "a")
        wait_until(lambda: len(self.window.plain_keys()) > keys, "the person's own key")
        hands.open_console()
        wait_until(lambda: app.see("Operator console bar") is None, "the bar to go")
        hands.write("Message", NOTE)
        assert [event for event in app.records()[seen:] if event["kind"] != "warned"] == []
        hands.press("Hand back", BUTTON)
        app.wait_record("handed_back", note=NOTE)
        self._presses((MOVED, FIRST[1]))

    def deny_after_reading(self) -> None:
        """A safety question with a long text: Allow opens at its end; it is denied."""
        app, hands = self.app, self.hands
        app.wait("Deny", BUTTON)
        text = (app.wait("Full text").text or "").replace("\n", "")
        assert text.count("Read this to its end.") == 220
        app.wait_text("when you have read to the end")
        hands.read_to_end()
        app.wait("Allow", BUTTON, enabled=True)
        app.insist(lambda _: hands.deny(), "Deny")
        app.wait_record("answered", answer="declined", by="human")

    def skip_a_huge_text(self) -> None:
        """A million characters to type leave the session usable."""
        app = self.app
        app.wait("Approve", BUTTON, enabled=True)
        app.insist(lambda _: self._skip(), "Skip")
        app.wait_record("decided", decision="skip", by="human")

    def approve_from_the_bar(self) -> None:
        """The bar of the folded console says what would be done."""
        app, hands = self.app, self.hands
        app.wait("Approve", BUTTON, enabled=True)
        hands.press("Fold away", BUTTON)
        app.wait("Operator console bar")
        app.wait_text(f"at {THIRD[0]}, {THIRD[1]}")
        wait_until(self._approved_in_bar, "an approval in the bar", timeout_s=40, interval_s=0.5)
        self._presses((MOVED, FIRST[1]), THIRD)
        app.wait_record("ended", outcome="finished")
        hands.open_console()
        app.wait("Timeline", "list")

    def export(self, folder: Path) -> None:
        """From the finished session to its page."""
        app, hands = self.app, self.hands
        app.wait("Export…", BUTTON)
        before = hands.count
        hands.export()
        app.wait_text("Exported")
        self.counts["from a finished session to its page"] = hands.count - before
        (page,) = folder.rglob("*.html")
        text = page.read_text(encoding="utf-8")
        assert "All is done." in text
        assert "Do as the script says." in text

    def inspect(self) -> None:
        """A step of the timeline opens in the inspector, and closes."""
        app, hands = self.app, self.hands
        hands.pick_row("Timeline", f"Click at {MOVED}, {FIRST[1]}")
        app.wait("Close inspector", BUTTON)
        hands.press("Close inspector", BUTTON)
        wait_until(lambda: app.see("Close inspector") is None, "the inspector to close")

    # a record

    def replay(self) -> None:
        """The session is opened from the library and gone through by steps; later ones stay listed."""
        app, hands = self.app, self.hands
        hands.menu("Sessions…")
        hands.press("Open", BUTTON)
        app.wait_text("Reading a record")
        steps = round(app.wait("Place in the record").value or 0)
        hands.replay("Step back")
        app.wait_text(f"Step {steps - 1} of {steps}")
        hands.replay("Step forward")
        app.wait_text(f"Step {steps} of {steps}")
        hands.scrub_to(steps // 2)
        app.wait_text(f"Step {steps // 2} of {steps}")
        app.wait_text("All is done.")
        hands.replay("Play")
        hands.replay("Pause playback")
        app.wait("Play", BUTTON)
        hands.press("Close record", BUTTON)
        wait_until(lambda: app.see("Close record") is None, "the record to be closed")

    # a runbook, and its target

    def mend_a_runbook(self) -> None:
        """A mistake is told by line and column while one writes, and nothing starts; corrected, it does."""
        app, hands = self.app, self.hands
        known = app.sessions()
        hands.choose("Model", "Runbook")
        hands.write("Task", wrong := "pres Enter")
        mistake = app.wait_text("line 1, column 1")
        hands.start()
        wait_until(lambda: app.tree.selection(app.wait("Task")) == (0, len(wrong)), "its line to be selected")
        app.wait("Start", BUTTON, enabled=True)
        hands.write("Task", "press Enter")
        wait_until(lambda: mistake not in app.texts(), "the mistake to go")
        hands.start()
        app.wait("Approve", BUTTON, enabled=True)
        assert app.sessions() == known + 1

    def lose_the_target(self) -> None:
        """A target that closes ends its session by one button, stays chosen as closed, and another one is chosen."""
        app, hands = self.app, self.hands
        self.window.application.stop()
        app.wait_text("Nothing more can be approved")
        assert not app.wait("Approve", BUTTON).enabled
        wait_until(self._ended, "the session to end", interval_s=0.5)
        app.wait_record("ended", outcome="failed")
        other, known = EventWindow(app.desktop, title="Other window"), app.sessions()
        hands.start()
        app.wait_text("The target is closed. Choose another one first.")
        assert app.sessions() == known
        hands.press("Choose another", BUTTON)
        hands.pick("Other window")
        wait_until(lambda: "Other window" in app.wait("Target", "combo box").name, "it to be chosen")
        hands.start()
        wait_until(lambda: app.sessions() > known, "a record of its own")
        self._approve()
        app.wait_record("ended", outcome="finished")
        # The keys of an approval may be released there, and a second Ctrl+Enter may come: a busy machine repeats it.
        sent = other.plain_keys()
        first = sent.index(("Press", "Return"))
        assert set(sent[:first]) <= {("Release", "Return")}, sent
        assert sent[first:] == [("Press", "Return"), ("Release", "Return")], sent

    def look_up_a_key(self) -> None:
        """All keys are shown, those of the replay too."""
        app, hands = self.app, self.hands
        hands.list_keys()
        app.wait_text("Play, or pause: K or Space")
        hands.press("Close", BUTTON)
        wait_until(lambda: app.see("Close", BUTTON) is None, "the keys to be closed")

    # helpers

    def _approve(self) -> None:
        self.app.insist(lambda _: self.hands.approve(), "Approve")

    def _approved_in_bar(self) -> bool:
        """The card of the folded window stays in the tree, with its button off."""
        app = self.app
        if any(node.enabled for node in app.tree.find_all("Approve", BUTTON, pid=app.pid)):
            self.hands.approve_folded()
        return any(event["kind"] == "granted" for event in app.records()[-3:])

    def _ended(self) -> bool:
        """A busy machine's pause looks at the target too, and may end the session first."""
        if self.app.see("End the session", BUTTON) is not None:
            self.hands.press("End the session", BUTTON)
        return bool(self.app.records()[-1]["kind"] == "ended")

    def _skip(self) -> None:
        self.hands.press("Skip", BUTTON)
        self.hands.press("Skip without note", BUTTON)

    def _autonomy(self, level: str) -> None:
        self.hands.level(level)
        wait_until(lambda: self.app.wait(level, "radio button").checked, f"{level} to be chosen")

    def _presses(self, *points: tuple[int, int]) -> None:
        """The window was pressed there, and nowhere else."""

        def pressed() -> list[tuple[int, int]]:
            return [(event.x, event.y) for event in self.window.buttons() if event.kind == "Press"]

        wait_until(lambda: pressed() == list(points), f"presses at {points}")
