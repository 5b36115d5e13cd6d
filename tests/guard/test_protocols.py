"""What is released by another process is only counted here, and forgotten once the injector is dead."""

from __future__ import annotations

import os

from operator_console.desktop.ledger import Ledger
from operator_console.guard.protocols import Held, ReleasedElsewhere


def test_what_is_held_is_counted_and_forgotten_once_the_injector_is_dead() -> None:
    ledger, fd = Ledger.in_memory()
    for key in (0, 16, 255):  # windowsVirtualKeyCodes
        ledger.mark_key(key, True)
        ledger.mark_sent(key)
    ledger.mark_button(1, True)
    releaser = ReleasedElsewhere()
    assert releaser.sweep(ledger) == Held(keys=3, buttons=1)
    assert (ledger.keys, ledger.sent) == ([0, 16, 255], [0, 16, 255]), "a press may still be on its way"
    releaser.finish(ledger)
    assert ledger.clean
    ledger.close()
    os.close(fd)
