"""Functions of an operator's own, as a session is offered them."""

from __future__ import annotations

import os
import time


def book(night: int) -> str:
    """Book a room for a night."""
    return f"room 7 for night {night}"


def hangs(pipe: str) -> None:
    """Tell its process id, and never end."""
    with open(pipe, "w", encoding="ascii") as file:  # noqa: PTH123 - a named pipe
        file.write(str(os.getpid()))
    time.sleep(1000)
