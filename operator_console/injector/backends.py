"""What acts on a target, chosen by the kind of the target. A backend is imported when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from operator_console.desktop.ledger import Ledger
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.frames import TargetKind
from operator_console.domain.grants import Grant
from operator_console.injector.input_gate import InputGate
from operator_console.injector.progress import Progress
from operator_console.rfb.server_login import Login


class InputBackend(Protocol):
    """Acts on one target, after its own checks that the target is what the model saw."""

    def perform(self, grant: Grant, progress: Progress) -> None:
        """Carry out an admitted grant. Raises ActionError."""
        ...

    def pointer(self) -> tuple[int, int]:
        """The pointer's position, input units."""
        ...

    def look_at_held(self) -> None:
        """Release held keys if something else would get their repeats now. Called often while keys are held."""
        ...

    def release_all(self) -> int:
        """Release every key and button that is held. Returns their number."""
        ...

    def close(self) -> None:
        """Release what is held and undo changes to the target, if it still answers."""
        ...


OpenBackend = Callable[[Ledger, int, OwnWindows, Callable[[], bool], str, Login | None], InputBackend]
"""Opens a backend: the ledger, its descriptor, the console's windows, whether the guard is alive, the address where it
connects to the target (the accessibility bus of an isolated desktop; "" for another one, which DISPLAY names), and how
it logs in there (None: it does not)."""


def _on_x11(
    ledger: Ledger, ledger_fd: int, own: OwnWindows, guard_alive: Callable[[], bool], address: str, _: Login | None
) -> InputBackend:
    from operator_console.injector.x11_backend import X11Backend

    return X11Backend(ledger, ledger_fd, own, guard_alive, address)


def _in_browser(
    ledger: Ledger, _: int, __: OwnWindows, guard_alive: Callable[[], bool], address: str, ___: Login | None
) -> InputBackend:
    from operator_console.injector.browser.backend import BrowserBackend

    return BrowserBackend(ledger, InputGate(ledger, guard_alive), address)


def _on_machine(
    ledger: Ledger, _: int, __: OwnWindows, guard_alive: Callable[[], bool], ___: str, login: Login | None
) -> InputBackend:
    from operator_console.injector.vnc.backend import MachineBackend

    assert login is not None, "the guard tells it"
    return MachineBackend(ledger, InputGate(ledger, guard_alive), login)


BACKENDS: Mapping[TargetKind, OpenBackend] = {
    TargetKind.MONITOR: _on_x11,
    TargetKind.WINDOW: _on_x11,
    TargetKind.VM: _on_x11,
    TargetKind.VIRTUAL: _on_x11,
    TargetKind.BROWSER: _in_browser,
    TargetKind.VNC: _on_machine,
}
"""By the kind of the target. A kind without an entry cannot be acted on."""
