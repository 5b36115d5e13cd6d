"""Real applications on a desktop of the rig, started with private homes and waited for by their window.

Every one is adopted by its desktop and ends with the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from tests.display.rig.desktop import Desktop, WindowInfo
from tests.display.rig.processes import Child

# Without the networking flags Chromium looks up hosts at every start; with a renderer sandbox it refuses root.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-features=Translate,MediaRouter,OptimizationHints",
    "--password-store=basic",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """A started application and its first window, as it stood when it came."""

    desktop: Desktop
    child: Child
    window: WindowInfo
    home: Path

    @property
    def pid(self) -> int:
        return self.child.pid

    def now(self) -> WindowInfo:
        """The window as it stands now."""
        return self.desktop.window(self.window.xid)

    def stop(self) -> None:
        self.child.stop()


def launch(
    desktop: Desktop,
    args: Sequence[str],
    *,
    title: str | None = None,
    wm_class: str | None = None,
    by_pid: bool = True,
    active: bool = True,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Application:
    """Starts ``args`` and waits until its window is mapped (and has the focus, unless ``active`` is off).

    Args:
        desktop: Where.
        args: The command.
        title: Part of the window's title.
        wm_class: Part of the window's class.
        by_pid: Also ask that the window be the started process's (off for launchers that fork).
        active: Wait for the focus too.
        env: Added to the desktop's environment.
        cwd: Working folder; a private one by default.
    """
    home = Path(mkdtemp(prefix=f"{Path(args[0]).name}-", dir=desktop.folder))
    private = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
    child_env = {**desktop.env, "HOME": str(home), "TMPDIR": desktop.temporary.name, **private, **(env or {})}
    child = desktop.adopt(Child(args, env=child_env, log=home / "log.txt", cwd=cwd or home))

    window = desktop.wait_window(
        title=title,
        wm_class=wm_class,
        pid=child.pid if by_pid else None,
        active=active,
        still=child.checked if by_pid else None,
    )
    return Application(desktop=desktop, child=child, window=window, home=home)


def launch_xterm(
    desktop: Desktop, *command: str, title: str = "rig xterm", geometry: str = "80x24+40+40", active: bool = True
) -> Application:
    """xterm running ``command`` (default: ``cat``), UTF-8."""
    args = ["xterm", "-u8", "-T", title, "-geometry", geometry, "-e", *(command or ("cat",))]
    return launch(desktop, args, title=title, active=active)


def launch_mousepad(desktop: Desktop, file: Path | None = None, *, active: bool = True) -> Application:
    """mousepad, a GTK text editor, on ``file`` (made by it on the first save) or a new one."""
    args = ["mousepad", "--disable-server"] + ([str(file)] if file is not None else [])
    return launch(desktop, args, wm_class="mousepad", active=active)


def launch_galculator(desktop: Desktop, *, active: bool = True) -> Application:
    return launch(desktop, ["galculator"], wm_class="galculator", active=active)


def launch_chromium(
    desktop: Desktop,
    url: str = "about:blank",
    *extra: str,
    title: str | None = None,
    active: bool = True,
    env: Mapping[str, str] | None = None,
) -> Application:
    """Debian's Chromium with a private profile and no way out but loopback; `title` tells its windows apart."""
    profile = mkdtemp(prefix="chromium-profile-", dir=desktop.folder)
    args = ["chromium", *CHROMIUM_FLAGS, f"--user-data-dir={profile}", "--window-position=0,0", *extra, url]
    return launch(desktop, args, title=title, wm_class="chromium", by_pid=False, active=active, env=env)
