"""The paths of settings, sessions, logs and runtime files."""

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
    """Absolute paths, which need not exist. A NamedTuple, because dataclasses would delay the start of the window.

    Attributes:
        settings: The settings file.
        sessions: Folder for new session files.
        anchors: Folder for their anchors.
        logs: Folder of the log files.
        run: Folder for latches and locks. The guard determines it in the same way without this module.
        workspaces: Folder for the working folders of sandboxed tools.
        browser_profiles: Folder for kept profiles of the browser, encrypted.
        vnc_certificates: The file with the accepted certificates of VNC servers.
    """

    settings: Path
    sessions: Path
    anchors: Path
    logs: Path
    run: Path
    workspaces: Path
    browser_profiles: Path
    vnc_certificates: Path

    @property
    def log_file(self) -> Path:
        """The current log file."""
        return self.logs / "operator-console.log"

    @property
    def virtual_homes(self) -> Path:
        """Folder for kept home folders of the isolated desktop."""
        return self.workspaces.parent / "virtual-homes"

    @property
    def remembered(self) -> Path:
        """What the window remembers: its place and the recent tasks."""
        return self.logs.parent / "window.json"

    def new_session(self, when: datetime | None = None) -> Path:
        """An unused path for a new session file. Creates the folder. Raises OperatorError."""
        from datetime import datetime

        make_folder(self.sessions)
        stem = (when or datetime.now().astimezone()).strftime("%Y-%m-%d_%H-%M-%S")
        path, number = self.sessions / f"{stem}.ocsession", 2
        while path.exists():
            path, number = self.sessions / f"{stem}_{number}.ocsession", number + 1
        return path

    def session(self, name: str) -> Path:
        """The session file for `name`: a path, or a name in the sessions folder, with or without suffix."""
        given = Path(name).expanduser()
        if given.exists() or given.is_absolute() or len(given.parts) > 1:
            return given.absolute()
        for candidate in (self.sessions / name, self.sessions / f"{name}.ocsession"):
            if candidate.exists():
                return candidate
        return given.absolute()


def find_paths() -> Paths:
    """The paths for this user, all in $OPERATOR_CONSOLE_HOME if it is set."""
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
    """The same as in platformdirs, whose import takes too long for `--help`."""
    given = os.environ.get(variable, "")
    return (Path(given) if given.strip() else Path.home() / usual) / _APP


def _in(*, config: Path, data: Path, state: Path) -> Paths:
    return Paths(
        settings=config / "settings.toml",
        sessions=data / "sessions",
        anchors=state / "anchors",
        logs=state / "logs",
        run=state / "run",
        workspaces=data / "workspaces",
        browser_profiles=data / "browser-profiles",
        vnc_certificates=config / "vnc-certificates.json",
    )


def make_folder(path: Path) -> None:
    """Create a private folder and its missing parents. Raises OperatorError."""
    try:
        make_private_folder(path)
    except OSError as error:
        # Imported late: the window's first picture needs the paths only.
        from operator_console.domain.message_texts import notice
        from operator_console.domain.notices import NoticeCode

        raise OperatorError(
            notice(NoticeCode.FOLDER_NOT_CREATED, path=str(path)),
            detail=f"{error.strerror or error}.",
            remedy=notice(NoticeCode.CREATE_FOLDER_OR_SET_HOME, variable=HOME_VARIABLE),
        ) from error
