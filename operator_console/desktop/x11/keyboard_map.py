"""The keyboard of an X display, over a python-xlib connection: its XKB map, and what each key types.

The map is that of the keyboard that carries keys from programs (XTEST): with its next key the server gives it to the
core keyboard. A person's keyboard may have another one, which the core keyboard has from that person's next key on.

Only the XKB map (groups, key types, levels) tells what a keycode yields under Caps Lock, in the second group or with
AltGr; the core keyboard mapping is not exact. The current group and locks are taken into account: with Caps Lock, Num
Lock or a second layout, other keys are pressed, but the same text is typed. Source: "The X Keyboard Extension: Protocol
Specification", section 16. Sends no input.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from Xlib import X
from Xlib.protocol import rq

from operator_console.desktop.x11.input_devices import xtest_keyboard
from operator_console.desktop.x11.input_keysyms import LEVEL3_SHIFT, SHIFT_L, character_of
from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

CORE_KEYBOARD = 0x100
_TYPES, _SYMBOLS, _MODIFIERS = 1, 2, 4
_NEW_KEYBOARD, _MAP, _CONTROLS, _ALL_PARTS = 1, 2, 8, 0xFF
SHIFT, LOCK, CONTROL = 1, 2, 4
ALPHABETIC = 2  # the types 0 to 3 are fixed by the protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Real modifiers as bits, and the current group. `held` are those of keys that are down."""

    held: int
    latched: int
    locked: int
    group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyType:
    """How modifiers select a level: the entry whose modifiers equal `pressed & mask`, else level 0.

    `kept` are, by entry, the modifiers that it preserves (does not consume).
    """

    mask: int
    levels: dict[int, int]
    width: int
    kept: dict[int, int]

    def consumes(self, modifiers: int) -> int:
        """The modifiers consumed by selecting the level; the others still act on the symbol."""
        return self.mask & ~self.kept.get(modifiers & self.mask, 0)

    def level(self, modifiers: int) -> int:
        """The shift level under these modifiers."""
        return self.levels.get(modifiers & self.mask, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEntry:
    """One keycode: its type for each group, and its keysyms, `width` for each group."""

    types: tuple[int, ...]
    width: int
    symbols: tuple[int, ...]
    wraps: int  # 0 wrap, 1 clamp, 2 redirect
    redirect: int

    def group(self, wanted: int) -> int | None:
        """The effective group of this key when `wanted` is the current one; None for a key without symbols."""
        count = len(self.types)
        if count == 0:
            return None
        if wanted < count:
            return wanted
        if self.wraps == 1:
            return count - 1
        if self.wraps == 2:
            return self.redirect if self.redirect < count else 0
        return wanted % count

    def symbol(self, group: int, level: int) -> int:
        """The keysym at a level of a group, 0 if there is none."""
        index = group * self.width + level
        return self.symbols[index] if level < self.width and index < len(self.symbols) else 0

    @property
    def blank(self) -> bool:
        """Whether it has no keysyms."""
        return not any(self.symbols)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyboardMap:
    """The whole map; `modifiers` are the modifier bits that each keycode sets."""

    types: tuple[KeyType, ...]
    keys: dict[int, KeyEntry]
    modifiers: dict[int, int]


class _UseExtension(rq.ReplyRequest):  # type: ignore[misc]  # python-xlib carries no types
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(0), rq.RequestLength(), rq.Card16("major"), rq.Card16("minor"))
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Bool("supported"), rq.Card16("sequence_number"), rq.ReplyLength(),
        rq.Card16("server_major"), rq.Card16("server_minor"), rq.Pad(20),
    )  # fmt: skip


class _SelectEvents(rq.Request):  # type: ignore[misc]
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(1), rq.RequestLength(), rq.Card16("device"), rq.Card16("which"),
        rq.Card16("clear"), rq.Card16("all"), rq.Card16("affect_map"), rq.Card16("map"),
    )  # fmt: skip


class _GetState(rq.ReplyRequest):  # type: ignore[misc]
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(4), rq.RequestLength(), rq.Card16("device"), rq.Pad(2))
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("device"), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Card8("mods"),
        rq.Card8("base_mods"), rq.Card8("latched_mods"), rq.Card8("locked_mods"), rq.Card8("group"),
        rq.Card8("locked_group"), rq.Int16("base_group"), rq.Int16("latched_group"), rq.Pad(14),
    )  # fmt: skip


class _GetMap(rq.ReplyRequest):  # type: ignore[misc]
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(8), rq.RequestLength(), rq.Card16("device"), rq.Card16("full"),
        rq.Card16("partial"), rq.Pad(18),
    )  # fmt: skip
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("device"), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Binary("rest"),
    )  # fmt: skip


class _SetMap(rq.Request):  # type: ignore[misc]
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(9), rq.RequestLength(), rq.Card16("device"), rq.Card16("present"),
        rq.Card16("flags"), rq.Card8("min_keycode"), rq.Card8("max_keycode"), rq.Pad(2), rq.Card8("first_key"),
        rq.Card8("key_count"), rq.Card16("symbol_count"), rq.Pad(18), rq.Binary("keys"),
    )  # fmt: skip


def packed_state_request(opcode: int) -> bytes:
    """An encoded GetState request, for a connection that python-xlib has opened but no longer uses."""
    return struct.pack("=BBHHxx", opcode, 4, 2, CORE_KEYBOARD)


def parse_state(reply: bytes) -> State:
    """Parse the 32 bytes of a GetState reply."""
    held, latched, locked, group = struct.unpack_from("=9x4B", reply)
    return State(held=held, latched=latched, locked=locked, group=group)


class Keyboard:
    """State and map for keys from programs, over one python-xlib Display. Raises OperatorError without XKB."""

    def __init__(self, display: Any) -> None:
        self._display = display.display
        self._root = display.screen().root
        self._rules_names = display.intern_atom("_XKB_RULES_NAMES")
        found = display.query_extension("XKEYBOARD")
        if found is None or not found.present:
            raise _no_xkb()
        self._opcode = found.major_opcode
        self._event = found.first_event
        found = xtest_keyboard(display)
        self._devices = (CORE_KEYBOARD,) if found is None else (CORE_KEYBOARD, found)
        self._keycodes = (display.display.info.min_keycode, display.display.info.max_keycode)
        if not _UseExtension(display=self._display, opcode=self._opcode, major=1, minor=0).supported:
            raise _no_xkb()

    @property
    def opcode(self) -> int:
        """The extension's major opcode, enabled on this connection."""
        return int(self._opcode)

    @property
    def devices(self) -> tuple[int, ...]:
        """For XKB's requests: the core keyboard, and the one that carries keys from programs if it is known."""
        return self._devices

    def watch(self) -> None:
        """Select events for changes of the map, for which a client that uses XKB gets no MappingNotify, and of the
        controls (`accessx`)."""
        for device in self._devices:
            _SelectEvents(
                display=self._display, opcode=self._opcode, device=device, which=_NEW_KEYBOARD | _MAP | _CONTROLS,
                clear=0, all=_NEW_KEYBOARD | _CONTROLS, affect_map=_ALL_PARTS, map=_ALL_PARTS,
            )  # fmt: skip

    def tells_of_a_change(self, event: Any) -> bool:
        """Whether an event reports a change of the map or the controls."""
        return event.type in {self._event, X.MappingNotify}

    def state(self) -> State:
        """Current modifiers and group. One round trip."""
        reply = _GetState(display=self._display, opcode=self._opcode, device=CORE_KEYBOARD)
        return State(
            held=reply.base_mods, latched=reply.latched_mods, locked=reply.locked_mods, group=reply.group,
        )  # fmt: skip

    def layout_name(self) -> str:
        """The first layout by its name, "de" or "de(nodeadkeys)", as it was set (`setxkbmap`); "us" where none was."""
        found = self._root.get_full_property(self._rules_names, X.AnyPropertyType)
        _, _, layouts, variants, *_ = (*(b"" if found is None else bytes(found.value)).split(b"\0"), *[b""] * 4)
        layout, variant = (each.split(b",")[0].decode("latin-1") for each in (layouts, variants))
        return f"{layout}({variant})" if layout and variant else layout or "us"

    def map(self) -> KeyboardMap:
        """The current map. One round trip, some 20 KB."""
        reply = _GetMap(
            display=self._display, opcode=self._opcode, device=self._devices[-1], full=_TYPES | _SYMBOLS | _MODIFIERS,
            partial=0,
        )  # fmt: skip
        return parse_map(bytes(reply.rest))

    def set_keys(self, kind: int, changes: Mapping[int, tuple[int, ...]]) -> None:
        """Give each keycode one group of type `kind` (an index into the map's types), with one keysym for each level.

        A key with one group yields the same in all groups. All keycodes are changed by one request, which repeats the
        keys in between unchanged: clients are notified of each request, and take long to handle it.
        """
        now = self.map()
        self._set(now, {code: _lent(symbols, kind, now.types[kind].width) for code, symbols in changes.items()})

    def clear_keys(self, keycodes: Iterable[int]) -> None:
        """Leave these keycodes without keysyms."""
        changes = dict.fromkeys(keycodes, _BLANK)
        if changes:
            self._set(self.map(), changes)

    def _set(self, now: KeyboardMap, changes: Mapping[int, KeyEntry]) -> None:
        first, last = min(changes), max(changes)
        entries = [changes.get(code) or now.keys[code] for code in range(first, last + 1)]
        _SetMap(
            display=self._display, opcode=self._opcode, device=self._devices[-1], present=_SYMBOLS, flags=0,
            min_keycode=self._keycodes[0], max_keycode=self._keycodes[1], first_key=first, key_count=len(entries),
            symbol_count=sum(len(entry.symbols) for entry in entries), keys=b"".join(map(_packed, entries)),
        )  # fmt: skip


_BLANK = KeyEntry(types=(), width=0, symbols=(), wraps=0, redirect=0)


def _lent(symbols: tuple[int, ...], kind: int, width: int) -> KeyEntry:
    return KeyEntry(types=(kind,), width=width, symbols=symbols + (0,) * (width - len(symbols)), wraps=0, redirect=0)


def _packed(key: KeyEntry) -> bytes:
    groups = len(key.types) | key.redirect << 4 | key.wraps << 6
    types = (*key.types, 0, 0, 0, 0)[:4]
    return struct.pack(f"=4BBBH{len(key.symbols)}I", *types, groups, key.width, len(key.symbols), *key.symbols)


def _no_xkb() -> OperatorError:
    return OperatorError(
        notice(NoticeCode.NO_KEYBOARD_EXTENSION),
        detail=notice(NoticeCode.XKEYBOARD_MISSING),
        remedy=notice(NoticeCode.START_SERVER_WITH_XKB),
    )


def parse_map(data: bytes) -> KeyboardMap:
    """Parse the bytes of a GetMap reply after its first 8."""
    type_count = data[8]
    first_key, key_count, modifier_count = data[9], data[12], data[25]
    offset = 32
    types: list[KeyType] = []
    for _ in range(type_count):
        offset = _parse_type(data, offset, types)
    keys: dict[int, KeyEntry] = {}
    for keycode in range(first_key, first_key + key_count):
        offset = _parse_key(data, offset, keycode, keys)
    pairs = data[offset : offset + 2 * modifier_count]
    return KeyboardMap(types=tuple(types), keys=keys, modifiers=dict(zip(pairs[::2], pairs[1::2], strict=True)))


def _parse_type(data: bytes, offset: int, types: list[KeyType]) -> int:
    mask, width, entries, preserves = struct.unpack_from("=BxxxBBBx", data, offset)
    offset += 8
    levels: dict[int, int] = {}
    kept: dict[int, int] = {}
    for entry in range(entries):
        active, modifiers, level = struct.unpack_from("=BBB", data, offset + 8 * entry)
        if active and modifiers not in levels:
            levels[modifiers] = level
            if preserves:
                kept[modifiers] = data[offset + 8 * entries + 4 * entry]
    types.append(KeyType(mask=mask, levels=levels, width=width, kept=kept))
    return offset + (12 if preserves else 8) * int(entries)


def _parse_key(data: bytes, offset: int, keycode: int, keys: dict[int, KeyEntry]) -> int:
    *type_indices, info, width, count = struct.unpack_from("=4BBBH", data, offset)
    offset += 8
    keys[keycode] = KeyEntry(
        types=tuple(type_indices[: info & 0x0F]),
        width=width,
        symbols=struct.unpack_from(f"={count}I", data, offset),
        wraps=(info >> 6) & 3,
        redirect=(info >> 4) & 3,
    )
    return offset + 4 * int(count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """Press `holding` in order, then `keycode`; release in reverse."""

    keycode: int
    holding: tuple[int, ...] = ()


def keycodes_with(keyboard: KeyboardMap, keysyms: Iterable[int]) -> list[int]:
    """Keycodes with one of the keysyms at any level of any group, ascending."""
    wanted = set(keysyms)
    return sorted(code for code, entry in keyboard.keys.items() if wanted.intersection(entry.symbols))


def keycode_for(keyboard: KeyboardMap, keysyms: Iterable[int], group: int) -> int | None:
    """The keycode for the first available keysym: preferably in the current group, then at the lowest level."""
    for keysym in keysyms:
        found: list[tuple[bool, int, int]] = []
        for code, entry in keyboard.keys.items():
            if keysym not in entry.symbols:
                continue
            index = entry.symbols.index(keysym)
            at_group, level = divmod(index, entry.width)
            found.append((at_group != entry.group(group), level, code))
        if found:
            return min(found)[2]
    return None


def spare_keycodes(keyboard: KeyboardMap) -> list[int]:
    """Keycodes without keysyms that are not modifiers, highest first."""
    return sorted(
        (code for code, entry in keyboard.keys.items() if entry.blank and code not in keyboard.modifiers and code > 8),
        reverse=True,
    )


def modifier_keys(keyboard: KeyboardMap) -> dict[int, int]:
    """For Shift and the third level: a keycode for the modifier bit that it alone sets while held."""
    keys: dict[int, int] = {}
    for keysym in (SHIFT_L, LEVEL3_SHIFT):
        for code in keycodes_with(keyboard, (keysym,)):
            bits = keyboard.modifiers.get(code, 0)
            if bits and bits & (bits - 1) == 0 and bits != LOCK:
                keys.setdefault(bits, code)
    return keys


def yields(keyboard: KeyboardMap, keycode: int, *, group: int, modifiers: int) -> str:
    """The character that a key types, "" if none.

    Also "" if toolkits disagree: for a letter under Caps Lock whose key type ignores the lock.
    """
    entry = keyboard.keys.get(keycode)
    at = entry.group(group) if entry is not None else None
    if entry is None or at is None:
        return ""
    kind = keyboard.types[entry.types[at]]
    character = character_of(entry.symbol(at, kind.level(modifiers)))
    if modifiers & LOCK and not kind.consumes(modifiers) & LOCK and character.upper() != character.lower():
        return ""  # most toolkits capitalise it (and differ for ß, ς and ı); Chromium's `key` does not
    return character


def strokes(keyboard: KeyboardMap, state: State, *, without: Iterable[int] = ()) -> dict[str, Stroke]:
    """Every character that the map can type, with the stroke of fewest modifiers; `without` these keycodes."""
    left_out = {*without, *keyboard.modifiers}
    holders = modifier_keys(keyboard)
    table: dict[str, Stroke] = {}
    bits = sorted(holders)
    combinations = [tuple(bit for i, bit in enumerate(bits) if choice >> i & 1) for choice in range(1 << len(bits))]
    for combination in sorted(combinations, key=lambda c: (len(c), SHIFT not in c)):
        modifiers = state.locked | sum(combination)
        holding = tuple(holders[bit] for bit in combination)
        for keycode, entry in keyboard.keys.items():
            if entry.blank or keycode in left_out:
                continue
            character = yields(keyboard, keycode, group=state.group, modifiers=modifiers)
            if character and character not in table:
                table[character] = Stroke(keycode=keycode, holding=holding)
    return table


def holding_for(keyboard: KeyboardMap, keycode: int, keysyms: Iterable[int], state: State) -> tuple[int, ...]:
    """Modifier keys to hold so that a key yields one of the keysyms with the current locks and group; () if none."""
    wanted = set(keysyms)
    entry = keyboard.keys[keycode]
    at = entry.group(state.group) or 0
    kind = keyboard.types[entry.types[at]]
    holders = modifier_keys(keyboard)
    for bits in ((), (SHIFT,), *((bit,) for bit in holders if bit != SHIFT), tuple(sorted(holders))):
        if entry.symbol(at, kind.level(state.locked | sum(bits))) in wanted:
            return tuple(holders[bit] for bit in bits if bit in holders)
    return ()


def widest_type(keyboard: KeyboardMap) -> tuple[int, int]:
    """The key type for a borrowed keycode, and its number of levels: two letters with capitals if the map allows it."""
    third = next((bit for bit in modifier_keys(keyboard) if bit != SHIFT), 0)
    levels = {SHIFT: 1, LOCK: 1, third: 2, third | SHIFT: 3, third | LOCK: 3, third | SHIFT | LOCK: 2}
    fit = [i for i, kind in enumerate(keyboard.types) if kind.mask == SHIFT | LOCK | third and kind.levels == levels]
    # A type of eight levels would do, but clients that read the core map then look for the third level elsewhere.
    return (min(fit, key=lambda index: keyboard.types[index].width), 4) if third and fit else (ALPHABETIC, 2)
