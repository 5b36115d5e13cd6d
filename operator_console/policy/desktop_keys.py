"""Keys that a desktop, a window manager, the display server or the kernel takes for itself, and what they end or lock.

Closed lists of the keys that come set up, one for each desktop, with where they are written down. All of them count on
every desktop: which one runs inside a machine's window is not known. Keys that only start something or move windows are
not among them.
"""

from __future__ import annotations

from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.findings import Finding, categorised

_BY_DESKTOP: dict[str, tuple[str, ...]] = {
    # plasma-workspace ksmserver (log out, halt, reboot, lock) and kwin (kill window, its keys in Plasma 5 and 6).
    "KDE Plasma": (
        "ctrl+alt+delete",
        "ctrl+alt+shift+delete",
        "ctrl+alt+shift+page_down",
        "ctrl+alt+shift+page_up",
        "ctrl+alt+l",
        "super+l",
        "ctrl+alt+esc",
        "ctrl+super+esc",
    ),
    # gsettings-desktop-schemas and gnome-settings-daemon, plugins.media-keys: logout, screensaver, and recording of the
    # screen; org.gnome.mutter.wayland.keybindings: restore-shortcuts.
    "GNOME": ("ctrl+alt+delete", "super+l", "ctrl+alt+shift+r", "super+esc"),
    # libxfce4ui xfce4-keyboard-shortcuts.xml: session logout, screen lock, xkill, task manager.
    "Xfce": ("ctrl+alt+delete", "ctrl+alt+l", "super+l", "ctrl+alt+esc", "ctrl+shift+esc"),
    # lxqt-session globalkeyshortcuts.conf: lock and leave; lxqt-config's window manager: kill.
    "LXQt": ("ctrl+alt+l", "super+l", "ctrl+alt+delete", "ctrl+alt+esc"),
    # mate-settings-daemon, plugins.media-keys: power and screensaver.
    "MATE": ("ctrl+alt+delete", "ctrl+alt+l"),
    # cinnamon-desktop, keybindings.media-keys: logout, shutdown, screensaver; restart-cinnamon.
    "Cinnamon": ("ctrl+alt+delete", "ctrl+alt+end", "ctrl+alt+l", "ctrl+alt+esc", "ctrl+alt+backspace"),
    # lxde-common openbox/lxde-rc.xml: logout and lock. Openbox's own rc.xml has none of these.
    "LXDE and Openbox": ("ctrl+alt+delete", "ctrl+alt+l", "super+l"),
    # i3 etc/config and sway config.in with either modifier: kill the window, leave the session; dwm config.def.h: quit.
    "i3, sway and dwm": ("alt+shift+q", "super+shift+q", "alt+shift+e", "super+shift+e"),
    # Windows, inside a machine's window: security screen, lock, power menu, settings, task manager.
    "Windows": ("ctrl+alt+delete", "ctrl+alt+end", "super+l", "super+x", "super+i", "ctrl+shift+esc"),
    # xkeyboard-config symbols/terminate and symbols/keypad: ends the server, its grabs or their clients.
    "X server": ("ctrl+alt+backspace", "ctrl+alt+kp_divide", "ctrl+alt+kp_multiply"),
    # Keys of keyboards for power; logind.conf: HandlePowerKey and its siblings.
    "hardware": ("power", "sleep"),
}
_TAKEN = frozenset(frozenset(chord.split("+")) for chords in _BY_DESKTOP.values() for chord in chords)
_SYSTEM_REQUEST = frozenset(("alt", "print_screen"))
"""Linux, Documentation/admin-guide/sysrq.rst: with any further key."""


def desktop_key_findings(pressed: frozenset[str]) -> Iterator[Finding]:
    """Findings for keys pressed together, whatever has the focus."""
    if pressed in _TAKEN or pressed >= _SYSTEM_REQUEST or _switches_virtual_terminal(pressed):
        yield categorised(Category.SYSTEM, "system-keys")


def is_taken(pressed: frozenset[str]) -> bool:
    """Whether a desktop takes them, so that the focused application does not get them."""
    return any(desktop_key_findings(pressed))


def _switches_virtual_terminal(pressed: frozenset[str]) -> bool:
    """keymaps of the kernel, and symbols/srvr_ctrl of xkeyboard-config."""
    return {"ctrl", "alt"} <= pressed and any(key[:1] == "f" and key[1:].isdigit() for key in pressed)
