"""Installs the system packages that the application and its tests need, on Debian and Ubuntu.

On other systems it only lists them. Installed packages are left alone, so a second run needs no network. Standard
library only, and valid Python 3.9.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence

from setup_progress import SetupError, run_step, say

NEEDS_ROOT = 3

# "a|b": either one; names differ between releases.
QT = (
    "libegl1",
    "libgl1",
    "libglib2.0-0|libglib2.0-0t64",
    "libdbus-1-3",
    "libfontconfig1",
    "libfreetype6",
    "libwayland-client0",
    "libwayland-cursor0",
    "libwayland-egl1",
    "libx11-6",
    "libx11-xcb1",
    "libxkbcommon0",
    "libxkbcommon-x11-0",
    "libxcb1",
    "libxcb-composite0",
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-image0",
    "libxcb-keysyms1",
    "libxcb-randr0",
    "libxcb-render-util0",
    "libxcb-render0",
    "libxcb-shape0",
    "libxcb-shm0",
    "libxcb-sync1",
    "libxcb-util1",
    "libxcb-xfixes0",
    "libxcb-xinerama0",
    "libxcb-xinput0",
    "libxcb-xkb1",
    "libxcb-xtest0",
    "libxext6",
    "libxfixes3",
    "libxi6",
    "libxrandr2",
    "libxtst6",
)
FONTS = ("fontconfig", "fonts-dejavu-core", "fonts-noto-cjk", "fonts-noto-color-emoji")
VIRTUAL_DISPLAY = (
    "xvfb",
    "openbox",
    "xauth",
    "x11-utils",
    "x11-xserver-utils",
    "x11-xkb-utils",
    "xkb-data",
    "dbus",
    "at-spi2-core",
)
# The sandbox of the tools bash and text editor, and of the isolated desktop with its network; optional for the
# application.
SANDBOX = ("bubblewrap", "slirp4netns")
# Reads what the shipped OCR models cannot; optional for the application.
OTHER_SCRIPTS = (
    "tesseract-ocr",
    "tesseract-ocr-script-arab",
    "tesseract-ocr-script-cyrl",
    "tesseract-ocr-script-deva",
    "tesseract-ocr-script-grek",
    "tesseract-ocr-script-hang",
    "tesseract-ocr-script-hebr",
    "tesseract-ocr-script-thai",
)
TESTS = (
    *OTHER_SCRIPTS,
    "xdotool",
    "xterm",
    "mousepad",
    "galculator",
    "chromium|chromium-browser",
    "xserver-xephyr",
    "gir1.2-atspi-2.0",
    "gir1.2-gtk-3.0",
    "gir1.2-gtk-4.0",
    "python3-gi",
    "zenity",
    "ibus",
    "ibus-gtk3",
    "gir1.2-ibus-1.0",
    "xinput",
    "imagemagick",
    "weston",
    "xwayland",
    "git",
    "tigervnc-standalone-server",
    "tigervnc-tools",
    "x11vnc",
    "wayvnc",
    "sway",
    "grim",
    "qemu-system-x86",
    "qemu-system-gui",
    "virt-viewer",
    "tigervnc-viewer",
    "qemu-utils",
)
# A system for the tests with a real guest: 133 MB, so not for every run of the tests.
GUEST = ("debian-installer-12-netboot-amd64",)


def wanted(command: str, python_packages: Sequence[str]) -> list[str]:
    """The package specifications for ``run``, ``test``, ``scripts`` or ``guest``."""
    if command == "scripts":
        return list(OTHER_SCRIPTS)
    if command == "guest":
        return list(GUEST)
    specs = [*python_packages, *QT, *FONTS, *VIRTUAL_DISPLAY, *SANDBOX]
    if command == "test":
        specs += TESTS
    return specs


def missing(specs: Sequence[str], installed: Callable[[Sequence[str]], dict[str, bool]]) -> list[str]:
    """The specifications of which no alternative is installed."""
    names = [name for spec in specs for name in spec.split("|")]
    there = installed(names)
    return [spec for spec in specs if not any(there.get(name, False) for name in spec.split("|"))]


def dpkg_installed(names: Sequence[str]) -> dict[str, bool]:
    """Whether each package is installed, from dpkg; needs no network."""
    command = ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *names]
    done = subprocess.run(command, capture_output=True, text=True)
    return parse_dpkg(done.stdout)


def parse_dpkg(text: str) -> dict[str, bool]:
    """Read ``dpkg-query`` output: package name to whether it is installed (on any architecture)."""
    table: dict[str, bool] = {}
    for line in text.splitlines():
        name, _, status = line.partition(" ")
        table[name] = table.get(name, False) or status == "installed"
    return table


def choose(specs: Sequence[str], available: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """The first available alternative of each specification, and the specifications without one."""
    chosen: list[str] = []
    unknown: list[str] = []
    for spec in specs:
        name = next((name for name in spec.split("|") if available(name)), None)
        if name is None:
            unknown.append(spec)
        else:
            chosen.append(name)
    return chosen, unknown


def apt_offers(name: str) -> bool:
    done = subprocess.run(["apt-cache", "policy", name], capture_output=True, text=True, env=_apt_env())
    return any(line.strip().startswith("Candidate:") and "(none)" not in line for line in done.stdout.splitlines())


def is_debian() -> bool:
    return shutil.which("dpkg-query") is not None and shutil.which("apt-get") is not None


def provide(specs: Sequence[str]) -> None:
    """Install missing packages, or tell the user what to do.

    Raises:
        SetupError: On Debian and Ubuntu: packages are missing and this user is not root, or apt failed.
    """
    if not is_debian():
        _say_what_is_needed(specs)
        return
    absent = missing(specs, dpkg_installed)
    if not absent:
        say("  system packages: installed")
        return
    if os.geteuid() != 0:
        chosen, unknown = choose(absent, apt_offers)
        names = " ".join([*chosen, *(spec.split("|")[0] for spec in unknown)])
        raise SetupError(
            f"{len(absent)} system packages are missing, and only root can install them. Run this, then try again:\n\n"
            f"  sudo apt-get update && sudo apt-get install -y --no-install-recommends {names}\n",
            NEEDS_ROOT,
        )
    _install(absent)


def _install(absent: Sequence[str]) -> None:
    options = ["-y", "-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=300"]
    remedy = "read the lines above; the usual causes are the network and another program that holds the dpkg lock."
    run_step("reading the package lists", ["apt-get", *options, "update"], remedy=remedy, env=_apt_env())
    chosen, unknown = choose(absent, apt_offers)
    for spec in unknown:
        say(f"  note: this release has no package {spec.replace('|', ' or ')}; continuing without it")
    if not chosen:
        return
    say(f"  packages to install: {' '.join(chosen)}")
    command = ["apt-get", *options, "install", "--no-install-recommends", *chosen]
    run_step(f"installing {len(chosen)} system packages", command, remedy=remedy, env=_apt_env())


def _apt_env() -> dict[str, str]:
    return {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}


def _say_what_is_needed(specs: Sequence[str]) -> None:
    if os.name != "posix" or shutil.which("Xvfb") or os.uname().sysname == "Darwin":
        say("  system packages: nothing to install on this system")
        return
    say("  This is not Debian or Ubuntu, so no system packages are installed. Needed, with Debian's names:")
    say("    " + " ".join(spec.split("|")[0] for spec in specs))
    say("  Continuing. If the application does not start, install the equivalent packages.")
