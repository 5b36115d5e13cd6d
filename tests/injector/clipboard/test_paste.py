"""Where Ctrl+V pastes, and how the answers of the clipboard holder are interpreted. Without a display."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from operator_console.desktop.ledger import Ledger
from operator_console.injector.action_errors import DeliveryUnknown
from operator_console.injector.clipboard.paste import ClipboardTypist, pastes_by_ctrl_v
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.typist import Typist
from operator_console.injector.progress import Progress


@pytest.mark.parametrize(
    ("app", "so"),
    [
        ("Mousepad", True),
        ("Chromium", True),
        ("firefox-esr", True),
        ("libreoffice-writer", True),
        ("python3", True),
        ("", False),
        ("Emacs", False),
        ("Gvim", False),
        ("Virt-manager", False),
        ("VirtualBox Machine", False),
        ("org.remmina.Remmina", False),
        ("Xephyr", False),
        ("Vncviewer", False),
    ],
)
def test_programs_in_which_ctrl_v_does_not_paste_get_keys(app: str, so: bool) -> None:
    assert pastes_by_ctrl_v(app) is so


HAN = "".join(chr(0x4E00 + i) for i in range(100))


class FakeHolder:
    """Replaces sender, typist and holder, which sends only these answers; records the calls in order."""

    def __init__(self, *answers: str, after_withdrawal: tuple[str, ...] = ()) -> None:
        self.calls: list[str] = []
        self._answers = answers
        self._after_withdrawal = after_withdrawal
        self._withdrawn = False

    @property
    def unusable(self) -> bool:
        return "cannot" in self._answers

    def has_answered(self, word: str) -> bool:
        return word in self._answers or (self._withdrawn and word in self._after_withdrawal)

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        return condition()

    def offer(self, text: str) -> None:
        self.calls.append("offer")

    def announce_paste(self) -> None:
        self.calls.append("pressed")

    def wait_until_read(self, window_id: int) -> None: ...

    def wait_for_foreign_keys(self) -> None: ...

    def press_chord(self, keys: tuple[str, ...]) -> None:
        self.calls.append("+".join(keys))

    def withdraw(self) -> None:
        self._withdrawn = True
        self.calls.append("withdraw")


def paste(fake: FakeHolder, ledger: Ledger) -> tuple[bool, int]:
    progress = Progress(ledger=ledger, total=100)
    typist: Any = fake
    clipboard_typist = ClipboardTypist(cast(InputSender, fake), cast(Typist, typist))
    done = clipboard_typist._paste(cast(Any, fake), HAN, 7, progress, lambda: fake.calls.append("check"))
    return done, progress.delivered


ALL = ("owned", "ready", "listed", "asked", "taken", "ended")


def test_nothing_is_pressed_before_the_holder_is_ready(ledger: Ledger) -> None:
    fake = FakeHolder("owned")
    assert paste(fake, ledger) == (False, 0)
    assert fake.calls == ["offer", "pressed"]
    fake = FakeHolder(*ALL)
    assert paste(fake, ledger) == (True, 100)
    assert fake.calls == ["offer", "pressed", "check", "ctrl+v"]


def test_where_the_former_contents_cannot_be_kept_nothing_is_pasted(ledger: Ledger) -> None:
    fake = FakeHolder("cannot")
    assert paste(fake, ledger) == (False, 0)
    assert "ctrl+v" not in fake.calls


def test_what_was_fetched_before_it_was_pasted_is_not_pasted(ledger: Ledger) -> None:
    fake = FakeHolder("owned", "early", "ready")
    assert paste(fake, ledger) == (False, 0)
    assert "ctrl+v" not in fake.calls


def test_keys_follow_only_once_it_is_certain_that_nothing_is_pasted(ledger: Ledger) -> None:
    assert paste(FakeHolder("owned", "ready", after_withdrawal=("withdrawn",)), ledger) == (False, 0)
    assert paste(FakeHolder("owned", "ready", after_withdrawal=("asked", "withdrawn")), ledger) == (True, 100)


@pytest.mark.parametrize("words", [("owned", "ready"), ("owned", "ready", "asked"), ALL[:-1], (*ALL, "late")])
def test_an_uncertain_paste_is_reported(ledger: Ledger, words: tuple[str, ...]) -> None:
    with pytest.raises(DeliveryUnknown):
        paste(FakeHolder(*words), ledger)
