"""A real guest: the graphical installer of Debian 12 from the distribution's own package, in QEMU without KVM.

Its picture is judged by Tesseract, its state by a shell on the serial port, and its input by QEMU's trace: nothing here
is the product's. To the installer's menu one more entry is added, after language, country and keyboard: it asks for a
text, over and over, and keeps each answer in a file of the guest.
"""

from __future__ import annotations

import contextlib
import gzip
import re
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from tests.display.rig.processes import RigError, wait_until
from tests.display.rig.server import XServer
from tests.display.rig.vnc_servers import VncServer, ask_qemu, opened, qemu

SIZE = 1024, 768
FIRST = "Choose the language to be used"
"""What the first screen says."""
ASKS = "Type it."
"""What the screen says on which a text is typed."""
BOOT_S = 300.0
"""An idle core takes 40 to 70 s."""
_IMAGES = Path("/usr/lib/debian-installer/images/12/amd64/gtk/debian-installer/amd64")
_STATES = "states"
_TESSERACT = "/usr/bin/tesseract"  # another one is first on PATH: see `no_tesseract`
_REGULAR, _PROGRAM = 0o100644, 0o100755
_START = b"""\
stty -F /dev/ttyS0 raw -echo
(while IFS= read -r line; do eval "$line"; done </dev/ttyS0 >/dev/ttyS0 2>&1) &
cat >>/var/lib/dpkg/status <<END

Package: typing
Status: install ok unpacked
Version: 1
Description: Type a text
Installer-Menu-Item: 1300

END
"""
_TEMPLATES = b"""\
Template: typing/text
Type: string
Description: Text
 Type it.

Template: debian-installer/typing/title
Type: text
Description: Typing
"""
_MENU_ENTRY = b"""\
#! /bin/sh
. /usr/share/debconf/confmodule
db_get debian-installer/language
echo "$RET" >/tmp/language
number=0
while :; do
    number=$((number + 1))
    db_set typing/text ""
    db_fset typing/text seen false
    db_input critical typing/text || true
    echo $number >/tmp/asked
    db_go || true
    db_get typing/text
    printf '%s' "$RET" >/tmp/answer.$number
done
"""
_STROKE = re.compile(r"@(?P<at>[\d.]+):input_event_\w+ .*(?:qcode|button) (?P<key>\w+), down (?P<down>[01])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A key or a button as QEMU handed it to the guest.

    Attributes:
        key: QEMU's name of it: "a", "shift", "left".
        at: seconds of this machine's clock.
    """

    key: str
    down: bool
    at: float


@dataclass(kw_only=True)
class Guest:
    """A running machine. Its VNC port takes any number of viewers."""

    server: VncServer
    _serial: socket.socket = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._serial = socket.socket(socket.AF_UNIX)
        self._serial.settimeout(30)
        with opened(self.server.folder) as folder:
            self._serial.connect(f"/proc/self/fd/{folder}/serial.sock")

    def close(self) -> None:
        self._serial.close()

    def shell(self, command: str) -> str:
        """What a command prints in the guest."""
        self._serial.sendall(f"{{ {command}; }} </dev/null; printf '\\0'\n".encode())
        printed = b""
        while not printed.endswith(b"\0"):
            printed += self._serial.recv(4096)
        return printed[:-1].decode()

    def ask(self, command: str, **arguments: object) -> Any:
        """Asks QEMU."""
        return ask_qemu(self.server, command, **arguments)

    def picture(self) -> Image.Image:
        """What the guest shows."""
        self.ask("screendump", filename="screen.ppm")
        with Image.open(self.server.folder / "screen.ppm") as image:
            return image.convert("RGB")

    def text(self) -> str:
        """What Tesseract reads there, words apart by one space."""
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            self.picture().convert("L").save(file.name)
            args = [_TESSERACT, file.name, "-", "--psm", "11"]
            return " ".join(subprocess.run(args, capture_output=True, text=True, check=True).stdout.split())

    def wait_for_text(self, text: str, *, timeout_s: float = 120.0) -> None:
        """Wait until the picture says that."""
        wait_until(
            lambda: self.server.child.checked() and text in self.text(),
            f"the guest to show “{text}”",
            timeout_s=timeout_s,
            interval_s=1.0,
        )

    def keep(self, name: str) -> None:
        """Keep the state of the whole machine under that name."""
        self._job("snapshot-save", tag=name, vmstate=_STATES, devices=[_STATES])

    def back_to(self, name: str) -> None:
        """Go back to what was kept."""
        self._job("snapshot-load", tag=name, vmstate=_STATES, devices=[_STATES])

    def make_place_for_states(self) -> None:
        """A disk image that the guest does not see."""
        file = {"driver": "file", "filename": str(self.server.folder / "states.qcow2")}
        self._job("blockdev-create", options={**file, "size": 0})
        self.ask("blockdev-add", **file, **{"node-name": "file"})
        self._job("blockdev-create", options={"driver": "qcow2", "file": "file", "size": 1 << 20})
        self.ask("blockdev-add", **{"driver": "qcow2", "file": "file", "node-name": _STATES})

    def _job(self, command: str, **arguments: object) -> None:
        self.ask(command, **arguments, **{"job-id": "job"})

        def ended() -> dict[str, Any] | None:
            return next((job for job in self.ask("query-jobs") if job["status"] == "concluded"), None)

        job = wait_until(ended, command, interval_s=0.1)
        self.ask("job-dismiss", id="job")
        if job is None or "error" in job:
            raise RigError(f"{command}: {job}")

    def press(self, *keys: str) -> None:
        """Press keys together, by QEMU's names, from outside."""
        self.ask("send-key", keys=[{"type": "qcode", "data": key} for key in keys])

    def use_layout(self, name: str) -> None:
        """The guest's keyboard from now on."""
        if said := self.shell(f"DISPLAY=:0 setxkbmap {name} 2>&1"):
            raise RigError(said)

    def asked(self) -> int:
        """The number of the text that is asked for; 0 before the first."""
        return int(self.shell("cat /tmp/asked 2>/dev/null || echo 0"))

    def answer(self) -> str:
        """Press Enter from outside and return the text that was typed on this screen."""
        number = self.asked()
        self.press("ret")
        wait_until(lambda: self.asked() > number, "the guest to take the text", interval_s=0.1)
        return self.shell(f"cat /tmp/answer.{number}")

    def strokes(self) -> Sequence[Stroke]:
        """All keys and buttons since the machine was started."""
        trace = (self.server.folder / "trace.log").read_text()
        return [
            Stroke(key=found["key"], down=found["down"] == "1", at=float(found["at"]))
            for found in _STROKE.finditer(trace)
        ]

    def held(self) -> set[str]:
        """Keys and buttons that were pressed and not released."""
        down: set[str] = set()
        for stroke in self.strokes():
            (down.add if stroke.down else down.discard)(stroke.key)
        return down


@contextlib.contextmanager
def installer(folder: Path, *, window: XServer | None = None) -> Iterator[Guest]:
    """The machine at its first screen, the list of languages.

    Args:
        folder: for its files.
        window: where QEMU's GTK window opens, which grabs the keyboard while the pointer is over it; None: there is
            none.

    Raises:
        RigError: The package of the installer is not installed.
    """
    if not _IMAGES.exists():
        raise RigError("the installer is not installed; run packaging/bootstrap.py guest")
    (folder / "initrd.gz").write_bytes((_IMAGES / "initrd.gz").read_bytes() + _added_files())
    width, height = SIZE
    options = [
        "-name", "guest", "-m", "1024", "-kernel", str(_IMAGES / "linux"), "-initrd", "initrd.gz",
        "-append", "priority=critical quiet", "-vga", "none", "-device", f"VGA,edid=on,xres={width},yres={height}",
        "-device", "usb-ehci", "-device", "usb-tablet", "-nic", "none",
        "-serial", "unix:serial.sock,server=on,wait=off", "-msg", "timestamp=on",
        *(("-display", "gtk,grab-on-hover=on") if window is not None else ()),
    ]  # fmt: skip
    with qemu(folder, options=options, window=window) as server, contextlib.closing(Guest(server=server)) as guest:
        guest.wait_for_text(FIRST, timeout_s=BOOT_S)
        guest.make_place_for_states()
        yield guest


def _added_files() -> bytes:
    """A second archive; the kernel unpacks what follows the first one over it."""
    files = (
        ("lib/debian-installer-startup.d/S11typing", _START, _REGULAR),
        ("var/lib/dpkg/info/typing.templates", _TEMPLATES, _REGULAR),
        ("var/lib/dpkg/info/typing.postinst", _MENU_ENTRY, _PROGRAM),
        ("TRAILER!!!", b"", 0),
    )
    return gzip.compress(b"".join(_archived(*file) for file in files))


def _archived(name: str, content: bytes, mode: int) -> bytes:
    """A file as the kernel's documentation has it (Documentation/driver-api/early-userspace/buffer-format)."""
    path = name.encode() + b"\0"
    numbers = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
    head = b"070701" + b"".join(b"%08X" % number for number in numbers) + path
    return _padded(head) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
