"""Texts about a VNC machine: its address, its password and its certificate."""

from __future__ import annotations

# set-up

ADDRESS = "Address"
ADDRESS_NAME = "Address of the machine"
ADDRESS_HINT = "host, host:port or [IPv6]:port"
ADDRESS_TIP = "Without a port it is 5900. A server has 5901 for its display :1, 5902 for :2."
ADDRESS_MISSING = "Enter the address of the machine first."
REMOVE, REMOVE_NAME = "Remove", "Remove this address from the list"
REMOVE_TIP = "Take it off the list of machines used before. A password that was kept stays in the keyring."
RISK = "What is done there is real and stays, and VNC without TLS can be read and changed on the network."
TITLE = "A machine over VNC."
TEXT = (
    "The console connects when the session starts, and shows its screen here. Your own screen, pointer, keyboard and "
    "clipboard are not touched."
)


def not_an_address(text: str) -> str:
    """What is wrong with an address, and how to write one."""
    return f"“{text}” is no address. Write it as host, host:port or [IPv6]:port."


def titled(address: str) -> str:
    """The title of the chosen machine."""
    return f"VNC · {address}"


# password

KEY_WINDOW = "Password — Operator console"
PASSWORD, PASSWORD_NAME = "Password", "Password of the machine"
USER, USER_NAME = "User", "User of the machine"
WRONG = "It did not accept the password. Type it again."
WRONG_USER = "It did not accept the user and the password. Type them again."
KEEP = "Keep it in the system’s keyring"
CANCEL, CONNECT = "Cancel", "Connect"
ENTER_FIRST = "Enter the password first."
ENTER_BOTH_FIRST = "Enter the user and the password first."
IN_MEMORY = "Otherwise it is held in memory for this session, and never written to a file or the record."


def asks_for_password(address: str, *, user: bool) -> str:
    """The heading."""
    return f"{address} asks for a user and a password" if user else f"{address} asks for a password"


def no_keyring(why: str) -> str:
    """Why it cannot be kept."""
    return f"{why} The password is held in memory for this session."


# certificate

FINGERPRINT = "Fingerprint of the certificate (SHA-256)"
ACCEPT = "Accept"
NEW = (
    "The machine encrypts with a certificate that has not been accepted yet. Compare its fingerprint with the one that "
    "the machine itself shows. If they are the same, accept it; you are not asked about it again."
)
CHANGED = (
    "This is another certificate than the one that you accepted. If the machine was not set up anew, somebody may be "
    "between you and it, who would read your password and everything on its screen."
)


def new_certificate(address: str) -> str:
    """The heading for one that was never accepted."""
    return f"Is this the certificate of {address}?"


def changed_certificate(address: str) -> str:
    """The heading for another one than before."""
    return f"The certificate of {address} has changed"
