"""A desktop under test: server, window manager, what is on it, and the state of its keys and buttons.

Reads the server directly (python-xlib, xcffib), never through the product's own code.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import xcffib
import xcffib.xinput
from PIL import Image
from Xlib import X, error
from Xlib.display import Display

from tests.display.rig.inputs import Inputs
from tests.display.rig.processes import Child, RigError, wait_until
from tests.display.rig.server import XServer, running_test_env, start_openbox, start_xvfb, xdotool
from tests.display.rig.windows import WindowInfo, Windows
from tests.display.rig.xkb_locks import Locks, set_locks

__all__ = ["Desktop", "WindowInfo", "desktop_of_its_own"]


class Desktop(Windows, Inputs):
    """One display with its window manager. ``human`` is the outer display where a nested one has one."""

    def __init__(self, server: XServer, folder: Path, *, human: XServer | None = None, wm: bool = True) -> None:
        self.server = server
        self.folder = folder
        # For what applications leave behind when they are ended. Chromium keeps a socket in it: `folder` is too long.
        self.temporary = TemporaryDirectory(prefix="rig-", ignore_cleanup_errors=True)
        self.human = human
        self.wm: Child | None = start_openbox(server, folder) if wm else None
        self._display: Any = _connect(server.name)
        self._xcb: Any = xcffib.connect(display=server.name)  # type: ignore[no-untyped-call]
        self._xcb(xcffib.xinput.key).XIQueryVersion(2, 2).reply()
        self._children: list[Child] = []
        self._clean = False
        self._plain_mapping = self.keyboard_mapping()

    @classmethod
    def start(cls, server: XServer, folder: Path, *, human: XServer | None = None, wm: bool = True) -> Desktop:
        """Starts the window manager (unless told not to) on a running server."""
        return cls(server, folder, human=human, wm=wm)

    @property
    def name(self) -> str:
        """The display's name, e.g. ``:5``."""
        return self.server.name

    @property
    def env(self) -> dict[str, str]:
        """What a client of this display is started with: the display, a private home, the running test's folder."""
        return {**self.server.env, **running_test_env()}

    def adopt(self, child: Child) -> Child:
        """Ends ``child`` when the test ends."""
        self._children.append(child)
        return child

    def reset(self, *, patience_s: float = 10.0, keep: Mapping[int, Child] | None = None) -> None:
        """Ends what the test started here, releases held input, restores keyboard and pointer.

        Args:
            patience_s: How long the windows of what was ended may take to go.
            keep: Windows that stay, by their ids, and what was started for them.

        Raises:
            RigError: Windows were left by processes that the rig did not start; they are gone now.
        """
        self._clean = False
        kept = [*(keep or {}).values()]
        for child in reversed(self._children):
            if child not in kept:
                child.stop()
        self._children[:] = kept
        self._reconnect()
        if self.human is not None:
            set_locks(self.human.name, Locks())  # a nested server takes its locks over with the next key
        self.release_all()
        self.empty_clipboard()
        try:
            wait_until(
                lambda: {window.xid for window in self.windows()} <= (keep or {}).keys(),
                "the test's windows to go",
                timeout_s=patience_s,
            )
        except RigError as left:
            killed = self.kill_windows()
            raise RigError(f"windows were left behind: {killed}") from left
        finally:
            self.restore_keyboard()
            self._rest_pointer()
        self._clean = True

    def _rest_pointer(self) -> None:
        width, height = self.server.size
        place = width // 2, height - 20
        if self.human is not None:
            # The human's pointer as well: were it left where the next test clicks, no motion would bring ours there.
            beside = str(place[0] - 1), str(place[1])
            xdotool(self.human, "mousemove", *beside, "mousemove", *map(str, place))
            wait_until(lambda: self.pointer() == place, "the pointer to rest")
        self._display.screen().root.warp_pointer(*place)
        self._display.sync()

    @contextlib.contextmanager
    def for_a_test(self) -> Iterator[Desktop]:
        """This desktop for one test: clean before (from the test before, unless cleaning up after that failed) and
        after it."""
        if not self._clean:
            self.reset()
        yield self
        self.reset()

    def clipboard_owner(self) -> int:
        """The window that owns the clipboard, 0 for none."""
        return self.selection_owner("CLIPBOARD")

    def selection_owner(self, name: str) -> int:
        """The window that owns a selection, 0 for none."""
        owner = self._display.get_selection_owner(self._display.intern_atom(name))
        return owner if isinstance(owner, int) else int(owner.id)

    def empty_clipboard(self) -> None:
        """Takes the clipboard and drops it, so that what lives on only to offer it ends."""
        window = self._display.screen().root.create_window(-10, -10, 1, 1, 0, X.CopyFromParent)
        window.set_selection_owner(self._display.intern_atom("CLIPBOARD"), X.CurrentTime)
        window.destroy()
        self._display.sync()

    def _reconnect(self) -> None:
        """A connection of its own for each test: python-xlib can lose its place once its numbers have wrapped round."""
        with contextlib.suppress(Exception):
            self._display.close()
        self._display = _connect(self.server.name)

    def close(self) -> None:
        """Ends everything on the display but the server."""
        for child in reversed(self._children):
            child.stop()
        with contextlib.suppress(Exception):
            self._xcb.disconnect()
        with contextlib.suppress(Exception):
            self._display.close()
        if self.wm is not None:
            self.wm.stop()
        self.temporary.cleanup()

    def xdo(self, *args: str) -> str:
        """xdotool on this display: XTEST, as another program's (or the agent's) input."""
        return xdotool(self.server, *args)

    def human_xdo(self, *args: str) -> str:
        """xdotool on the outer display: arrives here from a real device. Needs a nested desktop."""
        if self.human is None:
            raise RigError("this desktop is not nested: no human can be told from XTEST here")
        return xdotool(self.human, *args)

    @contextlib.contextmanager
    def frozen(self, pid: int) -> Iterator[None]:
        """A client of this server that does not run meanwhile.

        Stopped at a moment at which it has not grabbed the server, as toolkits and window managers do now and then:
        nobody else would be answered.
        """

        def stopped() -> bool:
            os.kill(pid, signal.SIGSTOP)
            try:
                subprocess.run(
                    ["xdotool", "getmouselocation"], env=self.server.env, capture_output=True, timeout=0.5, check=True
                )
            except subprocess.TimeoutExpired:
                os.kill(pid, signal.SIGCONT)
                return False
            return True

        try:
            wait_until(stopped, f"process {pid} to be stopped without a grab", interval_s=0.1)
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def screenshot(self, path: Path) -> Path:
        """The root window as a PNG, for a person to look at."""
        subprocess.run(
            ["import", "-window", "root", str(path)], env=self.env, check=True, capture_output=True, timeout=60
        )
        return path

    def grab(self, xid: int | None = None) -> Image.Image:
        """The pixels of the root (or of one window, where it is not covered) as the server has them now."""
        root = self._display.screen().root
        drawable = root if xid is None else self._display.create_resource_object("window", xid)
        self._display.grab_server()  # no window becomes smaller between the two requests
        try:
            size = drawable.get_geometry()
            raw = drawable.get_image(0, 0, size.width, size.height, X.ZPixmap, 0xFFFFFFFF)
        finally:
            self._display.ungrab_server()
            self._display.flush()
        return Image.frombytes("RGB", (size.width, size.height), raw.data, "raw", "BGRX")

    def pixel(self, xid: int, x: int, y: int) -> tuple[int, int, int]:
        """One pixel of a window, as `grab` has it; it takes the server next to no time."""
        raw = self._display.create_resource_object("window", xid).get_image(x, y, 1, 1, X.ZPixmap, 0xFFFFFFFF)
        blue, green, red = raw.data[:3]
        return red, green, blue


@contextlib.contextmanager
def desktop_of_its_own(folder: Path, size: tuple[int, int] = (1280, 800)) -> Iterator[Desktop]:
    """Xvfb of this size with its window manager, ended with the context."""
    server = start_xvfb(folder, size=size)
    try:
        desktop = Desktop.start(server, folder)
        try:
            yield desktop
        finally:
            desktop.close()
    finally:
        server.stop()


def _connect(name: str) -> Any:
    """python-xlib's RandR puts its errors in the place of the core's first three and then cannot read those."""
    display = Display(name)
    classes = display.display.error_classes
    for code in range(3):
        if code in error.xerror_class:
            classes[code] = error.xerror_class[code]
        else:
            classes.pop(code, None)
    return display
