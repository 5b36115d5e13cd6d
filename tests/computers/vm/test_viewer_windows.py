"""A machine is recognised by its viewer's window, with its name and state; other windows of viewers are not."""

from __future__ import annotations

import pytest

from operator_console.computers.vm.viewer_windows import MachineState, ShownMachine, shown_machine
from operator_console.desktop.values import Window, WindowState
from operator_console.domain.geometry import Rect
from operator_console.domain.viewer_names import Viewer

RUNNING, PAUSED, OFF, GRABS = MachineState.RUNNING, MachineState.PAUSED, MachineState.OFF, MachineState.GRABS_POINTER


def window(
    app: str,
    title: str,
    *,
    width: int = 800,
    kinds: tuple[str, ...] = (),
    transient_for: int = 0,
    override: bool = False,
) -> Window:
    rect = Rect(0, 0, width, 600)
    return Window(
        window_id=7, frame_id=7, title=title, app=app, pid=1, rect=rect, frame_rect=rect, state=WindowState.SHOWN,
        override=override, transient_for=transient_for, kinds=kinds,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("app", "title", "viewer", "name", "state"),
    [
        ("Qemu-system-x86_64", "QEMU", Viewer.QEMU_GTK, "", RUNNING),
        ("Qemu-system-x86_64", "QEMU (debian)", Viewer.QEMU_GTK, "debian", RUNNING),
        ("Qemu-system-aarch64", "QEMU (debian) [Angehalten]", Viewer.QEMU_GTK, "debian", PAUSED),
        ("Qemu-system-x86_64", "QEMU (a (b)) - Press Ctrl+Alt+G to release grab", Viewer.QEMU_GTK, "a (b)", GRABS),
        ("Qemu-system-x86_64", "QEMU [Paused] - Press Ctrl+Alt+G to release grab", Viewer.QEMU_GTK, "", PAUSED),
        ("qemu-system-x86_64", "QEMU (debian-0)", Viewer.QEMU_SDL, "debian", RUNNING),
        ("qemu-system-x86_64", "QEMU (debian-1) [Stopped]", Viewer.QEMU_SDL, "debian-1", PAUSED),
        ("qemu-system-x86_64", "QEMU - Press Ctrl-Alt-G to exit grab", Viewer.QEMU_SDL, "", GRABS),
        ("Remote-viewer", "debian (1)", Viewer.REMOTE_VIEWER, "debian", RUNNING),
        ("Virt-viewer", "a - b (2)", Viewer.REMOTE_VIEWER, "a - b", RUNNING),
        ("Remote-viewer", "(Press Ctrl+Alt to release pointer) debian (1)",
         Viewer.REMOTE_VIEWER, "debian", GRABS),
        ("Virt-manager", "debian on QEMU/KVM", Viewer.VIRT_MANAGER, "debian", RUNNING),
        ("virt-manager", "debian auf QEMU/KVM: host", Viewer.VIRT_MANAGER, "debian", RUNNING),
        ("Virt-manager", "Press Control_L+Alt_L to release pointer. debian on QEMU/KVM", Viewer.VIRT_MANAGER, "debian",
         GRABS),
        ("org.gnome.Boxes", "Debian 12", Viewer.BOXES, "Debian 12", RUNNING),
        ("VirtualBox Machine", "debian [Running] - Oracle VM VirtualBox", Viewer.VIRTUALBOX, "debian", RUNNING),
        ("VirtualBox Machine", "debian (clean) [Paused] - Oracle VirtualBox : 1", Viewer.VIRTUALBOX, "debian", PAUSED),
        ("VirtualBox Machine", "debian [Powered Off] - Oracle VirtualBox", Viewer.VIRTUALBOX, "debian", OFF),
        ("Vmware", "debian - VMware Workstation", Viewer.VMWARE, "debian", RUNNING),
        ("Vmplayer", "debian - VMware Workstation 17 Player", Viewer.VMWARE, "debian", RUNNING),
        ("org.remmina.Remmina", "office", Viewer.REMMINA, "office", RUNNING),
        ("xfreerdp", "FreeRDP: host.example", Viewer.FREERDP, "host.example", RUNNING),
        ("TigerVNC Viewer", "debian - TigerVNC", Viewer.TIGERVNC, "debian", RUNNING),
    ],
)  # fmt: skip
def test_a_machine_is_known_by_its_viewers_class_and_title(
    app: str, title: str, viewer: Viewer, name: str, state: MachineState
) -> None:
    assert shown_machine(window(app, title)) == ShownMachine(viewer=viewer, name=name, state=state)


@pytest.mark.parametrize(
    ("app", "title"),
    [
        ("Mousepad", "QEMU (debian)"),
        ("Remote-viewer", "Remote Viewer"),
        ("Virt-manager", "Virtual Machine Manager"),
        ("Virt-manager", "New VM"),
        ("Gnome-boxes", "Boxes"),
        ("VirtualBox Manager", "Oracle VM VirtualBox Manager"),
        ("Vmware", "Home - VMware Workstation"),
        ("Vmware", "VMware Workstation"),
        ("org.remmina.Remmina", "Remmina Remote Desktop Client"),
        ("TigerVNC Viewer", "VNC Viewer: Connection Details"),
    ],
)
def test_a_viewers_list_and_dialogs_and_other_programs_show_no_machine(app: str, title: str) -> None:
    assert shown_machine(window(app, title)) is None


def test_helper_windows_dialogs_and_menus_show_no_machine() -> None:
    app, title = "Qemu-system-x86_64", "QEMU"
    assert shown_machine(window(app, title, width=10)) is None
    assert shown_machine(window(app, title, kinds=("dialog",))) is None
    assert shown_machine(window(app, title, transient_for=3)) is None
    assert shown_machine(window(app, title, override=True)) is None
