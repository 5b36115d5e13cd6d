"""A field that records a global hotkey by pressing it, and what else uses such a chord."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from operator_console.domain.hotkeys import chord_words
from operator_console.domain.translations import _

_MODIFIERS = (
    (Qt.KeyboardModifier.ControlModifier, "<ctrl>"),
    (Qt.KeyboardModifier.AltModifier, "<alt>"),
    (Qt.KeyboardModifier.ShiftModifier, "<shift>"),
    (Qt.KeyboardModifier.MetaModifier, "<cmd>"),
)
_NAMED: dict[int, str] = {
    Qt.Key.Key_Return.value: "<enter>", Qt.Key.Key_Enter.value: "<enter>", Qt.Key.Key_Space.value: "<space>",
    Qt.Key.Key_Tab.value: "<tab>", Qt.Key.Key_Pause.value: "<pause>", Qt.Key.Key_Insert.value: "<insert>",
    Qt.Key.Key_Delete.value: "<delete>", Qt.Key.Key_Home.value: "<home>", Qt.Key.Key_End.value: "<end>",
    Qt.Key.Key_PageUp.value: "<page_up>", Qt.Key.Key_PageDown.value: "<page_down>", Qt.Key.Key_Up.value: "<up>",
    Qt.Key.Key_Down.value: "<down>", Qt.Key.Key_Left.value: "<left>", Qt.Key.Key_Right.value: "<right>",
    Qt.Key.Key_Escape.value: "<esc>", Qt.Key.Key_Backspace.value: "<backspace>",
}  # fmt: skip
_F1, _F24 = Qt.Key.Key_F1.value, Qt.Key.Key_F24.value


class HotkeyField(QLineEdit):
    """Shows a chord, and takes the next one that is pressed.

    Without a modifier, Tab moves on, Escape cancels the dialog and Backspace puts the default back.

    Signals:
        recorded: carries the chord in pynput's notation.
    """

    recorded = Signal(object)

    def __init__(self, name: str, chord: str, default: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setAccessibleDescription(_("Choose a field and press the keys. Backspace puts the default back."))
        self._default = default
        self.chord = chord
        self.setText(chord_words(chord))

    def set_chord(self, chord: str) -> None:
        """Show a chord."""
        self.chord = chord
        self.setText(chord_words(chord))
        self.recorded.emit(chord)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Record a chord."""
        key, held = event.key(), event.modifiers()
        plain = held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if plain and key == Qt.Key.Key_Backspace:
            self.set_chord(self._default)
        elif plain and key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape):
            super().keyPressEvent(event)
        elif name := _name_of(event):
            self.set_chord("+".join((*(word for flag, word in _MODIFIERS if held & flag), name)))
        else:
            words = "+".join(word.strip("<>").title() for flag, word in _MODIFIERS if held & flag)
            self.setText(f"{words}+…" if words else _("Press keys…"))

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Show the recorded chord again once the modifiers are released."""
        super().keyReleaseEvent(event)
        self.setText(chord_words(self.chord))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show the recorded chord again."""
        super().focusOutEvent(event)
        self.setText(chord_words(self.chord))


def _name_of(event: QKeyEvent) -> str:
    """The key in pynput's notation; "" for a modifier or a key that cannot be used."""
    key = event.key()
    if key in _NAMED:
        return _NAMED[key]
    if _F1 <= key <= _F24:
        return f"<f{key - _F1 + 1}>"
    return chr(key).lower() if 0x21 <= key < 0x7F else ""


def used_elsewhere(chord: str) -> str:
    """What else uses the chord, in a sentence; "" for nothing known. It is a warning: such a chord can be chosen."""
    match chord:
        case "<alt>+<tab>":
            return _("Desktops switch windows with it.")
        case "<alt>+<f4>":
            return _("Desktops close windows with it.")
        case "<alt>+<space>":
            return _("Desktops open the window’s menu with it.")
        case "<ctrl>+<alt>+<delete>":
            return _("Desktops log out or lock the screen with it.")
        case "<ctrl>+<alt>+<backspace>":
            return _("It can end the desktop session.")
        case "<ctrl>+<alt>+l":
            return _("Many desktops lock the screen with it.")
        case "<ctrl>+<alt>+t":
            return _("Many desktops open a terminal with it.")
    *modifiers, key = chord.split("+")
    if modifiers == ["<ctrl>", "<alt>"] and key.startswith("<f") and key[2:-1].isdecimal():
        return _("It switches to a text console.")
    if modifiers in (["<ctrl>"], ["<alt>"]):
        return _("Applications use such keys: it would also be pressed for other reasons, by the agent, too.")
    return ""
