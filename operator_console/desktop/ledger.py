"""The ledger: memory shared by guard and injector, with what the agent holds down and whether it may continue.

The injector writes an entry *before* each press, motion and remapping, and clears it after the release. So the guard,
or the next start (the memory is a file), can undo what a killed injector has left. Where another process undoes that,
the memory is no file, and its keys may be of another numbering, up to 255. The guard writes whether the injector may
continue; the injector reads that between primitives.

Each field is one aligned 64-bit word, so a reader never sees half a value. Each word has one writer.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from enum import IntEnum, IntFlag
from pathlib import Path

from operator_console.private_files import open_private

_MAGIC = 0x6F63_6C65_6467_0001
_WORDS, _METHODS, _KEYSYMS = 64, 8, 12
SIZE_BYTES = _WORDS * 8
_SIGN = 1 << 31
_LOW = (1 << 32) - 1


class Gate(IntFlag):
    """Why the gate is closed; 0 means open."""

    OPEN = 0
    HELD = 1  # by the operator, a question, or the pause chord; cleared by set_gate
    LEASE = 2  # the session's event loop does not answer
    NOT_LIVE = 4  # a stop would not be noticed
    STOPPED = 8  # latched
    IDLE = 16  # not armed
    LET_GO = 32  # hold-to-run: neither the key nor the button is held


class Word(IntEnum):
    """The index of each field. Comments name the writer."""

    MAGIC = 0
    EPOCH = 1  # guard
    GATE = 2  # guard
    BEAT_NS = 3  # guard: last iteration of its event loop
    LEASE_NS = 4  # guard: last correct answer of the session's event loop
    HEARD_NS = 5  # guard: it had received all events up to then
    PROBE_KEYCODE = 6  # guard: must not be borrowed
    PACED = 7  # guard: 1 if it listens on the display that is acted on
    LAST_EVENT_NS = 8  # injector: last press or motion
    EVENTS = 9  # injector: presses and motions so far
    IN_PRIMITIVE = 10  # injector: 1 between the gate check and the end of a primitive
    CORNER = 11  # injector: the corner to which it moves on purpose
    CORNER_COUNT = 12  # injector
    CORNER_SEEN = 19  # guard: the last count whose motion has arrived
    BUTTONS = 13  # injector: bit n: button n is down
    INJECTOR_PID = 14  # injector
    MARK_1 = 15  # injector: windows of its connections; gone once the server has processed all its requests
    MARK_2 = 16
    MARK_3 = 20
    DELIVERED = 17  # injector: of the current action
    TOTAL = 18
    KEYS = 24  # injector: 4 words, bit n: keycode n is down
    BORROWED = 28  # injector: 4 words, bit n: keycode n is borrowed
    SENT = 32  # injector: 4 words, bit n: keycode n was pressed, its release is not confirmed
    TYPED = 36  # injector: 8 words, characters of the current action typed by each method
    KEYSYMS = 44  # injector: 12 words, each a keysym that is down on a machine over VNC, or 0
    POINTER = 56  # injector: where the pointer was last sent on such a machine, x in the upper half


class Ledger:
    """A view of the shared words."""

    def __init__(self, fd: int, *, fresh: bool = False) -> None:
        if (missing := SIZE_BYTES - os.fstat(fd).st_size) > 0:
            # Written, not only made longer: where the disk is full, using mapped memory without room is a SIGBUS.
            os.lseek(fd, 0, os.SEEK_END)
            os.write(fd, bytes(missing))
        self._map = mmap.mmap(fd, SIZE_BYTES)
        self._bytes = memoryview(self._map)
        self._words = self._bytes.cast("Q")
        if fresh or self._words[Word.MAGIC] != _MAGIC:
            self._bytes[:] = bytes(SIZE_BYTES)
            self._words[Word.MAGIC] = _MAGIC

    @classmethod
    def open_file(cls, path: Path) -> tuple[Ledger, int]:
        """Open or create the file (0600), keeping its contents. Returns the ledger and the file descriptor.

        Raises OSError: there is no room on the disk, or the file cannot be opened.
        """
        fd = open_private(path, os.O_RDWR | os.O_CREAT)
        try:
            return cls(fd), fd
        except BaseException:
            os.close(fd)
            raise

    @classmethod
    def in_memory(cls) -> tuple[Ledger, int]:
        """An empty ledger without a file: nobody finds it once its processes are dead."""
        fd = os.memfd_create("ledger")
        return cls(fd), fd

    def close(self) -> None:
        """Unmap the memory."""
        self._words.release()
        self._bytes.release()
        self._map.close()

    def get(self, word: Word) -> int:
        """Read a field."""
        return self._words[word]

    def set(self, word: Word, value: int) -> None:
        """Write a field."""
        self._words[word] = value

    @property
    def typed(self) -> tuple[int, ...]:
        """The number of characters of the current action typed by each method."""
        return tuple(self._words[Word.TYPED : Word.TYPED + _METHODS])

    def set_typed(self, method: int, characters: int) -> None:
        """Set it for the method with this number."""
        if not 0 <= method < _METHODS:
            raise ValueError(method)
        self._words[Word.TYPED + method] = characters

    @property
    def gate(self) -> Gate:
        """Why the injector must not continue."""
        return Gate(self._words[Word.GATE])

    @gate.setter
    def gate(self, value: Gate) -> None:
        self._words[Word.GATE] = int(value)

    @property
    def announced(self) -> tuple[int, int]:
        """The last announced corner, in input units."""
        packed = self._words[Word.CORNER]
        return (packed >> 32) - _SIGN, (packed & _LOW) - _SIGN

    def announce(self, x: int, y: int) -> int:
        """Announce that the next motion goes to this corner; the number of the announcement."""
        self._words[Word.CORNER] = ((x + _SIGN) << 32) | (y + _SIGN)
        self._words[Word.CORNER_COUNT] += 1
        return self._words[Word.CORNER_COUNT]

    def mark_key(self, keycode: int, down: bool) -> None:
        """Set or clear a held key."""
        self._mark(Word.KEYS, keycode, down)

    def mark_keysym(self, keysym: int, down: bool) -> bool:
        """Set or clear a key that is held on a machine over VNC; False where there is no room for another one."""
        words = self._words[Word.KEYSYMS : Word.KEYSYMS + _KEYSYMS].tolist()
        wanted, value = (0, keysym) if down else (keysym, 0)
        if down and keysym in words:
            return True
        if wanted not in words:
            return not down
        self._words[Word.KEYSYMS + words.index(wanted)] = value
        return True

    @property
    def keysyms(self) -> list[int]:
        """Keys that the agent holds on a machine over VNC."""
        return [each for each in self._words[Word.KEYSYMS : Word.KEYSYMS + _KEYSYMS].tolist() if each]

    @property
    def pointer(self) -> tuple[int, int]:
        """Where the pointer was last sent on such a machine, native pixels."""
        packed = self._words[Word.POINTER]
        return packed >> 32, packed & _LOW

    @pointer.setter
    def pointer(self, at: tuple[int, int]) -> None:
        self._words[Word.POINTER] = at[0] << 32 | at[1]

    def mark_sent(self, keycode: int) -> None:
        """Set a key whose press is about to be sent; `confirm` clears it."""
        self._mark(Word.SENT, keycode, True)

    def confirm(self) -> None:
        """The server has processed everything sent: only held keys are still down."""
        for block in range(4):
            self._words[Word.SENT + block] = 0

    def mark_borrowed(self, keycode: int, borrowed: bool) -> None:
        """Set or clear a borrowed keycode."""
        self._mark(Word.BORROWED, keycode, borrowed)

    def mark_button(self, button: int, down: bool) -> None:
        """Set or clear a held button."""
        mask = self._words[Word.BUTTONS]
        self._words[Word.BUTTONS] = mask | (1 << button) if down else mask & ~(1 << button)

    @property
    def keys(self) -> list[int]:
        """Keycodes that the agent holds."""
        return self._marked(Word.KEYS)

    @property
    def sent(self) -> list[int]:
        """Keycodes whose release may be lost with the injector: the server drops unread requests of a dead client."""
        return self._marked(Word.SENT)

    @property
    def borrowed(self) -> list[int]:
        """Keycodes that the agent has remapped."""
        return self._marked(Word.BORROWED)

    @property
    def buttons(self) -> list[int]:
        """Buttons that the agent holds."""
        mask = self._words[Word.BUTTONS]
        return [n for n in range(1, 32) if mask >> n & 1]

    @property
    def clean(self) -> bool:
        """Whether nothing needs to be undone."""
        return not (self.keys or self.buttons or self.borrowed or self.sent or self.keysyms)

    def forget(self, *, keys: Iterable[int] = (), buttons: Iterable[int] = (), borrowed: Iterable[int] = ()) -> None:
        """Clear entries that were undone elsewhere."""
        for keycode in keys:
            self.mark_key(keycode, False)
        for button in buttons:
            self.mark_button(button, False)
        for keycode in borrowed:
            self.mark_borrowed(keycode, False)

    def _mark(self, first: Word, number: int, on: bool) -> None:
        index, bit = first + number // 64, 1 << (number % 64)
        value = self._words[index]
        self._words[index] = value | bit if on else value & ~bit

    def _marked(self, first: Word) -> list[int]:
        return [
            64 * block + bit
            for block in range(4)
            if self._words[first + block]
            for bit in range(64)
            if self._words[first + block] >> bit & 1
        ]
