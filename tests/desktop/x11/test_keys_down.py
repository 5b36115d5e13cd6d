from __future__ import annotations

from operator_console.desktop.x11.keys_down import keys_down


class Server:
    """Answers QueryKeymap with 32 bytes, as python-xlib hands them on."""

    def __init__(self, **bits: int) -> None:
        self._bytes = [0] * 32
        for name, value in bits.items():
            self._bytes[int(name.removeprefix("byte"))] = value

    def query_keymap(self) -> list[int]:
        return self._bytes


def test_no_key_is_down_without_a_bit() -> None:
    assert keys_down(Server()) == frozenset()


def test_each_bit_is_a_keycode_counted_from_the_least_of_the_first_byte() -> None:
    assert keys_down(Server(byte1=0b1, byte4=0b1001_0000, byte31=0b1000_0000)) == {8, 36, 39, 255}
