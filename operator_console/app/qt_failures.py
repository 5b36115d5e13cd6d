"""Why Qt cannot open a window, in our words: it would end the process with a core dump."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import OperatorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType

_PACKAGES = {"libglib-2.0.so.0": "libglib2.0-0", "libgthread-2.0.so.0": "libglib2.0-0"}
"""Debian's packages of libraries that Qt needs, where they are not named by Debian's rule."""
_NOT_FOUND = re.compile(r"(lib[\w.+-]+\.so\.\d+): cannot open shared object file")


@contextmanager
def failures_of_qt_explained(display: str) -> Iterator[None]:
    """While Qt's application is created, say why it cannot be, and exit."""
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler

    def heard(kind: QtMsgType, _context: QMessageLogContext, text: str | None) -> None:
        if kind is not QtMsgType.QtFatalMsg:
            return  # what comes before says the same in Qt's words
        error = _why(display, text or "")
        sys.stderr.write(f"{error.for_terminal}\n")
        sys.stderr.flush()
        os._exit(error.exit_code)

    before = qInstallMessageHandler(heard)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def missing_library() -> OperatorError | None:
    """The error for a library that Qt needs for X11 and this computer lacks; None where all are there."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    try:
        from PySide6.QtCore import QLibraryInfo

        plugins = QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)
        ctypes.CDLL(f"{plugins}/platforms/libqxcb.so")
    except (ImportError, OSError) as error:
        return from_load_error(error)
    return None


def require_libraries() -> None:
    """Raises OperatorError where this computer lacks a library that Qt needs for X11."""
    if (lacking := missing_library()) is not None:
        raise lacking


def from_load_error(error: ImportError | OSError) -> OperatorError | None:
    """The error where Qt cannot be loaded for want of a library; None for any other reason."""
    found = _NOT_FOUND.search(str(error))
    return _lacks(found[1]) if found else None


def _package(library: str) -> str:
    """Debian's package with a library: its name and version, with a hyphen between digits (Debian Policy, 8.1)."""
    name, version = library.lower().split(".so.", 1)
    return _PACKAGES.get(library, f"{name}{'-' if name[-1].isdigit() else ''}{version}")


def _lacks(library: str) -> OperatorError:
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    remedy = notice(NoticeCode.INSTALL_LIBRARY, package=_package(library))
    detail = notice(NoticeCode.LIBRARY_MISSING, library=library)
    return OperatorError(notice(NoticeCode.QT_NOT_STARTED), detail=detail, remedy=remedy)


def _why(display: str, text: str) -> OperatorError:
    """Why Qt cannot use a display; `text` is what it says itself."""
    from operator_console.desktop.platform import display_error
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    if display != NO_DISPLAY and (problem := display_error(display)) is not None:
        return problem
    return missing_library() or OperatorError(notice(NoticeCode.QT_NOT_STARTED), detail=" ".join(text.split())[:300])
