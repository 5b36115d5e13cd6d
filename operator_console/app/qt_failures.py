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

_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
"""Libraries of Qt's plugin for X11 that a desktop need not have, and Debian's packages with them."""
_NOT_FOUND = re.compile(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object file")


@contextmanager
def failures_of_qt_explained(display: str) -> Iterator[None]:
    """While Qt's application is created, say why it cannot be, and exit."""
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler

    def heard(kind: QtMsgType, _context: QMessageLogContext, text: str | None) -> None:
        if kind is not QtMsgType.QtFatalMsg:
            return  # what comes before says the same in Qt's words
        error = _why(display, text or "")
        sys.stderr.write("\n".join(filter(None, error.worded)) + "\n")
        sys.stderr.flush()
        os._exit(error.exit_code)

    before = qInstallMessageHandler(heard)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def missing_library() -> OperatorError | None:
    """The error for the first library that Qt needs for X11 and this computer lacks; None where all are there."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    for library in _PACKAGES:
        try:
            ctypes.CDLL(library)
        except OSError:
            return _lacks(library)
    return None


def from_import_error(error: ImportError) -> OperatorError | None:
    """The error where Qt cannot be imported for want of a library; None for any other reason."""
    found = _NOT_FOUND.search(str(error))
    return _lacks(found[1]) if found else None


def _lacks(library: str) -> OperatorError:
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    package = _PACKAGES.get(library)
    remedy = notice(NoticeCode.INSTALL_LIBRARY, package=package) if package else notice(NoticeCode.INSTALL_SYSTEM_FILES)
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
