"""Key actions: text, chords, keys held. Makes sure before and between the keys that they go where they are meant.

A click that came before must have arrived, the focus must be the one meant and stay it; else what is left is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Never

from operator_console.desktop.values import Window
from operator_console.domain.actions import Chord, HoldKeys, KeyDown, KeyUp, TypeText
from operator_console.domain.decisions import FocusRule, Grant
from operator_console.domain.keys import Key
from operator_console.injector.clipboard.paste import Pasting
from operator_console.injector.input_method.client import Committing, InputMethod
from operator_console.injector.input_sender import InputSender, Refused
from operator_console.injector.keyboard.typist import Progress, Typist, normalised
from operator_console.injector.pointer import Pointing
from operator_console.injector.target_check import Surroundings

KeyAction = TypeText | Chord | KeyDown | KeyUp | HoldKeys

_FOCUS_S = 1.0
_ALL = (Key("ctrl"), Key("a")), (Key("delete"),)
# Where no key is A, without lending it one. Qt's line edit knows no start and end of a text, only of a line; editors go
# to the first and last word of a line, so what goes further comes second.
_BY_ARROWS = (
    (Key("home"),),
    (Key("ctrl"), Key("home")),
    (Key("shift"), Key("end")),
    (Key("ctrl"), Key("shift"), Key("end")),
    (Key("delete"),),
)


class Keying:
    """Acts with the keyboard on one display."""

    def __init__(
        self,
        sender: InputSender,
        typist: Typist,
        surroundings: Surroundings,
        pointing: Pointing,
        input_method: InputMethod,
    ) -> None:
        self._sender = sender
        self._input_method = input_method
        self._typist = typist
        self._surroundings = surroundings
        self._pointing = pointing
        self._committing = Committing(sender, typist, input_method)
        self._pasting = Pasting(sender, typist)

    def settle(self) -> None:
        """To be called before anything else is done: programs get what a person has copied from here on."""
        self._pasting.settle()

    def perform(self, grant: Grant, action: KeyAction, progress: Progress) -> None:
        """Do it. Raises Refused, Untypable, ForeignModifier, Composing, Lost, Halted, Unsure."""
        if isinstance(action, KeyUp):
            self._perform(grant, action, progress)
            return
        wanted = isinstance(action, TypeText) and self._typist.lacks(normalised(action.text))
        with self._input_method.keys_as_they_are(self._committing.read_so_far, wanted=wanted):
            if isinstance(action, TypeText):
                self._text(grant, action, progress)
            else:
                self._perform(grant, action, progress)

    def _perform(self, grant: Grant, action: Chord | KeyDown | KeyUp | HoldKeys, progress: Progress) -> None:
        keys = action.keys if isinstance(action, Chord | HoldKeys) else (action.key,)
        codes = self._typist.keycodes(keys)
        check = partial(self._surroundings.check_focus, grant, grant.focus or FocusRule())
        if not isinstance(action, KeyUp):
            self._surroundings.check_screen(grant)
            self._pointing.wait_for_presses()
            check()
            self._input_method.before_keys(self._committing.read_so_far)
            self._typist.wait_for_foreign_modifiers()
            self._surroundings.still_focused(check)
        match action:
            case Chord(repeat=repeat):
                progress.total = repeat
                for done in range(repeat):
                    if done:
                        self._surroundings.still_focused(check)
                    self._typist.press_chord(keys)
                    progress.count(done + 1, repeat)
            case KeyDown():
                self._sender.press_key(codes[0])
                progress.count(1, 1)
            case KeyUp():
                self._sender.release_key(codes[0])
                progress.count(1, 1)
            case HoldKeys(duration_s=duration_s):
                progress.total = 1
                with self._pointing.held(codes):
                    self._sender.wait(duration_s)
                progress.count(1, 1)
            case _:
                _never(action)
        self._sender.sync()

    def _text(self, grant: Grant, action: TypeText, progress: Progress) -> None:
        text = normalised(action.text)
        progress.count(0, len(text))
        places = self._pointing.places(grant, action.at)
        if places:
            hit = self._pointing.click_into(grant, places[0])
            self._pointing.wait_for_presses()
            window_id = self._focus_after_click(grant, hit)
            check = partial(self._surroundings.check_clicked, grant, hit)
        else:
            self._surroundings.check_screen(grant)
            self._pointing.wait_for_presses()
            check = partial(self._surroundings.check_focus, grant, grant.focus or FocusRule(), text=True)
            window_id = check()
        self._input_method.before_keys(self._committing.read_so_far)
        still = partial(self._still, check)
        if action.clear:
            for chord in self._clearing(grant):
                still()
                self._typist.press_chord(chord)
        if self._committing.serves(text):
            self._committing.type_text(
                text, window_id=window_id, delay_s=grant.typing_delay_s, progress=progress, still=still
            )
        elif window_id is not None and self._may_paste(grant, window_id):
            self._pasting.type_text(text, window_id=window_id, progress=progress, still=still)
        else:
            self._typist.type_text(
                text, window_id=window_id, delay_s=grant.typing_delay_s, progress=progress, still=still
            )
        if action.submit:
            still()
            self._typist.press_chord((Key("enter"),))

    def _still(self, check: Callable[[], object]) -> None:
        self._input_method.check()
        self._surroundings.still_focused(check)

    def _may_paste(self, grant: Grant, window_id: int) -> bool:
        """With a key held, and at a pace that was set, keys are what is meant."""
        if not grant.paste or grant.terminal or grant.typing_delay_s > 0 or self._sender.holds_keys:
            return False
        return self._surroundings.pastes(window_id)

    def _focus_after_click(self, grant: Grant, hit: Window) -> int | None:
        """The click that came first gives the focus; wait until it has, and refuse if it does not."""
        refusal: list[Refused] = []
        found: list[int | None] = []

        def there() -> bool:
            try:
                found.append(self._surroundings.check_clicked(grant, hit))
            except Refused as refused:
                refusal[:] = [refused]
                return False
            return True

        if not self._sender.wait_for(there, _FOCUS_S):
            raise refusal[0]
        return found[0]

    def _clearing(self, grant: Grant) -> tuple[tuple[Key, ...], ...]:
        if grant.terminal:
            return ((Key("ctrl"), Key("u")),)
        if self._typist.carries(Key("a")):
            return _ALL
        return _BY_ARROWS


def _never(action: Never) -> Never:
    raise AssertionError(action)
