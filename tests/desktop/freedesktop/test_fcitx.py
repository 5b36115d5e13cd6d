"""What fcitx5 says of the fields that it serves."""

from __future__ import annotations

from operator_console.injector.input_method.fcitx import Field, composes, focused, same_display

# As fcitx5 5.0.21 says it, with a second display.
DEBUG_INFO = """\
Group [x11::0] has 2 InputContext(s)
  IC [5134da3bc5734cfc9633a3aef433dc20] program:mousepad frontend:dbus cap:6000000012 focus:0
  IC [0a1b] program:xterm frontend:xim cap:2 focus:1
Group [wayland:wayland-0] has 1 InputContext(s)
  IC [0c1d] program:a focus:1 frontend:dbus cap:2 focus:0
Input Context without group
  IC [0e1f] program:b frontend:dbus cap:2 focus:1
"""


def test_the_focused_fields_and_their_displays() -> None:
    assert focused(DEBUG_INFO) == [Field(display=":0", name="0a1b"), Field(display="", name="0e1f")]
    assert focused("") == []


def test_a_display_is_the_same_on_each_of_its_screens() -> None:
    assert same_display(":0", ":0.0")
    assert not same_display(":1", ":11")
    assert not same_display(":0", "far:0")


def test_plain_keyboards_do_not_compose() -> None:
    assert [composes(name) for name in ("pinyin", "keyboard-us", "")] == [True, False, False]
