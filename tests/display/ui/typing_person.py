"""A person who types into a note with a real device, and a console that asks meanwhile."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from Xlib import X
from Xlib.display import Display

from tests.display.rig import Desktop, RigError, launch_xterm, wait_until

_ROOT = Path(__file__).resolve().parents[3]
_WORDS = "the quick brown fox jumps over the lazy dog "
TYPING_S = 1.5
"""How long one text takes at least."""


class AskingConsole:
    """The process of asking_main.py."""

    def __init__(self, desktop: Desktop) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.display.ui.asking_main"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env={**desktop.env, "PYTHONPATH": str(_ROOT), "QT_QPA_PLATFORM": "xcb"}, cwd=_ROOT,
        )  # fmt: skip

    def ready(self) -> None:
        """Returns once it can ask."""
        self._expect("ready")

    def do(self, command: str) -> None:
        """Returns once it is done, see asking_main.py."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        self._expect("done")

    def end(self) -> None:
        """Closes it."""
        self._process.communicate(timeout=30)

    def _expect(self, word: str) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == f"{word}\n"


class TypingPerson:
    """Types into a terminal that keeps what it receives.

    Attributes:
        sent: what was typed so far.
    """

    def __init__(self, desktop: Desktop, written: Path) -> None:
        self.desktop, self.sent = desktop, ""
        self._written = written
        self._typing: subprocess.Popen[bytes] | None = None
        keeps = f"stty -icanon -echo; cat > {written}"
        self._note = launch_xterm(desktop, "sh", "-c", keeps, geometry="40x10+600+500")
        wait_until(written.exists, "the note to listen")
        self._display: Any = Display(desktop.name)
        self._display.create_resource_object("window", self._note.window.xid).change_attributes(
            event_mask=X.FocusChangeMask
        )
        self._display.sync()

    @property
    def received(self) -> str:
        """What the note received so far."""
        return self._written.read_text()

    @property
    def typing(self) -> bool:
        """Whether the text is not typed to its end yet."""
        return self._typing is not None and self._typing.poll() is None

    def take_keyboard(self) -> None:
        """Gives the note the keyboard."""
        self.desktop.activate(self._note.window.xid)
        self.focus_left()

    def begin_elsewhere(self, delay_ms: int, text: str) -> None:
        """Types a text into whatever has the keyboard; returns at once."""
        assert self.desktop.human is not None
        command = ["xdotool", "type", "--delay", str(2 * delay_ms), text]
        self._typing = subprocess.Popen(command, env=self.desktop.human.env)

    def typed_to_the_end(self) -> None:
        """Returns once all is typed."""
        assert self._typing is not None
        assert self._typing.wait(60) == 0

    def begin(self, delay_ms: int, *, rest_s: float = 0.0) -> None:
        """Rests, then types for TYPING_S at least; returns once that is under way."""
        assert self.desktop.human is not None
        text = _WORDS * (1 + round(TYPING_S * 1000 / delay_ms / len(_WORDS)))
        before, self.sent = len(self.sent), self.sent + text
        # xdotool waits half of its delay for each key.
        command = ["xdotool", "sleep", str(rest_s), "type", "--delay", str(2 * delay_ms), text]
        self._typing = subprocess.Popen(command, env=self.desktop.human.env)
        wait_until(lambda: len(self.received) > before + 4, "the typing to be under way")

    def end(self) -> None:
        """Returns once all is typed, and the note has it or lost some of it."""
        assert self._typing is not None
        assert self._typing.wait(60) == 0
        with contextlib.suppress(RigError):
            wait_until(lambda: len(self.received) >= len(self.sent), "all keys", timeout_s=5)

    def focus_left(self) -> int:
        """How often the note lost the keyboard since it was last asked."""
        self._display.sync()
        events = [self._display.next_event() for _ in range(self._display.pending_events())]
        return sum(event.type == X.FocusOut and event.mode == X.NotifyNormal for event in events)

    def close(self) -> None:
        """Ends typing and note."""
        if self._typing is not None:
            self._typing.wait(60)
        self._display.close()
        self._note.stop()


@contextmanager
def typing_beside_console(desktop: Desktop, written: Path) -> Iterator[tuple[AskingConsole, TypingPerson]]:
    """A console that can ask, and a person with the keyboard in a note. Needs a nested desktop."""
    console = AskingConsole(desktop)
    try:
        console.ready()
        person = TypingPerson(desktop, written)
        try:
            yield console, person
        finally:
            person.close()
    finally:
        console.end()
