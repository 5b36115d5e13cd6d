"""Where settings, sessions, logs and run state live. The one place that asks for the user's directories."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from operator_console.domain.errors import OperatorError
from operator_console.private_files import make_private_folder

if TYPE_CHECKING:
    from datetime import datetime

HOME_VARIABLE = "OPERATOR_CONSOLE_HOME"
_APP = "operator-console"
_LINUX: bool = sys.platform == "linux"


class Paths(NamedTuple):
    """Absolute paths; none of them need exist yet. (No dataclass: the window's first picture would wait for that.)

    Attributes:
        settings: the settings file.
        sessions: where new session files go.
        anchors: the heads of their chains, apart from them.
        logs: the rotating log.
        run: latches and locks (the guard's; the same rule is kept there without this module).
    """

    settings: Path
    sessions: Path
    anchors: Path
    logs: Path
    run: Path

    @property
    def log_file(self) -> Path:
        """The log."""
        return self.logs / "operator-console.log"

    def new_session(self, when: datetime | None = None) -> Path:
        """A name for a new session file that is free now; makes the folder. Raises OperatorError."""
        from datetime import datetime

        make_folder(self.sessions)
        stem = (when or datetime.now().astimezone()).strftime("%Y-%m-%d_%H-%M-%S")
        path, number = self.sessions / f"{stem}.ocsession", 2
        while path.exists():
            path, number = self.sessions / f"{stem}_{number}.ocsession", number + 1
        return path

    def session(self, name: str) -> Path:
        """The file that `name` means: a path, or a name in the sessions folder with or without its suffix."""
        given = Path(name).expanduser()
        if given.exists() or given.is_absolute() or len(given.parts) > 1:
            return given.absolute()
        for candidate in (self.sessions / name, self.sessions / f"{name}.ocsession"):
            if candidate.exists():
                return candidate
        return given.absolute()


def find_paths() -> Paths:
    """The paths for this user; $OPERATOR_CONSOLE_HOME, where set, holds them all."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        root = Path(home).expanduser().absolute()
        return _in(config=root, data=root, state=root)
    if _LINUX:
        return _in(
            config=_xdg("XDG_CONFIG_HOME", ".config"),
            data=_xdg("XDG_DATA_HOME", ".local/share"),
            state=_xdg("XDG_STATE_HOME", ".local/state"),
        )
    import platformdirs

    return _in(
        config=platformdirs.user_config_path(_APP, appauthor=False),
        data=platformdirs.user_data_path(_APP, appauthor=False),
        state=platformdirs.user_state_path(_APP, appauthor=False),
    )


def _xdg(variable: str, usual: str) -> Path:
    """As platformdirs has it (a test compares), which takes longer to import than all that `--help` needs."""
    given = os.environ.get(variable, "")
    return (Path(given) if given.strip() else Path.home() / usual) / _APP


def _in(*, config: Path, data: Path, state: Path) -> Paths:
    return Paths(
        settings=config / "settings.toml",
        sessions=data / "sessions",
        anchors=state / "anchors",
        logs=state / "logs",
        run=state / "run",
    )


def make_folder(path: Path) -> None:
    """Make it, and the folders above it that are missing, for the user alone. Raises OperatorError."""
    try:
        make_private_folder(path)
    except OSError as error:
        raise OperatorError(
            f"The folder “{path}” cannot be made.",
            detail=f"{error.strerror or error}.",
            remedy=f"Make it yourself, or set {HOME_VARIABLE} to a folder that you may write to.",
        ) from error
