"""Importing a module does nothing: no display, no thread, no process, nothing slow that a command does not need."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.architecture.source import modules

_IMPORT_ALL = """
import importlib, json, sys, threading, warnings
warnings.simplefilter("ignore")
before = threading.active_count()
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
bound_to_a_display = [n for n in ("pyautogui", "pynput.keyboard", "pynput.mouse") if n in sys.modules]
print(json.dumps({"bound": bound_to_a_display, "threads": threading.active_count() - before}))
"""


def dotted(module: str) -> str:
    return "operator_console." + module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def test_importing_everything_without_a_display_does_nothing() -> None:
    names = [dotted(m) for m in modules() if not m.endswith("__main__.py") and m != "__init__.py"]
    env = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "QT_QPA_PLATFORM"}}
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, json.dumps(names)], capture_output=True, text=True, env=env, timeout=110
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"bound": [], "threads": 0}


_FIRST = """
import json, sys
import operator_console.cli.window, operator_console.cli.subcommands, operator_console.app.startup
import PySide6.QtCore, PySide6.QtWidgets
from operator_console.app.startup import StartupWindow, Look, QApplication, saved_appearance
app = QApplication(["first"])
front = StartupWindow(app, Look.read(*saved_appearance()))
front.window.drawn.connect(lambda: app.exit(0))
front.show()
app.exec()
dear = [name for module, name in ((PySide6.QtCore, "Qt"), (PySide6.QtWidgets, "QStyle")) if name in vars(module)]
print(json.dumps(dear + sorted(sys.modules)))
"""


def test_the_windows_first_picture_loads_nothing_that_it_does_without() -> None:
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", _FIRST], capture_output=True, text=True, env=env, timeout=60)
    assert done.stdout.strip(), done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])
    ours = {name.split(".")[1] for name in loaded if name.startswith("operator_console.")}
    assert ours == {"app", "cli", "domain", "private_files", "resource_files", "settings", "ui"}
    assert {name for name in loaded if name.startswith("operator_console.domain.")} <= {
        "operator_console.domain.display_names",
        "operator_console.domain.errors",
        "operator_console.domain.risk",
        "operator_console.domain.translations",
    }
    qt = {name for name in loaded if name.startswith("PySide6.Qt")}
    assert qt == {"PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets"}
    dear = ("Qt", "QStyle", "asyncio", "qasync", "dataclasses", "logging.handlers", "platformdirs", "pydantic", "numpy")
    more = ("PIL", "sqlite3", "mss", "Xlib", "xcffib", "google", "subprocess")
    assert [name for name in (*dear, *more) if name in loaded] == []


def test_start_can_be_pressed_before_what_only_sessions_need_is_loaded() -> None:
    code = "import json, sys, operator_console.app.window_loop; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip(), done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])
    dear = (
        "numpy",
        "PIL",
        "jinja2",
        "operator_console.policy",
        "operator_console.engine.session",
        "operator_console.perception",
    )
    assert [name for name in (*dear, "operator_console.ui.reading_page") if name in loaded] == []


def test_the_panels_load_no_rules_of_policy() -> None:
    code = "import json, sys, operator_console.ui.console; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip(), done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert [name for name in ("operator_console.policy", "operator_console.engine.session") if name in loaded] == []


def test_the_words_of_a_stop_load_little() -> None:
    """`status` and `stop` say why a display is stopped, and must be fast."""
    program = "import sys, operator_console.ui.view.cause_words; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    own = {name for name in done.stdout.split() if name.startswith("operator_console.")}
    assert own == {
        "operator_console.domain", "operator_console.domain.stopping", "operator_console.domain.translations",
        "operator_console.ui", "operator_console.ui.view", "operator_console.ui.view.cause_words",
    }  # fmt: skip
