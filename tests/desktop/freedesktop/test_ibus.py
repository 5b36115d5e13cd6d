"""IBus's values and addresses, as the daemon of 1.5.27 gives and takes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jeepney import DBusAddress, Parser, new_method_call

from operator_console.desktop.freedesktop import ibus

DESCRIBED = (
    "v",
    ("(sa{sv}ssssssssussssssss)",
     ("IBusEngineDesc", {}, "xkb:us::eng", "English (US)", "English (US)", "en", "GPL", "a", "ibus-keyboard", "us", 50,
      *[""] * 8)),
)  # fmt: skip


def test_the_engine_is_named() -> None:
    assert ibus.name_of_engine(DESCRIBED) == "xkb:us::eng"
    assert ibus.name_of_engine(("s", "xkb:us::eng")) == ""


@pytest.mark.parametrize(
    ("engine", "composes"),
    [("xkb:us::eng", False), ("", False), ("libpinyin", True), ("anthy", True), ("table:wubi", True)],
)
def test_all_but_plain_layouts_compose(engine: str, composes: bool) -> None:
    assert ibus.composes(engine) is composes


@pytest.mark.parametrize("value", [ibus.text("你好 😀"), ibus.component("ours", "Ours")])
def test_what_is_sent_can_be_read_again(value: ibus.Value) -> None:
    message = new_method_call(DBusAddress("/x", "x.y", "x.y"), "M", "v", (value,))
    parser = Parser()
    parser.add_data(message.serialise(serial=1))
    (read,) = parser.get_next_message().body
    assert (read[0], tuple(read[1])) == (value[0], tuple(value[1]))


def test_a_component_leaves_the_layout_as_it_is() -> None:
    _, fields = ibus.component("ours", "Ours")
    (_, engine), *more = fields[-1]
    assert (engine[0], engine[2], engine[9], more) == ("IBusEngineDesc", "ours", "default", [])


@pytest.mark.parametrize(
    ("display", "name"), [(":7", "unix-7"), (":7.1", "unix-7"), ("host:0", "host-0"), ("", "unix-")]
)
def test_the_file_of_a_display(display: str, name: str, tmp_path: Path) -> None:
    found = ibus.address_file(display, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert found.parent == tmp_path / "ibus" / "bus"
    assert found.name.endswith("-" + name)
    assert ibus.address_file(display, {"HOME": str(tmp_path)}).is_relative_to(tmp_path / ".config")
    assert ibus.address_file(display, {"IBUS_ADDRESS_FILE": "/a/b"}) == Path("/a/b")


def test_the_address(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert ibus.address(":7", environ) is None
    file = ibus.address_file(":7", environ)
    file.parent.mkdir(parents=True)
    lines = "# IBUS_ADDRESS=unix:path=/wrong\nIBUS_ADDRESS=unix:abstract=/tmp/a,guid=1\nIBUS_DAEMON_PID={}\n"
    file.write_text(lines.format(os.getpid()))
    assert ibus.address(":7", environ) == "unix:abstract=/tmp/a,guid=1"
    file.write_text(lines.format(1 << 30))
    assert ibus.address(":7", environ) is None, "a daemon that is gone"
    assert ibus.address(":7", {**environ, "IBUS_ADDRESS": "unix:path=/b"}) == "unix:path=/b"


def preedit(text: str) -> ibus.Value:
    return ibus.text(text)


@pytest.mark.parametrize(
    ("member", "body", "shows"),
    [
        ("UpdatePreeditText", (preedit("ni"), 2, True), True),
        ("UpdatePreeditTextWithMode", (preedit("ni"), 2, True, 0), True),
        ("UpdatePreeditText", (preedit("ni"), 2, False), False),
        ("UpdatePreeditText", (preedit(""), 0, True), False),
        ("HidePreeditText", (), False),
        ("FocusOut", (), False),
        ("Reset", (), False),
        ("CommitText", (preedit("ni"),), None),
    ],
)
def test_whether_something_is_being_composed(member: str, body: tuple[object, ...], shows: bool | None) -> None:
    assert ibus.shows_preedit(member, body) is shows
