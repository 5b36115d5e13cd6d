"""Key actions: typing text, pressing chords and holding keys.

Before and between the keys it checks that earlier clicks have arrived and that the intended window has the focus; if
not, the rest of the action is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Never

from operator_console.desktop.values import Window
from operator_console.domain.actions import Chord, HoldKeys, KeyDown, KeyUp, TypeText
from operator_console.domain.errors import RejectedReason
from operator_console.domain.grants import FocusRule, Grant
from operator_console.domain.keys import MODIFIERS, Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Refused
from operator_console.injector.action_limits import LOOK_AT_HELD_S
from operator_console.injector.clipboard.paste import ClipboardTypist, pastes_by_ctrl_v
from operator_console.injector.input_method.client import InputMethod, InputMethodTypist
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.clear_field import clearing_chords
from operator_console.injector.keyboard.machine_typist import MachineTypist, machine_typist
from operator_console.injector.keyboard.text_runs import normalised
from operator_console.injector.pointer import PointerActions
from operator_console.injector.progress import Progress
from operator_console.injector.target_check import TargetCheck

if TYPE_CHECKING:
    from operator_console.injector.keyboard.typist import Typist


KeyAction = TypeText | Chord | KeyDown | KeyUp | HoldKeys

_FOCUS_TIMEOUT_S = 1.0
_SWITCHING = frozenset(map(Key, ("alt", "super", "super_r")))
"""Held with another key, they may switch windows, which is their purpose."""


@dataclass(frozen=True, slots=True)
class _Held:
    """Where keys were pressed that are held: the focus check that passed, and the window that it found."""

    check: Callable[[], int | None]
    window_id: int | None


class KeyActions:
    """Performs key actions on one display."""

    def __init__(
        self,
        sender: InputSender,
        typist: Typist,
        target_check: TargetCheck,
        pointer_actions: PointerActions,
        input_method: InputMethod,
    ) -> None:
        self._sender = sender
        self._input_method = input_method
        self._typist = typist
        self._target_check = target_check
        self._pointer_actions = pointer_actions
        self._committer = InputMethodTypist(sender, typist, input_method)
        self._paster = ClipboardTypist(sender, typist)
        self._held: _Held | None = None
        self._let_go = False

    def release_clipboard(self) -> None:
        """Before any action: let the program that was pasted into last read the clipboard's former contents again."""
        self._paster.release_clipboard()

    def look_at_held(self) -> None:
        """Release the held keys if the focus has moved since the last of them was pressed."""
        if self._held is None:
            return
        if not self._sender.holds_keys:
            self._held = None
        elif not self._is_where_pressed(self._held):
            self._held, self._let_go = None, True
            for code in reversed(self._sender.held_keys):
                self._sender.release_key(code)
            self._sender.sync()

    def _is_where_pressed(self, held: _Held) -> bool:
        try:
            return self._target_check.focus_unchanged() or held.check() == held.window_id
        except Refused:
            return False

    def _release(self, code: int) -> None:
        """Raises Refused if the key was released before."""
        let_go, self._let_go = self._let_go, False
        self._sender.release_key(code)
        if let_go:
            raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.HELD_KEYS_RELEASED))

    def _hold(self, duration_s: float, held: _Held | None) -> None:
        """Wait, and look at the focus meanwhile; None: it may move. Raises Refused when it moves."""
        until_s = time.monotonic() + duration_s
        while (left_s := until_s - time.monotonic()) > 0:
            self._sender.wait(min(left_s, LOOK_AT_HELD_S))
            if held is not None and not self._is_where_pressed(held):
                raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.HELD_KEYS_RELEASED))

    def perform(self, grant: Grant, action: KeyAction, progress: Progress) -> None:
        """Perform the action. Raises ActionError."""
        if isinstance(action, KeyUp):
            self._press(grant, action, progress)
            return
        machine = machine_typist(grant, self._sender, self._typist)
        needs_input_method = (
            machine is None and isinstance(action, TypeText) and self._typist.lacks_key_for(normalised(action.text))
        )
        with self._input_method.uncomposed_keys(self._committer.wait_until_read, required=needs_input_method):
            if isinstance(action, TypeText):
                self._type_text(grant, action, progress, machine)
            else:
                self._press(grant, action, progress)

    def _press(self, grant: Grant, action: Chord | KeyDown | KeyUp | HoldKeys, progress: Progress) -> None:
        keys = action.keys if isinstance(action, Chord | HoldKeys) else (action.key,)
        typist = machine_typist(grant, self._sender, self._typist) or self._typist
        codes = typist.keycodes(keys)
        check = partial(self._target_check.check_focus, grant, grant.focus or FocusRule())
        window_id = None
        if not isinstance(action, KeyUp):
            self._target_check.check_screen(grant)
            self._pointer_actions.wait_for_presses()
            window_id = check()
            self._input_method.check_composition(self._committer.wait_until_read)
            self._typist.wait_for_foreign_keys(codes)
            self._target_check.recheck_focus(check)
        match action:
            case Chord(repeat=repeat):
                progress.total = repeat
                pace = self._typist.pace(window_id)
                for done in range(repeat):
                    if done:
                        pace.wait()
                        self._target_check.recheck_focus(check)
                    typist.press_chord(keys, held_s=grant.press_time_s)
                    if done + 1 < repeat:
                        pace.mark()
                    progress.count(done + 1, repeat)
            case KeyDown(key=key):
                self._sender.press_key(codes[0])
                self._let_go = False
                if key not in MODIFIERS:
                    self._held = _Held(check=check, window_id=window_id)
                progress.count(1, 1)
            case KeyUp():
                self._release(codes[0])
                progress.count(1, 1)
            case HoldKeys(duration_s=duration_s):
                progress.total = 1
                with self._pointer_actions.held(codes):
                    switches = not _SWITCHING.isdisjoint(keys)
                    self._hold(duration_s, None if switches else _Held(check=check, window_id=window_id))
                progress.count(1, 1)
            case _:
                _never(action)
        self._sender.sync()

    def _type_text(self, grant: Grant, action: TypeText, progress: Progress, machine: MachineTypist | None) -> None:
        text = normalised(action.text)
        progress.count(0, len(text))
        if machine is not None:
            machine.require(grant, text)
        typist = machine or self._typist
        places = self._pointer_actions.places(grant, action.at)
        if places:
            hit = self._pointer_actions.click_into(grant, places[0])
            self._pointer_actions.wait_for_presses()
            window_id = self._focus_after_click(grant, hit)
            check = partial(self._target_check.check_clicked, grant, hit)
        else:
            self._target_check.check_screen(grant)
            self._pointer_actions.wait_for_presses()
            check = partial(self._target_check.check_focus, grant, grant.focus or FocusRule(), text=True)
            window_id = check()
        self._input_method.check_composition(self._committer.wait_until_read)
        recheck = partial(self._recheck, check)
        if action.clear:
            for chord in clearing_chords(terminal=grant.terminal, has_a=typist.has_key(Key("a"))):
                recheck()
                typist.press_chord(chord)
        self._write(grant, text, machine, window_id=window_id, progress=progress, recheck=recheck)
        if action.submit:
            recheck()
            typist.press_chord((Key("enter"),))

    def _write(
        self, grant: Grant, text: str, machine: MachineTypist | None, *, window_id: int | None, progress: Progress,
        recheck: Callable[[], object],
    ) -> None:  # fmt: skip
        """Type into the focused window by pasting, by the input method, or key by key."""
        if machine is not None and window_id is not None and machine.pastes(grant, text):
            self._paster.paste_into_viewer(text, machine, window_id=window_id, progress=progress, recheck=recheck)
            return
        by_keys: MachineTypist | InputMethodTypist | Typist = machine or self._typist
        if machine is None and self._committer.serves(text):
            by_keys = self._committer
        elif machine is None and window_id is not None and self._may_paste(grant, window_id):
            self._paster.type_text(text, window_id=window_id, progress=progress, recheck=recheck)
            return
        by_keys.type_text(text, window_id=window_id, delay_s=grant.typing_delay_s, progress=progress, recheck=recheck)

    def _may_paste(self, grant: Grant, window_id: int) -> bool:
        """Not in terminals, while a key is held, or if a typing delay is set."""
        if not grant.paste or grant.terminal or grant.typing_delay_s > 0 or self._sender.holds_keys:
            return False
        return pastes_by_ctrl_v(self._target_check.program(window_id))

    def _recheck(self, check: Callable[[], object]) -> None:
        self._input_method.check()
        self._target_check.recheck_focus(check)

    def _focus_after_click(self, grant: Grant, hit: Window) -> int | None:
        """Wait until the click has focused its window; returns the focused window. Raises Refused if it does not."""
        refusal: list[Refused] = []
        found: list[int | None] = []

        def has_focus() -> bool:
            try:
                found.append(self._target_check.check_clicked(grant, hit))
            except Refused as refused:
                refusal[:] = [refused]
                return False
            return True

        if not self._sender.wait_for(has_focus, _FOCUS_TIMEOUT_S):
            raise refusal[0]
        return found[0]


def _never(action: Never) -> Never:
    raise AssertionError(action)
