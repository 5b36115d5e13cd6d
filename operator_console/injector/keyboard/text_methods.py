"""Chooses how a text is typed: by an input method, by pasting it, or key by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from operator_console.domain.grants import Grant
from operator_console.injector.clipboard.paste import ClipboardTypist
from operator_console.injector.input_method.client import InputMethod, InputMethodTypist
from operator_console.injector.input_sender import InputSender
from operator_console.injector.progress import Progress
from operator_console.injector.target_check import TargetCheck

if TYPE_CHECKING:
    from operator_console.injector.keyboard.machine_typist import MachineTypist
    from operator_console.injector.keyboard.typist import Typist


class TextMethods:
    """The three ways to type on one display."""

    def __init__(
        self, sender: InputSender, typist: Typist, target_check: TargetCheck, input_method: InputMethod
    ) -> None:
        self._sender = sender
        self._typist = typist
        self._target_check = target_check
        self._input_method_typist = InputMethodTypist(sender, typist, input_method)
        self._clipboard_typist = ClipboardTypist(sender, typist)

    def type_text(
        self, grant: Grant, text: str, *, window_id: int | None, progress: Progress, recheck: Callable[[], object]
    ) -> None:
        """Type into the focused window. Raises ActionError.

        Args:
            grant: says whether pasting is allowed, and how long to pause between keys.
            text: normalised.
            window_id: the window that has the focus, if it is known.
            progress: counts characters.
            recheck: raises where the focus has moved; called between keys.
        """
        if self._input_method_typist.serves(text):
            self._input_method_typist.type_text(
                text, window_id=window_id, delay_s=grant.typing_delay_s, progress=progress, recheck=recheck
            )
        elif window_id is not None and self._may_paste(grant, window_id):
            self._clipboard_typist.type_text(text, window_id=window_id, progress=progress, recheck=recheck)
        else:
            self._typist.type_text(
                text, window_id=window_id, delay_s=grant.typing_delay_s, progress=progress, recheck=recheck
            )

    def type_in_machine(
        self,
        grant: Grant,
        text: str,
        machine: MachineTypist,
        *,
        window_id: int | None,
        progress: Progress,
        recheck: Callable[[], object],
    ) -> None:
        """As `type_text`, by the keys of a machine that a viewer shows, or by the clipboard that they share."""
        if window_id is not None and machine.pastes(grant, text):
            self._clipboard_typist.paste_into_viewer(
                text, machine, window_id=window_id, progress=progress, recheck=recheck
            )
        else:
            machine.type_text(
                text, window_id=window_id, delay_s=grant.typing_delay_s, progress=progress, recheck=recheck
            )

    def wait_until_read(self) -> None:
        """Wait until the focused window has processed all input so far. Raises Untypable where it does not respond."""
        self._input_method_typist.wait_until_read()

    def release_clipboard(self) -> None:
        """Let the program that was pasted into last read the clipboard's former contents again."""
        self._clipboard_typist.release_clipboard()

    def _may_paste(self, grant: Grant, window_id: int) -> bool:
        """Not in terminals, while a key is held, or if a typing delay is set."""
        if not grant.paste or grant.terminal or grant.typing_delay_s > 0 or self._sender.holds_keys:
            return False
        return self._target_check.pastes(window_id)
