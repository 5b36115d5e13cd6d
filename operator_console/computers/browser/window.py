"""The browser's window on a desktop, for the person who takes over."""

from __future__ import annotations

from operator_console.desktop.platform import open_display


def bring_forward(display: str, pid: int) -> bool:
    """Restore and raise the window of a browser's process and give it the focus; whether it has it.

    Blocking, for up to 2 s. Raises ComputerUnavailable: no display.
    """
    desktop = open_display(display or None)
    try:
        window = next((each for each in desktop.all_windows() if each.pid == pid), None)
        return window is not None and desktop.activate(window)
    finally:
        desktop.close()
