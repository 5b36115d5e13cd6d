"""Logging to a rotating file, and with --verbose to the terminal. Keys are hidden."""

from __future__ import annotations

import logging
import logging.handlers
import sys
from pathlib import Path
from typing import IO, Any

from operator_console.domain.redaction import redact
from operator_console.private_files import make_private_file, make_private_folder
from operator_console.settings.api_keys import hide_keys_of_environment

_FILE_BYTES = 1_000_000
_FILES_KEPT = 5
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_OURS = "operator_console"


class _Redacting(logging.Formatter):
    """Hides keys in the formatted line, including its arguments and traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A log file with mode 0600. Reports on stderr, once, that it cannot be written."""

    _reported = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self._cannot_write(error)
        else:
            super().handleError(record)

    def close(self) -> None:
        try:
            super().close()
        except OSError as error:  # while flushing; the file is closed nevertheless
            self._cannot_write(error)

    def _cannot_write(self, error: OSError) -> None:
        if not self._reported:
            self._reported = True
            sys.stderr.write(f"{_unwritable(self.baseFilename, error)}\n")

    def _open(self) -> IO[Any]:  # type: ignore[override]
        make_private_file(Path(self.baseFilename))
        return super()._open()


def start_logging(path: Path, *, verbose: bool) -> str:
    """Log to `path`, and with `verbose` to stderr. Returns a warning if the file cannot be written, else ""."""
    hide_keys_of_environment()
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    logging.getLogger(_OURS).setLevel(logging.DEBUG if verbose else logging.INFO)
    formatter = _Redacting(_FORMAT)
    if verbose:
        terminal = logging.StreamHandler(sys.stderr)
        terminal.setFormatter(formatter)
        root.addHandler(terminal)
    try:
        make_private_folder(path.parent)
        file = _PrivateFile(path, maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8", delay=False)
    except OSError as error:
        if not verbose:
            root.addHandler(logging.NullHandler())  # otherwise Python prints warnings to stderr
        return _unwritable(path, error)
    file.setFormatter(formatter)
    root.addHandler(file)
    return ""


def _unwritable(path: Path | str, error: OSError) -> str:
    return f"The log “{path}” cannot be written ({error.strerror or error})."


def is_logging() -> bool:
    """Whether `start_logging` was called, and `stop_logging` was not."""
    return any(_is_ours(handler) for handler in logging.getLogger().handlers)


def stop_logging() -> None:
    """End what `start_logging` began."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if _is_ours(handler):
            root.removeHandler(handler)
            handler.close()


def _is_ours(handler: logging.Handler) -> bool:
    return isinstance(handler.formatter, _Redacting) or isinstance(handler, logging.NullHandler)
