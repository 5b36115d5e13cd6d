"""Texts about machines: address, password and certificate over VNC, settings and snapshots."""

from __future__ import annotations

# set-up

ADDRESS = "Address"
ADDRESS_NAME = "Address of the machine"
ADDRESS_HINT = "host, host:port or [IPv6]:port"
ADDRESS_TIP = "Without a port it is 5900. A server has 5901 for its display :1, 5902 for :2."
ADDRESS_MISSING = "Enter the address of the machine first."
REMOVE, REMOVE_NAME = "Remove", "Remove this address from the list"
REMOVE_TIP = "Take it off the list of machines used before. A password that was kept stays in the keyring."
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


# settings of one machine, and snapshots

SETTINGS = "Machine settings…"
SETTINGS_TIP = "Keyboard layout, clipboard and monitor of this machine"
SETTINGS_WINDOW = "Machine settings — Operator console"
LAYOUT, LAYOUT_NAME = "Keyboard layout", "Keyboard layout of the machine"
LAYOUT_NOTE = "The layout that its own system is set to, by its name in XKB: de, fr, us(intl)."
PASTE = "Paste text that the layout lacks from its clipboard"
SOCKET = "Socket of QEMU’s monitor (QMP)"
SOCKET_HINT = "/run/user/1000/guest.qmp"
SOCKET_NOTE = (
    "For a machine started with -qmp unix:PATH,server=on,wait=off: snapshots, and whether it runs. A monitor has full "
    "control of the machine. The model reaches nothing of it."
)
CHOOSE, CHOOSE_NAME, CHOOSE_WINDOW = "Choose…", "Choose the socket", "Socket of the monitor — Operator console"
SAVE = "Save"
TAKE, TAKE_TIP = "Take snapshot", "Keep the state of the machine, memory and disks. It replaces the one taken before."
TAKE_ENTRY, GO_BACK_ENTRY = "Take snapshot of the machine", "Go back to snapshot…"
GO_BACK, GO_BACK_TIP = "Go back to snapshot", "Set the machine back to the snapshot. You are asked first."
BUSY = "A snapshot is being taken or gone back to."
PAUSE_FIRST = "Pause or stop the session first."
NO_SNAPSHOT = "There is no snapshot of this machine yet."
NO_SNAPSHOT_DETAIL = "Snapshots that others have taken are left alone."
GO_BACK_LOSES = "What happened on the machine since is lost, on its disks too. This cannot be undone."
GO_BACK_YES = "Go back"
STANDS_STILL = "The machine stands still until it is done."
TAKEN_DETAIL = "Go back to it at any time while no action runs."
TAKING, GOING_BACK = "Taking a snapshot of the machine…", "Setting the machine back to the snapshot…"


def settings_of(machine: str) -> str:
    """The heading."""
    return f"Settings of {machine.partition(':')[2]}"


def wrong(setting: str, problem: str) -> str:
    """What is wrong with a setting, by its name in the settings file."""
    field = {"layout": LAYOUT, "qmp": SOCKET}.get(setting, setting)
    return f"{field}: {problem}."


def default_layout(layout: str) -> str:
    """What holds where none is set; "" for that of this computer."""
    return f"{layout}, as for other machines" if layout else "that of this computer"


def go_back_question(when: str) -> str:
    """The question."""
    return f"Go back to the snapshot of {when}?"


def taken(when: str) -> str:
    """A snapshot was taken."""
    return f"Snapshot taken, {when}."


def went_back(when: str) -> str:
    """The machine was set back."""
    return f"The machine is back at the snapshot of {when}."
