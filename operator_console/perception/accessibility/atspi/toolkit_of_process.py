"""Whether a process uses a toolkit that describes its widgets once accessibility is switched on (from /proc)."""

from __future__ import annotations

from pathlib import Path

_TOOLKITS = (
    "libgtk-3.so", "libgtk-4.so", "libgtk-x11-2.0.so", "libQt5Gui.so", "libQt6Gui.so", "libatk-bridge-2.0.so",
    "/chromium", "/chrome", "/electron", "libxul.so", "libvcllo.so", "libmergedlo.so", "libjvm.so",
)  # fmt: skip
_MOST_BYTES = 2_000_000


def could_tell(pid: int | None, proc: Path = Path("/proc")) -> bool:
    """Whether the files that a process has mapped are of such a toolkit; False where they cannot be read."""
    if pid is None:
        return False
    try:
        with (proc / str(pid) / "maps").open("rb") as file:
            maps = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return False
    return any(toolkit in maps for toolkit in _TOOLKITS)
