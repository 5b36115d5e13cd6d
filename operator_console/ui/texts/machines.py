"""Texts about machines: address, password and certificate over VNC, settings and snapshots."""

from __future__ import annotations

# set-up


# password


# certificate


def new_certificate(address: str) -> str:
    """The heading for one that was never accepted."""
    return f"Is this the certificate of {address}?"


def changed_certificate(address: str) -> str:
    """The heading for another one than before."""
    return f"The certificate of {address} has changed"


# settings of one machine, and snapshots

LAYOUT, LAYOUT_NAME = "Keyboard layout", "Keyboard layout of the machine"
SOCKET = "Socket of QEMU’s monitor (QMP)"


def settings_of(machine: str) -> str:
    """The heading."""
    return f"Settings of {machine.partition(':')[2]}"


def wrong(setting: str, problem: str) -> str:
    """What is wrong with a setting, by its name in the settings file."""
    field = {"layout": LAYOUT, "qmp": SOCKET}.get(setting, setting)
    return f"{field}: {problem}."
