"""Acting on a machine: what is sent, when it counts as handled, and what is released after a kill."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from operator_console.domain.geometry import Rect, Size
from operator_console.rfb.errors import ConnectionLost, NoAnswer, NotVnc
from operator_console.rfb.input_line import InputLine, release
from operator_console.rfb.server_login import Login
from tests.rfb.conftest import Certificate
from tests.servers.rfb_encoders import rectangle, update
from tests.servers.rfb_referee import Clipboard, Fence, Key, Pointer, Referee, Request, Rules, clipboard_wish

SOON_S = 8.0
PLAIN = Rules(fence=False, extended_size=False)
AS_TIGERVNC = Rules(extended_keys=True, extended_clipboard=True)
AS_QEMU = Rules(fence=False, extended_keys=True, pointer_mode=1)
AS_X11VNC = Rules(fence=False)

each_server = pytest.mark.parametrize(
    "rules", [PLAIN, AS_TIGERVNC, AS_QEMU, AS_X11VNC], ids=["plain", "TigerVNC", "QEMU", "x11vnc"]
)


@contextmanager
def acting(server: Referee) -> Iterator[InputLine]:
    line = InputLine.connect(Login(host="127.0.0.1", port=server.port), within_s=SOON_S)
    try:
        yield line
    finally:
        line.close()


def inputs(server: Referee) -> list[Key | Pointer]:
    return [said for said in server.said if isinstance(said, Key | Pointer)]


@each_server
def test_what_is_sent_arrives_in_order_and_has_arrived_once_it_is_acknowledged(rules: Rules) -> None:
    with Referee(rules) as server, acting(server) as line:
        for turn in range(70):  # more than there are pixels to ask for in a row
            line.pointer(turn % 64, 47, 1)
            line.key(ord("a"), down=True)
            line.key(ord("a"), down=False)
            assert line.acknowledge(SOON_S)
            assert inputs(server)[3 * turn :] == [Pointer(turn % 64, 47, 1), Key(97, True), Key(97, False)]


def test_what_a_server_can_do_is_known_once_it_is_connected() -> None:
    with Referee(AS_TIGERVNC) as server, acting(server) as line:
        assert line.has_fence and line.has_extended_keys and line.has_extended_clipboard
        assert line.pointer_is_relative is None
        assert line.size == Size(64, 48)
    with Referee(AS_QEMU) as server, acting(server) as line:
        assert line.has_extended_keys and not line.has_fence and not line.has_extended_clipboard
        assert line.pointer_is_relative is False
    with Referee(AS_X11VNC) as server, acting(server) as line:
        assert not (line.has_fence or line.has_extended_keys or line.has_extended_clipboard)


def test_an_extended_key_carries_its_scancode() -> None:
    with Referee(AS_QEMU) as server, acting(server) as line:
        line.key(0, down=True, scancode=0x1E)
        line.key(0xFF0D, down=False, scancode=0x9C)
        assert line.acknowledge(SOON_S)
        assert inputs(server) == [Key(0, True, 0x1E), Key(0xFF0D, False, 0x9C)]


def test_a_pointer_that_becomes_relative_is_noticed() -> None:
    with Referee(AS_QEMU) as server, acting(server) as line:
        server.send(update(rectangle(0, 0, 0, 0, -257)))
        assert line.acknowledge(SOON_S)
        assert line.pointer_is_relative is True


@pytest.mark.parametrize("rules", [AS_TIGERVNC, AS_X11VNC], ids=["fence", "update"])
def test_an_answer_that_does_not_come_is_told_and_a_late_one_does_not_count_for_the_next(rules: Rules) -> None:
    with Referee(rules) as server, acting(server) as line:
        server.rules.answers_fences = server.rules.answers_requests = False
        assert not line.acknowledge(0.05)
        server.until(lambda: bool([fence for fence in server.heard(Fence) if fence.flags]) or not rules.fence)  # type: ignore[union-attr]
        late = b"\xf8\0\0\0\0\0\0\0\4\0\0\0\1" if rules.fence else update(rectangle(0, 0, 1, 1, 0, bytes(4)))
        server.send(late)
        assert not line.acknowledge(0.05)
        server.rules.answers_fences = server.rules.answers_requests = True
        assert line.acknowledge(SOON_S)


def test_another_size_of_the_screen_does_not_end_the_line() -> None:
    for rules in (AS_TIGERVNC, AS_X11VNC, PLAIN):
        with Referee(rules) as server, acting(server) as line:
            for _ in range(5):
                assert line.acknowledge(SOON_S)
            server.resize(9, 8)
            assert line.acknowledge(SOON_S)
            line.pointer(8, 7, 0)
            assert line.acknowledge(SOON_S)
            if rules is not AS_TIGERVNC:  # which answers by fences, and tells sizes only when pixels are asked for
                assert line.size == Size(9, 8)


def test_offered_text_is_handed_over_when_it_is_asked_for() -> None:
    with Referee(AS_TIGERVNC) as server, acting(server) as line:
        line.clipboard("Zażółć\n你好 😀")
        server.until(lambda: Clipboard("notify") in server.said)
        for _ in range(2):  # a machine may paste it again
            server.send(clipboard_wish())
            assert line.acknowledge(SOON_S)
        server.until(lambda: server.said.count(Clipboard("provide", "Zażółć\r\n你好 😀")) == 2)


def test_text_is_not_offered_where_it_cannot_be_taken() -> None:
    with Referee(AS_X11VNC) as server, acting(server) as line, pytest.raises(NotVnc):
        line.clipboard("x")


def test_reading_what_waits_does_not_wait() -> None:
    with Referee(AS_TIGERVNC) as server, acting(server) as line:
        line.read_waiting()
        server.send(b"\2" * 1000 + update(rectangle(0, 0, 64, 48, 0, bytes(4 * 64 * 48))))
        assert line.acknowledge(SOON_S)
        line.read_waiting()


def test_a_lost_connection_is_told_by_each_way() -> None:
    with Referee(AS_TIGERVNC) as server, acting(server) as line:
        server.clients[0].close()
        with pytest.raises(ConnectionLost):
            line.acknowledge(SOON_S)
        with pytest.raises(ConnectionLost):
            line.read_waiting()
        line.close()
        line.close()


def test_a_server_that_is_silent_after_the_login_is_told_in_time() -> None:
    with Referee(Rules(answers_requests=False)) as server, pytest.raises(NoAnswer):
        InputLine.connect(Login(host="127.0.0.1", port=server.port), within_s=0.2)


def test_a_line_is_encrypted_where_the_server_offers_it(certificate: Certificate) -> None:
    rules = Rules(security=(19,), sub_types=(260,), tls=certificate.context, extended_clipboard=True)
    with Referee(rules) as server:
        login = Login(host="127.0.0.1", port=server.port, certificate=certificate.fingerprint)
        line = InputLine.connect(login, within_s=SOON_S)
        for _ in range(50):
            line.key(97, down=True)
            assert line.acknowledge(SOON_S)
        server.send(b"\2" * 100_000)  # more than a record of TLS
        assert line.acknowledge(SOON_S)
        line.close()


def test_an_emergency_release_on_tigervnc_never_presses() -> None:
    with Referee(AS_TIGERVNC) as server, acting(server) as line:
        release(line, [0xFFE1, 65], 1, (30, 20))
        assert line.acknowledge(SOON_S)
        said = inputs(server)
        assert said[:3] == [Key(0xFFE1, False), Key(65, False), Pointer(30, 20, 0)]
        assert set(said) == set(said[:3])
        assert len(said) >= 9


@pytest.mark.parametrize("rules", [AS_QEMU, AS_X11VNC], ids=["QEMU", "x11vnc"])
def test_an_emergency_release_elsewhere_presses_once_after_the_server_has_answered(rules: Rules) -> None:
    with Referee(rules) as server, acting(server) as line:
        before = len(server.said)
        release(line, [0xFFE1], 4, (30, 20))
        assert line.acknowledge(SOON_S)
        said = [what for what in server.said[before:] if not isinstance(what, Request)]
        assert said == [Key(0xFFE1, False), Key(0xFFE1, False), Pointer(30, 20, 4), Pointer(30, 20, 0)]
        first_press = server.said.index(Pointer(30, 20, 4))
        assert any(isinstance(what, Request) for what in server.said[before:first_press])


def test_an_emergency_release_of_no_button_presses_none() -> None:
    with Referee(AS_X11VNC) as server, acting(server) as line:
        release(line, [0xFFE1], 0, (30, 20))
        assert line.acknowledge(SOON_S)
        assert not [said for said in inputs(server) if isinstance(said, Pointer) and said.mask]


def test_an_emergency_release_on_a_lost_connection_ends() -> None:
    with Referee(AS_X11VNC) as server, acting(server) as line:
        server.clients[0].close()
        release(line, [0xFFE1], 1, (30, 20))


def test_an_emergency_release_comes_to_an_end_where_nobody_answers() -> None:
    with Referee(AS_X11VNC) as server, acting(server) as line:
        server.rules.answers_requests = False
        done = threading.Thread(target=release, args=(line, [0xFFE1], 1, (30, 20)))
        done.start()
        done.join(SOON_S)
        assert not done.is_alive()
        server.until(lambda: Pointer(30, 20, 0) in server.said)


def test_it_is_imported_without_what_draws() -> None:
    code = (
        "import sys, operator_console.rfb.input_line as _;"
        "print([name for name in ('numpy', 'PIL', 'asyncio', 'ssl', 'cryptography') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@each_server
def test_a_part_of_the_screen_is_what_is_shown_now(rules: Rules) -> None:
    with Referee(rules) as server, acting(server) as line:
        for colour in ((255, 0, 0), (0, 0, 255)):
            server.draw(10, 10, 20, 20, colour)
            found = line.part(Rect(20, 5, 20, 10), SOON_S)
            assert found is not None
            rows, size = found
            assert size == Size(64, 48)
            inside, black = bytes((*colour[::-1], 255)), b"\0\0\0\xff"
            assert rows == black * 100 + (inside * 10 + black * 10) * 5


@each_server
def test_a_part_beyond_a_screen_that_was_resized_has_no_rows(rules: Rules) -> None:
    with Referee(rules) as server, acting(server) as line:
        server.resize(40, 30)
        assert line.part(Rect(40, 5, 20, 10), SOON_S) == (b"", Size(40, 30))
        found = line.part(Rect(0, 0, 4, 4), SOON_S)
        assert found == (b"\0\0\0\xff" * 16, Size(40, 30))


def test_a_part_that_does_not_come_in_time_is_told() -> None:
    with Referee(AS_TIGERVNC) as server, acting(server) as line:
        server.rules.answers_requests = False
        assert line.part(Rect(0, 0, 4, 4), 0.1) is None


def test_text_counts_as_fetched_once_the_machine_has_asked_for_it() -> None:
    with Referee(AS_TIGERVNC) as server, acting(server) as line:
        line.clipboard("text")
        assert line.acknowledge(SOON_S)
        assert not line.clipboard_fetched
        server.send(clipboard_wish())
        assert line.acknowledge(SOON_S)
        assert line.clipboard_fetched
