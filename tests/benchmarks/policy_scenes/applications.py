"""The applications that show the scenes: how each is started, told what to show, and asked what it received.

Each is a context manager; what it starts is ended by its desktop.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Protocol

from tests.benchmarks.policy_scenes.scenes import Scene, Stage
from tests.benchmarks.policy_scenes.web_pages import PageServer
from tests.display.rig import Application, Desktop, launch, wait_until
from tests.display.rig.apps import CHROMIUM_FLAGS

Box = tuple[float, float, float, float]
"""x, y, width, height in root pixels."""

_HERE = Path(__file__).parent
_DEBIAN_PYTHON = "/usr/bin/python3"
STANDS_WITHIN_S = 20.0


class SceneApplication(Protocol):
    """Shows scenes one after another."""

    def show(self, scene: Scene, focus: str) -> Mapping[int, Box]:
        """Show a scene and give the focus as told; returns its marked places."""
        ...

    def received(self) -> Sequence[str]:
        """What it received since the scene stood, or since `forget`."""
        ...

    def forget(self) -> None:
        """Forget what was received."""
        ...

    def close(self) -> None:
        """End it."""
        ...


def application(stage: Stage, desktop: Desktop, env: Mapping[str, str], *, accessible: bool) -> SceneApplication:
    """Start the application of a stage."""
    match stage:
        case Stage.WEB:
            return Browser(desktop, env, accessible=accessible)
        case Stage.QT:
            return Toolkit(desktop, env, [sys.executable, str(_HERE / "qt_scenes.py"), "scenes-qt"])
        case Stage.GTK:
            return Toolkit(desktop, env, [_DEBIAN_PYTHON, str(_HERE / "gtk_scenes.py"), "scenes-gtk"])
        case Stage.XTERM:
            return Terminals(desktop, env)
        case Stage.MOUSEPAD:
            return Editors(desktop, env)


class Browser:
    """One Chromium window."""

    def __init__(self, desktop: Desktop, env: Mapping[str, str], *, accessible: bool) -> None:
        self._desktop = desktop
        self._server = PageServer()
        self._server.__enter__()
        try:
            profile = Path(mkdtemp(prefix="chromium-", dir=desktop.folder))
            (profile / "Default").mkdir()
            quiet = {"credentials_enable_service": False, "profile": {"password_manager_enabled": False}}
            (profile / "Default" / "Preferences").write_text(json.dumps(quiet))
            width, height = desktop.server.size
            rules = f"MAP *.example 127.0.0.1:{self._server.port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
            args = [
                "chromium", *CHROMIUM_FLAGS, f"--user-data-dir={profile}", "--window-position=0,0",
                f"--window-size={width},{height}", f"--host-resolver-rules={rules}",
                *(["--force-renderer-accessibility"] if accessible else []), "http://start.example/",
            ]  # fmt: skip
            self._app = launch(desktop, args, title="Start", wm_class="chromium", by_pid=False, env=env)
            self._find_corner(desktop)
        except BaseException:
            self._server.__exit__()
            raise

    def _find_corner(self, desktop: Desktop) -> None:
        """Have the page say where it is: nothing else on the screen knows it."""

        def told() -> bool:
            x, y = desktop.server.size
            desktop.xdo("mousemove", str(x // 2), str(y // 2 + 20), "mousemove", str(x // 2), str(y // 2))
            return self._server.corner is not None

        wait_until(told, "the page to tell its place", interval_s=0.1)

    def show(self, scene: Scene, focus: str) -> Mapping[int, Box]:
        try:
            places = self._server.show(scene, focus, STANDS_WITHIN_S)
        except TimeoutError:  # an action led elsewhere
            self._desktop.xdo("key", "Escape", "key", "ctrl+l", "type", "http://start.example/")
            self._desktop.xdo("key", "Return")
            places = self._server.show(scene, focus, STANDS_WITHIN_S)
        if not self._server.has_keys and focus != "none":  # the address bar has them
            width, height = self._desktop.server.size
            self._desktop.xdo("key", "Escape", "mousemove", str(width - 30), str(height - 30), "click", "1")
            places = self._server.show(scene, focus, STANDS_WITHIN_S)
        return places

    def received(self) -> Sequence[str]:
        return [f"{each['name']} {each['target'] or ''}".strip() for each in self._server.received() if each["trusted"]]

    def forget(self) -> None:
        self._server.forget()

    def close(self) -> None:
        self._app.stop()
        self._server.__exit__()


class Toolkit:
    """A program that shows the scenes it reads from its stdin."""

    def __init__(self, desktop: Desktop, env: Mapping[str, str], args: Sequence[str]) -> None:
        self._desktop = desktop
        self._process = subprocess.Popen(
            args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**desktop.env, **env},
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._said = threading.Condition()
        self._places: Mapping[int, Box] | None = None
        self._log: list[str] = []
        self._reading = threading.Thread(target=self._read, name="scenes")
        self._reading.start()

    def show(self, scene: Scene, focus: str) -> Mapping[int, Box]:
        told = {"title": scene.title, "look": scene.look, "rows": scene.body, "focus": focus}
        with self._said:
            self._places = None
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(told) + "\n")
            self._process.stdin.flush()
            stands = self._said.wait_for(lambda: self._places is not None and (self._places,), STANDS_WITHIN_S)
        if not stands:
            raise TimeoutError(f"{scene.scene_id} was not shown")
        self._desktop.wait_window(title=scene.title, active=True)
        self.forget()
        return stands[0]

    def received(self) -> Sequence[str]:
        with self._said:
            return list(self._log)

    def forget(self) -> None:
        with self._said:
            self._log.clear()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._reading.join()
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told: dict[str, Any] = json.loads(line)
            with self._said:
                if "places" in told:
                    self._places = {int(name): (b[0], b[1], b[2], b[3]) for name, b in told["places"].items()}
                else:
                    self._log.append(told["event"])
                self._said.notify_all()


class _OneEach:
    """A program that is started for each scene."""

    def __init__(self, desktop: Desktop, env: Mapping[str, str]) -> None:
        self._desktop = desktop
        self._env = env
        self._app: Application | None = None

    def close(self) -> None:
        if self._app is not None:
            self._app.stop()
            self._desktop.wait_gone(self._app.window.xid)
        self._app = None

    def _middle(self) -> Mapping[int, Box]:
        assert self._app is not None
        window = self._app.now()
        return {1: (window.x, window.y, window.width, window.height)}


class Terminals(_OneEach):
    """An xterm with the scene's text, a prompt, and a program that only writes down what it is sent."""

    def show(self, scene: Scene, focus: str) -> Mapping[int, Box]:
        self.close()
        folder = Path(mkdtemp(prefix="terminal-", dir=self._desktop.folder))
        self._typed = folder / "typed"
        self._skip = 0
        (folder / "shown").write_text(plain(scene) + "\n", encoding="utf-8")
        program = f"stty raw -ixon; sed 's/$/\\r/' {folder}/shown | head -c -2; exec tee {self._typed}"
        args = ["xterm", "-u8", "-T", scene.title, "-geometry", "96x28+60+60", "-fa", "DejaVu Sans Mono", "-fs", "11"]
        self._app = launch(self._desktop, [*args, "-e", "sh", "-c", program], wm_class="xterm", env=self._env)
        wait_until(self._typed.exists, "the terminal's program")
        return self._middle()

    def received(self) -> Sequence[str]:
        text = self._typed.read_bytes()[self._skip :] if self._typed.exists() else b""
        return [text.decode("utf-8", "replace")] if text else []

    def forget(self) -> None:
        self._skip = self._typed.stat().st_size


class Editors(_OneEach):
    """Mousepad with the scene's text."""

    def show(self, scene: Scene, focus: str) -> Mapping[int, Box]:
        self.close()
        folder = Path(mkdtemp(prefix="editor-", dir=self._desktop.folder))
        file = folder / (scene.title or "notes.txt")
        file.write_text(plain(scene), encoding="utf-8")
        self._app = launch(
            self._desktop, ["mousepad", "--disable-server", str(file)], wm_class="mousepad", env=self._env
        )  # fmt: skip
        self._title = self._app.now().title
        return self._middle()

    def received(self) -> Sequence[str]:
        assert self._app is not None
        now = self._app.now().title
        return [now] if now != self._title else []

    def forget(self) -> None:
        assert self._app is not None
        self._title = self._app.now().title


def plain(scene: Scene) -> str:
    """The scene's rows as text."""
    return "\n".join(" ".join(item.get("text", "") for item in row) for row in scene.body)
