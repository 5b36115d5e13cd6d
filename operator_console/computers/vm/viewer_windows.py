"""Which windows show a machine's screen: by their class, and by what their viewer writes in the title.

Classes that were seen with xprop are marked so; the others, and the titles, are from the viewers' sources. A window of
a viewer whose title does not fit (a list of machines, a connection dialog) shows no machine. States that a viewer
translates are found by their place in the title where it has one, else in English only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from operator_console.desktop.values import Window
from operator_console.domain.viewer_names import Viewer

_LEAST_SIDE_PX = 64
"""Toolkits open helper windows of 1 or 10 pixels with the class of their program."""


class MachineState(Enum):
    """What a title tells of a machine."""

    RUNNING = auto()
    PAUSED = auto()
    OFF = auto()
    GRABS_POINTER = auto()
    """The viewer holds the pointer, which it does where the machine takes steps of it and no positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMachine:
    """A machine as a viewer's window tells it. `name` is "" where the title has none."""

    viewer: Viewer
    name: str
    state: MachineState


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """The windows of a viewer.

    Attributes:
        classes: the class of WM_CLASS.
        title: fits titles of windows that show a machine, with the group `name`; groups `paused`, `off` and
            `grab` are found where it is in that state.
    """

    viewer: Viewer
    classes: re.Pattern[str]
    title: re.Pattern[str]


def _kind(viewer: Viewer, classes: str, title: str) -> _Kind:
    return _Kind(viewer=viewer, classes=re.compile(classes), title=re.compile(title))


_KINDS = (
    # Seen. gd_update_caption in ui/gtk.c: "QEMU", "QEMU (NAME)", then the translated " [Paused]", then the translated
    # " - Press Ctrl+Alt+G to release grab".
    _kind(Viewer.QEMU_GTK, r"Qemu-system-\S+", r"QEMU(?: \((?P<name>.*?)\))?(?P<paused> \[[^\]]+\])?(?P<grab> - .+)?"),
    # Seen. sdl_update_caption in ui/sdl2.c: "QEMU", "QEMU (NAME-CONSOLE)", counted from 0, then " [Stopped]" or
    # " - Press ...".
    _kind(
        Viewer.QEMU_SDL, r"qemu-system-\S+",
        r"QEMU(?: \((?P<name>.*?)(?:-0)?\))?(?P<paused> \[[^\]]+\])?(?P<grab> - Press .+)?",
    ),
    # Seen. virt_viewer_window_update_title in virt-viewer-window.c: "(Press Ctrl+Alt to release pointer) NAME
    # (SCREEN)"; without a machine only the program's name.
    _kind(
        Viewer.REMOTE_VIEWER, r"Remote-viewer|Virt-viewer|remote-viewer|virt-viewer",
        r"(?P<grab>\([^)]*\b(?:Ctrl|Alt|Shift|Control)\w*\b[^)]*\) )?(?P<name>.+) \(\d+\)",
    ),
    # _refresh_title in virtManager/vmwindow.py: "NAME on CONNECTION", before it "Press Ctrl+Alt to release pointer. ".
    # Connections are called after their hypervisor (virtManager/connection.py). Manager, wizards and details of a host
    # have other titles.
    _kind(
        Viewer.VIRT_MANAGER, r"[Vv]irt-manager",
        r"(?P<grab>\D*\b(?:Ctrl|Alt|Shift|Control)\w*\b[^.]*\. )?(?P<name>.+) \S+ "
        r"(?:QEMU|KVM|Xen|LXC|Bhyve|VMware|test).*",
    ),
    # AppWindow of GNOME Boxes: the machine's name; "Boxes" for the collection of machines.
    _kind(Viewer.BOXES, r"gnome-boxes|Gnome-boxes|org\.gnome\.Boxes", r"(?!(?:GNOME )?Boxes$)(?P<name>.+)"),
    # UIMachineWindow::retranslateUi of VirtualBox: "NAME (SNAPSHOT) [STATE] - Oracle VirtualBox : SCREEN". The manager
    # has the class "VirtualBox Manager".
    _kind(
        Viewer.VIRTUALBOX, r"VirtualBox Machine|VirtualBoxVM",
        r"(?P<name>.+?)(?: \([^)]*\))? \[(?:(?P<paused>Paused|Guru Meditation|Stuck)|"
        r"(?P<off>Powered Off|Saved|Aborted.*)|[^\]]+)\](?: - .+)?",
    ),
    # "NAME - VMware Workstation", "NAME - VMware Workstation 17 Player"; the start page is called "Home".
    _kind(Viewer.VMWARE, r"[Vv]mware|[Vv]mplayer", r"(?!Home - )(?P<name>.+) - VMware .+"),
    # rcw.c of Remmina: the connection's name. The list of connections has a title of its own.
    _kind(Viewer.REMMINA, r"org\.remmina\.Remmina|[Rr]emmina", r"(?!Remmina(?: Remote Desktop Client)?$)(?P<name>.+)"),
    # xf_client.c of FreeRDP: "FreeRDP: HOST".
    _kind(Viewer.FREERDP, r"xfreerdp3?", r"(?:FreeRDP: )?(?P<name>.+)"),
    # Seen. DesktopWindow.cxx: "NAME - TigerVNC"; dialogs of the connection have other titles.
    _kind(Viewer.TIGERVNC, r"TigerVNC Viewer|Vncviewer", r"(?P<name>.*) - TigerVNC"),
)  # fmt: skip

_STATES = {
    "paused": MachineState.PAUSED,
    "off": MachineState.OFF,
    "grab": MachineState.GRABS_POINTER,
}


def shown_machine(window: Window) -> ShownMachine | None:
    """The machine whose screen a window shows; None: it shows none."""
    if window.override or window.transient_for or "dialog" in window.kinds:
        return None
    if min(window.rect.width, window.rect.height) < _LEAST_SIDE_PX:
        return None
    for kind in _KINDS:
        if kind.classes.fullmatch(window.app) and (found := kind.title.fullmatch(window.title)):
            groups = found.groupdict()
            state = next((state for name, state in _STATES.items() if groups.get(name)), MachineState.RUNNING)
            return ShownMachine(viewer=kind.viewer, name=groups["name"] or "", state=state)
    return None
