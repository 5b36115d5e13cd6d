"""The real app as a child on a desktop with a screen reader: found and worked by accessible names, read by its files.

What a person does with keyboard, pointer or reader, and what the record says; no product code is imported.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.display.acceptance.harness import MODEL, console_env
from tests.display.acceptance.recorded import read_events
from tests.display.rig import Accessible, AccessibleDesktop, Child, RigError, WindowInfo, wait_until

TITLE = "Operator console"
BUTTON = "push button"
_TITLE_BAR = 20
_TASK = "Do as the script says."


class NamedTwice(AssertionError):
    """Several nodes have a name."""


class App:
    """`python -m operator_console ARGS` with its window up and its set-up ready. `program`: in its place."""

    def __init__(
        self, place: AccessibleDesktop, folder: Path, *args: str, url: str = "", program: str = "operator_console",
        **env: str,
    ) -> None:  # fmt: skip
        self.place, self.tree, self.desktop = place, place.tree, place.desktop
        self._found: dict[tuple[str, str | None], Accessible] = {}
        keys = {"GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": url} if url else {}
        merged = {**console_env(self.desktop), **place.env, **keys, **env}
        merged["PYTHONFAULTHANDLER"] = "1"
        merged["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])
        self.log = folder / f"app-{len(list(folder.glob('app-*.txt')))}.txt"
        args_all = [sys.executable, "-m", program, *args]
        self.child = self.desktop.adopt(Child(args_all, env=merged, log=self.log, cwd=folder))
        self.window: WindowInfo = self.desktop.wait_window(
            title=TITLE, pid=self.child.pid, active=True, still=self.child.checked
        )
        self._fit()
        self.wait("Live preview")

    def _fit(self) -> None:
        """It opened inside the screen, with room for its title bar; from here it stands in the corner."""
        width, height = self.desktop.server.size
        assert self.window.width <= width, self.window
        assert self.window.height <= height - _TITLE_BAR, self.window
        self.window = self.desktop.move_window(self.window.xid, 0, 0)

    @property
    def pid(self) -> int:
        return self.child.pid

    # -- the tree -------------------------------------------------------------------------------------------

    def see(self, name: str, role: str | None = None) -> Accessible | None:
        """The node of that accessible name now (a label that names another does not count), None where none shows."""
        known = self._found.get((name, role))
        if known is not None:
            with contextlib.suppress(RigError):
                now = self.tree.again(known)
                if now.role == known.role and name in (now.name, *now.labelled_by) and "showing" in now.states:
                    return now
        found = self.tree.find_all(name, role, pid=self.pid)
        found = [node for node in found if node.role != "label"] or found
        if len(found) > 1:
            raise NamedTwice(f"{name!r} names {[(node.role, node.name) for node in found]}")
        if found:
            self._found[name, role] = found[0]
        return found[0] if found else None

    def wait(self, name: str, role: str | None = None, *, enabled: bool = False, timeout_s: float = 30.0) -> Accessible:
        """The only node of that accessible name, once it shows (and, on request, can be used)."""
        twice: list[NamedTwice] = []

        def look() -> Accessible | None:
            self.child.checked()
            try:
                node = self.see(name, role)
            except NamedTwice as error:  # the tree is not read in one moment, and may change meanwhile
                twice[:] = [error]
                return None
            twice.clear()
            return node if node is not None and (node.enabled or not enabled) else None

        try:
            found = wait_until(look, f"{role or 'a node'} {name!r}", timeout_s=timeout_s, interval_s=0.15)
        except RigError:
            if twice:
                raise twice[0] from None
            raise
        assert found is not None
        return found

    def texts(self) -> list[str]:
        """Every text that shows."""
        return self.tree.names(self.pid)

    def wait_text(self, part: str, timeout_s: float = 30.0) -> str:
        """The first shown text that holds `part`."""

        def look() -> str:
            self.child.checked()
            return next((text for text in self.texts() if part in text), "")

        return wait_until(look, f"the app to show {part!r}", timeout_s=timeout_s, interval_s=0.1)

    def press(self, name: str, timeout_s: float = 30.0) -> None:
        """Press a button as a reader does, once it can be."""

        def pressed() -> bool:
            node = self.wait(name, BUTTON, enabled=True, timeout_s=timeout_s)
            # A busy application may miss the reader's question once; it is pressed by no such answer.
            with contextlib.suppress(RigError):
                self.tree.press(node)
                return True
            return False

        wait_until(pressed, f"{name} to be pressed", interval_s=0.1)

    def fill(self, name: str, text: str) -> None:
        """Set a line's text."""
        self.tree.set_text(self.wait(name), text)

    def enter(self, name: str, text: str) -> None:
        """Set a line's text and press Return in it."""
        node = self.wait(name)
        self.tree.set_text(node, text)
        self.focus(name)
        self.desktop.xdo("key", "Return")

    def focus(self, name: str, role: str | None = None) -> Accessible:
        """Give a node the keyboard: as a reader does where it offers that, else with Tab."""
        if self.desktop.active_window() != self.window.xid:
            self.desktop.activate(self.window.xid)
        node = self.wait(name, role)
        if "SetFocus" in node.actions:
            self.tree.press(node, "SetFocus")

        def there() -> Accessible | None:
            now = self.wait(name, role)
            if "focused" not in now.states and "SetFocus" not in now.actions:
                self.desktop.xdo("key", "Tab")
                now = self.wait(name, role)
            return now if "focused" in now.states else None

        found = wait_until(there, f"{name} to have the focus", interval_s=0.02)
        assert found is not None
        return found

    def click(self, node: Accessible, *, human: bool = False) -> None:
        """A real pointer's click on a node: XTEST's, or with `human` a device's."""
        hand = self.desktop.human_xdo if human else self.desktop.xdo
        x, y = node.centre
        # From beside: a device that stands there already would not move, whatever the agent's pointer did meanwhile.
        hand("mousemove", str(x + 4), str(y + 4))
        hand("mousemove", str(x), str(y))
        hand("click", "1")

    # -- a session ------------------------------------------------------------------------------------------

    def choose(self, name: str, part: str) -> None:
        """By keyboard: the first entry of a combo box that holds `part`."""
        if part in self.focus(name, "combo box").name:
            return
        self._key("Home")

        def there() -> bool:
            before = self.wait(name, "combo box").name
            if part not in before:
                self._key("Down")
            return part in before

        wait_until(there, f"{name} to be {part}", interval_s=0.05)

    def _key(self, key: str) -> None:
        """Press a key; returns once the window has handled it."""
        self.desktop.xdo("key", key)
        self.desktop.wait_handled(self.window.xid)

    def set_up(self, target: str, *, task: str = _TASK, autonomy: str = "Step", model: str = MODEL) -> None:
        """Target and model by keyboard, task and autonomy by their names."""
        self.wait("Refresh targets", enabled=True)
        self.choose("Target", target)
        self.choose("Model", model)
        self.fill("Task", task)
        self.tree.press(self.wait(autonomy, "radio button"))
        wait_until(lambda: self.wait(autonomy, "radio button").checked, f"{autonomy} to be chosen")

    def start(self, target: str, *, task: str = _TASK, autonomy: str = "Step", model: str = MODEL) -> None:
        """Set up and press Start; returns when the session runs."""
        self.set_up(target, task=task, autonomy=autonomy, model=model)
        self.press("Start")
        self.wait_record("session_started")

    def decide(
        self, button: str, press: Callable[[Accessible], None] | None = None, *, before: int | None = None
    ) -> None:
        """Press Approve, Allow or Deny until a human's decision is recorded, after `before` earlier ones."""
        self.insist(lambda app: (press or app.tree.press)(app.wait(button, BUTTON, enabled=True)), button, before)

    def insist(self, answer: Callable[[App], None], while_enabled: str, before: int | None = None) -> None:
        """Answer, whenever that button can be pressed, until a human's decision is recorded.

        A busy machine's pause may withdraw a question, and a dialog that just closes may still be in the tree.
        """
        earlier = self._decisions() if before is None else before

        def decided() -> bool:
            if self._decisions() > earlier:
                return True
            self.child.checked()
            node = self.see(while_enabled, BUTTON)
            if node is not None and node.enabled:
                with contextlib.suppress(RigError):
                    answer(self)
            return False

        wait_until(decided, f"an answer beside {while_enabled} to be taken", timeout_s=60.0, interval_s=0.5)

    def _decisions(self) -> int:
        return len([event for event in self.records() if event["kind"] == "decided" and event["by"] == "human"])

    # -- the record -----------------------------------------------------------------------------------------

    @property
    def home(self) -> Path:
        return Path(os.environ["OPERATOR_CONSOLE_HOME"])

    def record(self) -> Path | None:
        """The newest session file."""
        found = sorted((self.home / "sessions").glob("*.ocsession"), key=lambda path: path.stat().st_mtime)
        return found[-1] if found else None

    def sessions(self) -> int:
        """How many session files there are."""
        return len(list((self.home / "sessions").glob("*.ocsession")))

    def records(self) -> list[dict[str, Any]]:
        """The newest session's events as they stand in the file."""
        path = self.record()
        return read_events(path) if path is not None else []

    def wait_record(self, kind: str, count: int = 1, timeout_s: float = 40.0, **fields: Any) -> dict[str, Any]:
        """The `count`-th event of a kind with these fields."""

        def look() -> dict[str, Any] | None:
            if not self.child.running:
                raise AssertionError(f"the app ended with {self.child.popen.returncode}:\n{self.child.log_text()}")
            events = [event for event in self.records() if event["kind"] == kind]
            found = [event for event in events if all(event.get(name) == value for name, value in fields.items())]
            if kind == "ended" and len(events) >= count > len(found):
                raise AssertionError(f"ended otherwise: {events[-1]}")
            return found[count - 1] if len(found) >= count else None

        try:
            found = wait_until(look, f"event {count} of {kind} {fields}", timeout_s=timeout_s, interval_s=0.03)
        except RigError as late:
            last = "\n".join(json.dumps(event)[:600] for event in self.records()[-8:])
            raise AssertionError(
                f"{late}\nits last events:\n{last}\nits log:\n{self.child.log_text()[-2000:]}"
            ) from late
        assert found is not None
        return found

    def close(self) -> int:
        """End it as a session manager does; its exit code."""
        self.child.popen.terminate()
        return self.child.popen.wait(30)
