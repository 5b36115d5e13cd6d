"""The sandbox of an isolated desktop's programs, by bubblewrap: what they see, and their network.

They have namespaces of their own (user, processes, network, IPC, host name). They see the system's folders read-only,
their home folder, the shared folder, and the socket of their own display. The kernel's keys are out of reach, because
the session keyring would be inherited. Further user namespaces are allowed: the sandbox of Chromium needs them.

The network is that of slirp4netns, a program between: it reaches other computers and none of this computer's own
services (127.0.0.1, and sockets with abstract names, as the X server of the person's display has one).
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from operator_console.bubblewrap import interpreter, system_folders

_FROM_ETC = (
    "alternatives", "bash.bashrc", "ca-certificates", "chromium", "chromium.d", "dbus-1", "firefox", "firefox-esr",
    "fonts", "gtk-2.0", "gtk-3.0", "gtk-4.0", "host.conf", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
    "libreoffice", "localtime", "magic", "mailcap", "mime.types", "nsswitch.conf", "papersize", "profile", "profile.d",
    "protocols", "services", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone", "X11", "xdg",
)  # fmt: skip
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
_MOST_IN_TMP = 2_000_000_000
_TRIAL_S = 10.0
_NAME_SERVER = "10.0.2.3"  # slirp4netns(1)
_NETWORK_OF_NAMESPACE = 0xB701  # ioctl_ns(2), NS_GET_USERNS: the user namespace that a network namespace belongs to
# By machine: the architecture of linux/audit.h, and the first and last of add_key, request_key, keyctl.
_KEY_CALLS = {"x86_64": (0xC000003E, 248, 250), "aarch64": (0xC00000B7, 217, 219)}
_OTHER_TABLE = 0x40000000  # x32, whose calls have numbers of their own


def sandbox_trouble() -> str:
    """Why there is no sandbox here: what the trial says, in a line; "" if there is one. Blocks for some 20 ms."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed."
    if platform.machine() not in _KEY_CALLS:
        return f"It is not known for this kind of computer ({platform.machine()})."
    try:
        done = subprocess.run(
            ["bwrap", *_NAMESPACES, *system_folders(()), "--proc", "/proc", "--dev", "/dev", "--", "/bin/true"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_TRIAL_S, check=False, env={"PATH": os.defpath},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be started: {error}."
    if done.returncode == 0:
        return ""
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:300]
    return f"bubblewrap cannot make a sandbox: {said or done.returncode}."


_NAMESPACES = (
    "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
    "--cap-drop", "ALL", "--new-session", "--die-with-parent", "--hostname", "desktop",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What programs in the sandbox see besides the system: folders to write in, and places to read, at their paths."""

    writable: Sequence[Path]
    readable: Sequence[Path]


def sandboxed(
    program: Sequence[str],
    environment: Mapping[str, str],
    shown: Shown,
    etc: Path,
    *,
    arguments: int,
    information: int,
    filter_: int,
) -> list[str]:
    """The command line that runs a program in the sandbox.

    Args:
        program: the program and its arguments.
        environment: all of its variables.
        shown: what it sees of this computer.
        etc: a folder for files of /etc that are made for it.
        arguments: a descriptor of an empty file, from which bwrap will read: they are not for the list of processes.
        information: a descriptor to which bwrap writes the process id, see `process_in`.
        filter_: a descriptor of `key_filter`.
    """
    words = [
        *_NAMESPACES, "--info-fd", str(information), "--seccomp", str(filter_), "--clearenv",
        *system_folders(_FROM_ETC), "--ro-bind-try", "/opt", "/opt",
        "--ro-bind-try", "/var/cache/fontconfig", "/var/cache/fontconfig",
        "--proc", "/proc", "--dev", "/dev", "--size", str(_MOST_IN_TMP), "--tmpfs", "/tmp",  # noqa: S108 - in the sandbox
        "--dir", "/run", "--dir", "/var/tmp",  # noqa: S108
    ]  # fmt: skip
    for name, value in environment.items():
        words += ["--setenv", name, value]
    _make_etc(etc, environment["HOME"])
    for each in etc.iterdir():
        words += ["--ro-bind", str(each), f"/etc/{each.name}"]
    for each in shown.readable:
        words += ["--ro-bind", str(each), str(each)]
    for each in shown.writable:
        words += ["--bind", str(each), str(each)]
    _, python = interpreter()
    for each in python:
        words += ["--ro-bind", str(each), str(each)]
    words += ["--remount-ro", "/", "--chdir", environment["HOME"]]
    os.write(arguments, b"".join(each.encode() + b"\0" for each in words))
    os.lseek(arguments, 0, os.SEEK_SET)
    return ["bwrap", "--args", str(arguments), "--", *program]


def _make_etc(etc: Path, home: str) -> None:
    etc.mkdir(mode=0o700)
    user, group = os.getuid(), os.getgid()
    (etc / "passwd").write_text(f"user:x:{user}:{group}::{home}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n")
    (etc / "group").write_text(f"user:x:{group}:\nnogroup:x:65534:\n")
    (etc / "machine-id").write_text(f"{os.urandom(16).hex()}\n")
    (etc / "resolv.conf").write_text(f"nameserver {_NAME_SERVER}\n")
    options = Path("/etc/chromium.d")
    if os.geteuid() == 0 and options.is_dir():  # Chromium has no sandbox for root, and does not start without this
        shutil.copytree(options, etc / "chromium.d")
        (etc / "chromium.d" / "for-root").write_text('export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --no-sandbox"\n')


def key_filter() -> int:
    """A descriptor with a seccomp filter: no keys of the kernel, and no calls by other tables of numbers."""
    architecture, first, last = _KEY_CALLS[platform.machine()]
    load, equal, least, above, answer = 0x20, 0x15, 0x35, 0x25, 0x06
    allow, no_such_call, not_permitted = 0x7FFF0000, 0x00050026, 0x00050001
    rules = (
        (load, 0, 0, 4), (equal, 0, 5, architecture), (load, 0, 0, 0), (least, 3, 0, _OTHER_TABLE),
        (least, 0, 1, first), (above, 0, 2, last), (answer, 0, 0, allow),
        (answer, 0, 0, no_such_call), (answer, 0, 0, not_permitted),
    )  # fmt: skip
    descriptor = os.memfd_create("filter", 0)
    os.write(descriptor, b"".join(struct.pack("=HBBI", *rule) for rule in rules))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def process_in(information: int) -> int:
    """The first process in the sandbox, as this side numbers it. Reads to the end. Raises ValueError, KeyError."""
    with open(information, encoding="utf-8", closefd=False) as file:
        return int(json.load(file)["child-pid"])


def network_command(network: int, user: int, ends: int, ready: int) -> list[str]:
    """The command that connects a network namespace; all descriptors are inherited.

    It writes a byte to `ready`, and ends when `ends` is closed.
    """
    return [
        "slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback", "--netns-type=path",
        f"--exit-fd={ends}", f"--ready-fd={ready}",
        f"--userns-path=/proc/self/fd/{user}", f"/proc/self/fd/{network}", "tap0",
    ]  # fmt: skip


def namespaces_of(pid: int) -> tuple[int, int]:
    """Descriptors of a process's network namespace and of the user namespace that owns it. Raises OSError."""
    network = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    return network, fcntl.ioctl(network, _NETWORK_OF_NAMESPACE)
