"""A real guest on a desktop, and runbooks that the program plays on it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from tests.display.acceptance.harness import Console, start_console
from tests.display.rig import AccessibleSession, Desktop, Witness, later_by_ms, now_ms, wait_until
from tests.display.rig.guest import Guest

TEXTS = {
    "us": "It is 10:30 & 100% [sure] {of} <it> ~ @home #1 $5 ^2 'a' `b` |c| _d-e=f+g;h?i!j*k(l)z,y.w/q",
    "de": "Grüße, 5 € für Öl & Maß: z=y ([{² ³}]) § @ ~ | `a ^b <ÄÜÖ> 'x' #1 + 2*3 - 4? _!",
    "fr": "L'été où ça coûte 5 €: aqwz AQWZ m, ([{ç}]) é è à ù £ µ § @ ~ ^ ` |<>| #1 + 2*3 - 4? _! Noël",
}
"""By the guest's layout. In a German one, QEMU's window takes AltGr+M for its menu where this desktop has no AltGr."""
LONG = "The Quick Brown Fox Jumps Over It. " * 200
_UNDER_WAY = 100
_LIMIT_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosted:
    """A guest, and the desktop on which QEMU's own window shows it.

    Attributes:
        tree: the desktop's accessibility bus, by which viewers tell where in their window the screen is.
        window: QEMU's.
    """

    guest: Guest
    desktop: Desktop
    tree: AccessibleSession
    window: int

    def begin(self, folder: Path, target: str, *steps: str, machine: str = "", layout: str = "us") -> Console:
        """Play a runbook. `machine`: what its settings are named after, where not after the target."""
        home = Path(os.environ["OPERATOR_CONSOLE_HOME"])
        home.mkdir(exist_ok=True)
        (home / "settings.toml").write_text(f'[machines."{machine or target}"]\nlayout = "{layout}"\n')
        return start_console(
            self.desktop, folder, "run", "\n".join(steps), "--provider", "runbook", "--json", "--autonomy", "auto",
            "--target", target,
        )  # fmt: skip

    def point_at(self, window: int) -> None:
        """Give a window the focus, and move the person's pointer into it, where the guest's screen is empty."""
        place = self.desktop.window(window)
        self.desktop.activate(window)
        self.desktop.human_xdo("mousemove", "1430", "890")
        self.desktop.human_xdo("mousemove", str(place.x + place.width // 2), str(place.y + place.height - 150))

    def stop_while_typing(self, console: Console) -> int:
        """Press Ctrl+Alt+X as a person does once LONG is under way, and wait for the end. Nothing is held then, here
        or there, and nothing was pressed in the guest later than the limit. Returns how many characters were confirmed.
        """
        guest, desktop = self.guest, self.desktop
        before = len(guest.strokes())
        wait_until(
            lambda: console.child.checked() and len(guest.strokes()) > before + _UNDER_WAY, "the typing to begin"
        )
        with Witness(desktop) as witness:
            desktop.human_xdo("keydown", "ctrl", "keydown", "alt", "keydown", "x")
            desktop.human_xdo("keyup", "x", "keyup", "alt", "keyup", "ctrl")
            code = desktop.keycode("x")
            chord = next(
                each for each in witness.events(synthetic=False) if each.kind == "key_down" and each.detail == code
            )
            pressed = time.time() - later_by_ms(now_ms(), chord.time_ms) / 1000
        console.wait()
        stopped = console.wait_event("stopped")
        assert stopped["reason"] == "hotkey"
        assert desktop.keys_down() == []
        assert guest.held() == set()
        assert [stroke for stroke in guest.strokes() if stroke.down and stroke.at > pressed + _LIMIT_S] == []
        return int(stopped["delivered"])
