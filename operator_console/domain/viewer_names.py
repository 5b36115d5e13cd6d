"""The programs whose windows show another machine's screen, and what each passes on to that machine."""

from __future__ import annotations

import re
from enum import StrEnum


class Passes(StrEnum):
    """What a viewer passes on of a key press."""

    POSITIONS = "positions"
    """Which key it is: the machine's own keyboard layout says what it types."""
    KEYSYMS = "keysyms"
    """What the key types by the layout of this desktop."""


class Viewer(StrEnum):
    """A viewer. The values are written to session files."""

    QEMU_GTK = "qemu-gtk"
    QEMU_SDL = "qemu-sdl"
    REMOTE_VIEWER = "remote-viewer"
    """virt-viewer, too: two names of one program."""
    VIRT_MANAGER = "virt-manager"
    BOXES = "gnome-boxes"
    VIRTUALBOX = "virtualbox"
    VMWARE = "vmware"
    REMMINA = "remmina"
    FREERDP = "freerdp"
    TIGERVNC = "tigervnc"

    def passes(self, machine: str) -> Passes:
        """What it passes on of a key press to the machine that its window names.

        TigerVNC's viewer leaves that to the server. QEMU's wants positions, and its machines are named "QEMU" or
        "QEMU (NAME)" (protocol_client_init in ui/vnc.c).
        """
        if self is Viewer.TIGERVNC and not re.fullmatch(r"QEMU(?: \(.*\))?", machine):
            return Passes.KEYSYMS
        return Passes.POSITIONS
