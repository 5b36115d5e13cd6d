"""Types text and presses keys for a machine that a viewer's window shows, where the viewer passes on which key it was.

The machine's own keyboard layout says which key writes what; this display's layout, group and Num Lock do not matter.
Caps Lock does: some viewers pass its state on as well, so that nothing is typed while it is on. The machine's own Caps
Lock no viewer tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from operator_console.desktop.keyboard_layouts import KeyboardLayout, Stroke, keyboard_layout, why_no_layout
from operator_console.domain.frames import VmTarget
from operator_console.domain.grants import Grant
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.viewer_names import Passes
from operator_console.injector.action_errors import Untypable
from operator_console.injector.input_sender import InputSender
from operator_console.injector.progress import Method, Progress

if TYPE_CHECKING:
    from operator_console.injector.keyboard.typist import Typist

_X_OFFSET = 8
"""X's keycodes over Linux's key codes, of the X servers with evdev's names for keys, which all for Linux have."""
_EVENT_S = 0.0125
"""A machine's keyboard has room for a few events only, and what comes while it is full is lost."""


class MachineTypist:
    """For one machine, during one action.

    Args:
        sender: sends the keys.
        typist: knows this display's keyboard.
        target: the viewer's window.
    """

    def __init__(self, sender: InputSender, typist: Typist, target: VmTarget) -> None:
        self._sender = sender
        self._typist = typist
        self._target = target
        self._name = target.layout or typist.layout_name()

    def require(self, grant: Grant, text: str) -> None:
        """Raises Untypable, with the remedy, unless the text can be typed in the machine, or pasted."""
        self._require_no_caps_lock()
        missing = [each for each in dict.fromkeys(text) if not self._layout().strokes(each)]
        if missing and not self.pastes(grant, text):
            characters = " ".join(f"{each} (U+{ord(each):04X})" for each in missing)
            raise Untypable(
                joined(
                    notice(NoticeCode.CHARACTERS_WITHOUT_MACHINE_KEY, layout=self._name, characters=characters),
                    notice(NoticeCode.NAME_LAYOUT_OF_VM, section=f'[machines."vm:{self._target.name}"]'),
                )
            )

    def pastes(self, grant: Grant, text: str) -> bool:
        """Whether a text goes through the clipboard that the viewer shares: it may, and the layout lacks some of it."""
        return grant.paste and not grant.terminal and not all(map(self._layout().strokes, text))

    def type_text(
        self, text: str, *, window_id: int | None, delay_s: float, progress: Progress, recheck: Callable[[], object]
    ) -> None:
        """As `Typist.type_text`, one character at a time. Raises as it does."""
        layout = self._layout()
        pace = self._typist.pace(window_id)
        for character in text:
            self._typist.wait_for_foreign_keys()
            self._require_no_caps_lock()
            recheck()
            strokes = layout.strokes(character)
            # Where AltGr is Alt on this display, it may open a menu of the viewer instead.
            may_open_menu = any(layout.alt_gr in stroke.holding for stroke in strokes)
            for stroke in strokes:
                codes = (*self._holding(stroke), stroke.key + _X_OFFSET)
                self._sender.stroke(codes)
                if stroke is strokes[-1] and not may_open_menu:
                    progress.typed(Method.MAPPED)
                self._sender.wait(2 * len(codes) * _EVENT_S)
            self._sender.wait(delay_s)
            pace.mark()
            pace.wait()
            if may_open_menu:
                recheck()
                progress.typed(Method.MAPPED)
        pace.finish()

    def keycodes(self, keys: Iterable[Key]) -> list[int]:
        """The keycode of each key, by its place in the machine's layout. Raises Untypable."""
        return [self._stroke(key).key + _X_OFFSET for key in keys]

    def press_chord(self, keys: Sequence[Key], *, held_s: float = 0.0) -> None:
        """Press keys, and the modifiers that named characters need, in order and release them in reverse, after
        `held_s`.

        Raises Untypable, ForeignKey, Halted.
        """
        codes: list[int] = []
        own = self.keycodes(keys)
        for key, code in zip(keys, own, strict=True):
            codes += [each for each in self._holding(self._stroke(key)) if each not in {*codes, *own}]
            codes.append(code)
        self._typist.press_together(codes, held_s=held_s)
        self._sender.wait(2 * len(codes) * _EVENT_S)

    def has_key(self, key: Key) -> bool:
        """Whether the machine's keyboard has the key."""
        return self._layout().key(key) is not None

    def _layout(self) -> KeyboardLayout:
        layout = keyboard_layout(self._name)
        if layout is None:
            raise Untypable(why_no_layout(self._name))
        return layout

    def _stroke(self, key: Key) -> Stroke:
        stroke = self._layout().key(key)
        if stroke is None:
            raise Untypable(notice(NoticeCode.NO_SUCH_KEY, key=repr(key)))
        return stroke

    def _holding(self, stroke: Stroke) -> list[int]:
        """What must be pressed for a stroke, besides what is held."""
        held = self._sender.held_keys
        return [code for key in stroke.holding if (code := key + _X_OFFSET) not in held]

    def _require_no_caps_lock(self) -> None:
        if self._typist.has_caps_lock_on():
            raise Untypable(notice(NoticeCode.CAPS_LOCK_IS_ON))


def machine_typist(grant: Grant, sender: InputSender, typist: Typist) -> MachineTypist | None:
    """What types on the target of a grant; None where this display's layout counts."""
    target = grant.target
    if isinstance(target, VmTarget) and target.viewer.passes(target.name) is Passes.POSITIONS:
        return MachineTypist(sender, typist, target)
    return None
