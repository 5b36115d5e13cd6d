"""Two ways to work the app: keys alone, and accessible names alone. Each counts what a person does.

A key with its modifiers counts as one, a text that is typed as one (as a paste), and so does each press of a name.
"""

from __future__ import annotations

from typing import Protocol

from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.rig import Accessible, WindowInfo, wait_until

FURTHEST = 45
"""Presses of Tab: more than the window has places to go to."""
REPLAY_KEYS = {"Step back": "j", "Step forward": "l", "Play": "k", "Pause playback": "k"}


class Hands(Protocol):
    """What both can do; `count` is the number of presses and clicks so far."""

    count: int

    def press(self, name: str, role: str | None = None) -> None:
        """Press what has that name."""

    def write(self, name: str, text: str) -> None:
        """Replace the text of a field."""

    def set_value(self, name: str, value: int) -> None:
        """Set a number."""

    def choose(self, name: str, entry: str) -> None:
        """Choose an entry of a closed list."""

    def pick_row(self, name: str, part: str) -> None:
        """Choose the first row of an open list that holds `part`."""

    def pick(self, entry: str) -> None:
        """Choose an entry of the list that has just opened."""

    def menu(self, entry: str) -> None:
        """Choose an entry of the main menu."""

    def list_keys(self) -> None:
        """Show all keys."""

    def replay(self, control: str) -> None:
        """Use a control of the replay."""

    def scrub_to(self, step: int) -> None:
        """Go to a step of the record."""

    def confirm_key(self) -> None:
        """Check and use the key that was written."""

    def deny(self) -> None:
        """Deny in the safety dialog."""

    def read_to_end(self) -> None:
        """Scroll the safety question's text to its end."""

    def level(self, name: str) -> None:
        """Choose a level of autonomy."""

    def start(self) -> None:
        """Start what is set up."""

    def approve(self) -> None:
        """Approve on the card, once that is possible."""

    def approve_folded(self) -> None:
        """Approve while the bar stands for the window."""

    def open_console(self) -> None:
        """Come back from the bar."""

    def stop(self) -> None:
        """Stop everything."""

    def reset(self) -> None:
        """Reset the stop."""

    def answer(self, choice: str) -> None:
        """Answer a question with a choice."""

    def export(self) -> None:
        """Export the session that is shown, to what the dialog proposes."""


class KeyHands:
    """Keys only, from whatever has the keyboard."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.count = 0

    def key(self, *keys: str) -> None:
        """Press keys, one after the other, each once the one before was handled."""
        self.count += len(keys)
        desktop = self._app.desktop
        for key in keys:
            window = desktop.active_window()
            desktop.xdo("key", key)
            if window:
                desktop.wait_handled(window)

    def type(self, text: str) -> None:
        """Type a text."""
        self.count += 1
        self._app.desktop.xdo("type", text)

    def go_to(self, name: str, role: str | None = None) -> Accessible:
        """Tab to what has that name."""
        app = self._app
        self._come_forward()
        node = app.wait(name, role)
        for _ in range(FURTHEST):
            if "focused" in node.states:
                return node
            self.key("Tab")
            node = app.wait(name, role)
        raise AssertionError(f"Tab does not come to {name}")

    def _come_forward(self) -> None:
        """The agent's click gave the target the keyboard: switch back."""
        desktop = self._app.desktop

        def holder() -> WindowInfo | None:
            """The window that has it; none while one opens or closes."""
            active = desktop.active_window()
            return next((window for window in desktop.windows() if window.xid == active), None)

        has_it = wait_until(holder, "a window to have the keyboard")
        if has_it is None or has_it.pid != self._app.pid:
            self.open_console()

    def press(self, name: str, role: str | None = None) -> None:
        self._app.wait(name, role, enabled=True)
        self.go_to(name, role)
        self.key("space")

    def write(self, name: str, text: str) -> None:
        if self.go_to(name).text:
            self.key("ctrl+a")
        self.type(text)

    def set_value(self, name: str, value: int) -> None:
        self.write(name, str(value))

    def choose(self, name: str, entry: str) -> None:
        if entry in self.go_to(name, "combo box").name:
            return
        self.type(entry[0])  # goes to the next entry that begins so
        wait_until(lambda: entry in self._app.wait(name, "combo box").name, f"{name} to be {entry}", interval_s=0.05)

    def pick_row(self, name: str, part: str) -> None:
        self.go_to(name, "list")
        self.key("Home")  # after pauses of a busy machine, another row than the first may be the current one
        self._down_to("list item", part, "selected")

    def pick(self, entry: str) -> None:
        self.type(entry[0])
        wait_until(lambda: self._chosen("list item", entry, "selected"), f"{entry} to be chosen", interval_s=0.1)
        self.key("Return")

    def menu(self, entry: str) -> None:
        self._come_forward()
        self.key("F10")
        self._app.wait(entry, "menu item")
        self._down_to("menu item", entry, "focused")
        self.key("Return")

    def list_keys(self) -> None:
        self._come_forward()
        self.key("ctrl+question")

    def _down_to(self, role: str, part: str, state: str) -> None:
        def there() -> bool:
            if self._chosen(role, part, state):
                return True
            self.key("Down")
            return False

        wait_until(there, f"a {role} with {part}", interval_s=0.1)

    def _chosen(self, role: str, part: str, state: str) -> list[str]:
        """What is in that state, of all that holds `part`."""
        rows = self._app.tree.find_all(role=role, pid=self._app.pid)
        return [row.name for row in rows if part in row.name and state in row.states]

    def replay(self, control: str) -> None:
        self._app.wait(control, BUTTON)
        self._come_forward()
        self.key(REPLAY_KEYS[control])

    def scrub_to(self, step: int) -> None:
        self.go_to("Place in the record")
        self.key("Home", *["Right"] * step)

    def confirm_key(self) -> None:
        self.key("Return")

    def deny(self) -> None:
        self.key("Escape")

    def read_to_end(self) -> None:
        self.go_to("Full text")
        self.key("ctrl+End")

    def level(self, name: str) -> None:
        levels = ("Observe", "Step", "Guarded", "Auto")
        chosen = next(each for each in levels if self._app.wait(each, "radio button").checked)
        self.go_to(chosen, "radio button")
        steps = levels.index(name) - levels.index(chosen)
        self.key(*["Right" if steps > 0 else "Left"] * abs(steps))

    def start(self) -> None:
        self._come_forward()
        self.key("ctrl+r")

    def approve(self) -> None:
        self._app.wait("Approve", BUTTON, enabled=True)
        self._come_forward()
        self.key("ctrl+Return")

    def approve_folded(self) -> None:
        """In the window: the hotkey counts by a person's device only, which this desktop has not."""
        if self._app.desktop.active_window() == self._app.window.xid:
            self.key("ctrl+Return")
        else:
            self.open_console()

    def open_console(self) -> None:
        """The window manager's Alt+Tab, which the rig's has not."""
        self.count += 1
        desktop, app = self._app.desktop, self._app
        own = [each for each in desktop.windows() if each.pid == app.pid and each.xid != app.window.xid]
        dialog = next((each for each in own if each.title.startswith("Question")), None)
        desktop.activate(dialog.xid if dialog is not None else app.window.xid)

    def stop(self) -> None:
        self.key("ctrl+alt+x")

    def reset(self) -> None:
        word = "Type reset to reset the stop"
        self._app.wait("Reset", BUTTON, enabled=True)
        self.go_to(word)
        self.type("reset")

    def answer(self, choice: str) -> None:
        self._app.wait(choice, BUTTON, enabled=True)
        self.go_to(choice, BUTTON)
        self.key("ctrl+Return")

    def export(self) -> None:
        self.key("ctrl+e")
        self._app.wait("Save", BUTTON, enabled=True)
        self.key("Return")


class NameHands:
    """What a screen reader or a voice control does: actions and values of what has a name."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.count = 0

    def press(self, name: str, role: str | None = None) -> None:
        app = self._app
        self.count += 1
        node = app.wait(name, role, enabled=True)
        app.tree.press(node, "Press" if "Press" in node.actions else None)

    def write(self, name: str, text: str) -> None:
        self.count += 1
        self._app.fill(name, text)

    def set_value(self, name: str, value: int) -> None:
        self.count += 1
        self._app.tree.set_value(self._app.wait(name), value)

    def choose(self, name: str, entry: str) -> None:
        app = self._app
        box = app.wait(name, "combo box")
        if entry in box.name:
            return
        self.count += 2
        app.tree.press(box, "ShowMenu")
        self._toggle(entry, showing=False)  # it may have to be scrolled to
        wait_until(lambda: entry in app.wait(name, "combo box").name, f"{name} to be {entry}", interval_s=0.05)

    def pick_row(self, name: str, part: str) -> None:
        self.count += 1
        self._app.wait(name, "list")
        self._toggle(part, showing=False)  # it may have to be scrolled to

    def pick(self, entry: str) -> None:
        self.count += 1
        self._toggle(entry)

    def menu(self, entry: str) -> None:
        self.press("Menu", BUTTON)
        self.press(entry, "menu item")

    def list_keys(self) -> None:
        self.menu("Keyboard shortcuts")

    def replay(self, control: str) -> None:
        self.press(control, BUTTON)

    def scrub_to(self, step: int) -> None:
        self.set_value("Place in the record", step)

    def _toggle(self, part: str, *, showing: bool = True) -> None:
        app = self._app

        def row() -> Accessible | None:
            rows = app.tree.find_all(role="list item", pid=app.pid, showing=showing)
            return next((row for row in rows if part in row.name and "focusable" in row.states), None)

        found = wait_until(row, f"a row with {part}", interval_s=0.1)
        assert found is not None
        app.tree.press(found, "Toggle")

    def confirm_key(self) -> None:
        self.press("Check and use", BUTTON)

    def deny(self) -> None:
        self.press("Deny", BUTTON)

    def read_to_end(self) -> None:
        self.count += 1
        self._app.tree.set_value(self._app.wait("Scroll the full text", "scroll bar"), 1_000_000)

    def level(self, name: str) -> None:
        self.count += 1
        self._app.tree.press(self._app.wait(name, "radio button"))

    def start(self) -> None:
        self.press("Start", BUTTON)

    def approve(self) -> None:
        self.press("Approve", BUTTON)

    def approve_folded(self) -> None:
        app = self._app
        self.count += 1
        for node in app.tree.find_all("Approve", BUTTON, pid=app.pid):
            if node.enabled:
                app.tree.press(node)

    def open_console(self) -> None:
        self.press("Open console", BUTTON)

    def stop(self) -> None:
        self.press("Stop", BUTTON)

    def reset(self) -> None:
        self.press("Reset", BUTTON)

    def answer(self, choice: str) -> None:
        self.press(choice, BUTTON)

    def export(self) -> None:
        self.press("Export…", BUTTON)
        self.press("Save", BUTTON)
