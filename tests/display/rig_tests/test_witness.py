from __future__ import annotations

from tests.display.rig import Desktop, Witness, later_by_ms, now_ms


def test_every_press_is_witnessed_with_its_device_and_time(desktop: Desktop) -> None:
    with Witness(desktop) as witness:
        before = now_ms()
        desktop.xdo("key", "a", "click", "1", "click", "9", "mousemove_relative", "5", "5")
        after = now_ms()
        events = witness.events()
        later = witness.events(since_ms=after + 1)
    pressed = [(e.kind, e.detail) for e in events if e.kind != "motion"]
    code = desktop.keycode("a")
    assert pressed == [
        ("key_down", code),
        ("key_up", code),
        ("button_down", 1),
        ("button_up", 1),
        ("button_down", 9),
        ("button_up", 9),
    ]
    assert all(e.synthetic for e in events)
    # The server's clock is this machine's monotonic one, coarse by up to a tick.
    assert all(later_by_ms(e.time_ms, before) >= -20 and later_by_ms(after, e.time_ms) >= -20 for e in events)
    assert later == []


def test_a_human_is_told_from_xtest(xephyr_desktop: Desktop) -> None:
    with Witness(xephyr_desktop) as witness:
        xephyr_desktop.human_xdo("mousemove", "300", "300", "key", "b")
        human = witness.wait_count(2)
        assert {e.synthetic for e in human} == {False}
        xephyr_desktop.xdo("key", "b")
        assert [e.kind for e in witness.events(synthetic=True)] == ["key_down", "key_up"]
        witness.wait_quiet(100)


def test_input_through_a_grab_is_witnessed(desktop: Desktop) -> None:
    with Witness(desktop) as witness, desktop.keyboard_grabbed():
        desktop.xdo("key", "c")
        assert [e.kind for e in witness.events()] == ["key_down", "key_up"]


def test_the_clock_wraps() -> None:
    assert later_by_ms(5, 2**32 - 5) == 10
    assert later_by_ms(2**32 - 5, 5) == -10
