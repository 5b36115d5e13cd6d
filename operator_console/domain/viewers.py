"""The programs whose windows show another machine's screen, and what each passes on to that machine."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


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

    @property
    def passes(self) -> Passes:
        """What it passes on of a key press."""
        return _PASSES[self]


_PASSES: Mapping[Viewer, Passes] = MappingProxyType(
    {viewer: Passes.KEYSYMS if viewer is Viewer.TIGERVNC else Passes.POSITIONS for viewer in Viewer}
)
