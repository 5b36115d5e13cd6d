"""The sandboxed tools of a session, from the settings and the request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.tools import SandboxTool
from operator_console.settings.file_locations import Paths
from operator_console.settings.model import Sandbox
from operator_console.tools.sandbox import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSandbox:
    """The tools of a session, and their folder and limits."""

    tools: tuple[SandboxTool, ...]
    folder: Path
    limits: Limits
    timeout_s: float


def chosen_sandbox(settings: Sandbox, request: SessionRequest, paths: Paths, record: Path) -> ChosenSandbox | None:
    """What the request says, else the settings; None: no tools.

    Args:
        settings: The section of the settings.
        request: The request.
        paths: The console's own folders, which the working folder must not contain or be in.
        record: The session file, after which a new folder is named.

    Raises:
        OperatorError: The working folder cannot be used (exit code 2).
    """
    tools = settings.tools if request.sandbox_tools is None else request.sandbox_tools
    if not tools:
        return None
    given = request.sandbox_folder or (Path(settings.folder).expanduser() if settings.folder else None)
    folder = paths.workspaces / record.stem if given is None else _checked(given, paths)
    return ChosenSandbox(tools=tools, folder=folder, limits=sandbox_limits(settings), timeout_s=settings.timeout_s)


def sandbox_trouble(settings: Sandbox) -> str:
    """Why nothing can be run in a sandbox here, and what to do about it; "" if it can. Blocks: it runs a program."""
    from operator_console.tools.sandbox import Sandbox as Tried
    from operator_console.tools.sandbox import SandboxUnavailable

    try:
        Tried(sandbox_limits(settings)).close()
    except SandboxUnavailable as error:
        return f"{error.why} {error.remedy}"
    return ""


def sandbox_limits(settings: Sandbox) -> Limits:
    """The limits that the settings name."""
    return Limits(
        processes=settings.processes,
        memory_bytes=settings.memory_mb * 1_000_000,
        file_bytes=settings.file_mb * 1_000_000,
    )


def _checked(given: Path, paths: Paths) -> Path:
    folder = given.absolute().resolve()
    own = [paths.settings.parent, paths.sessions, paths.anchors, paths.logs, paths.run]
    if not folder.is_dir():
        why = notice(NoticeCode.NOT_A_FOLDER)
    elif Path.home().resolve().is_relative_to(folder):
        why = notice(NoticeCode.FOLDER_HOLDS_HOME)
    elif any(each.is_relative_to(folder) or folder.is_relative_to(each) for each in (one.resolve() for one in own)):
        why = notice(NoticeCode.FOLDER_HOLDS_CONSOLE)
    else:
        return folder
    raise OperatorError(
        notice(NoticeCode.SANDBOX_FOLDER_UNUSABLE, path=str(given)),
        detail=why,
        remedy=notice(NoticeCode.CHOOSE_SANDBOX_FOLDER),
        exit_code=ExitCode.USAGE,
    )
