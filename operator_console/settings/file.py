"""Reads and writes the settings file.

An invalid file is an error that names the line or the setting. It is never overwritten.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import tomlkit
from pydantic import BaseModel, ValidationError

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.settings.file_locations import make_folder
from operator_console.settings.model import Settings, with_sections

_HEADER = "# Settings of the operator console. The app rewrites this file when a setting is changed in it.\n"


FindOptions: TypeAlias = Callable[[str], type[BaseModel] | None]
"""Gives the options model of the provider with the name of a section; None if there is no such provider."""


class UnreadableSettings(OperatorError):
    """The settings file is invalid or cannot be read."""


def _no_providers(name: str) -> None:
    return None


def load_settings(path: Path, find_options: FindOptions = _no_providers) -> Settings:
    """Read the settings; defaults if there is no file. `find_options` gives the models of providers' sections.

    Raises:
        UnreadableSettings: The file cannot be read, is invalid, or has an unknown setting.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise _unreadable(path, f"{error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise _unreadable(path, notice(NoticeCode.NOT_UTF8_AT_BYTE, byte=error.start)) from error
    try:
        data = tomllib.loads(text)
        found = {name: find_options(name) for name in data if name not in Settings.model_fields}
        sections = {name: options for name, options in found.items() if options is not None}
        return with_sections(sections).model_validate(data)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, notice(NoticeCode.NOT_TOML, error=str(error))) from error
    except ValidationError as error:
        raise _unreadable(path, joined(*map(_problem, error.errors()))) from error


def save_settings(path: Path, settings: Settings, find_options: FindOptions = _no_providers) -> None:
    """Replace the file atomically.

    Raises:
        UnreadableSettings: The present file is invalid; it is not replaced.
        OperatorError: The file cannot be written.
    """
    load_settings(path, find_options)
    make_folder(path.parent)
    text = _HEADER + tomlkit.dumps(settings.model_dump(mode="json", exclude_defaults=True))
    written: Path | None = None
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            written = Path(file.name)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        written.replace(path)
    except OSError as error:
        if written is not None:
            written.unlink(missing_ok=True)
        raise OperatorError(
            notice(NoticeCode.SETTINGS_NOT_WRITABLE, path=str(path)),
            detail=joined(f"{error.strerror or error}.", notice(NoticeCode.SETTINGS_UNCHANGED)),
            remedy=notice(NoticeCode.FREE_SPACE_AND_CHANGE_AGAIN),
        ) from error


def _problem(item: Mapping[str, Any]) -> str:
    setting = ".".join(str(part) for part in item["loc"]) or notice(NoticeCode.WHOLE_FILE)
    if item["type"] == "extra_forbidden":
        return notice(NoticeCode.NO_SUCH_SETTING, setting=setting)
    problem = str(item["msg"]).removeprefix("Value error, ")
    if isinstance(item["input"], Mapping):
        return notice(NoticeCode.SETTING_INVALID, setting=setting, problem=problem)
    return notice(NoticeCode.SETTING_INVALID_VALUE, setting=setting, problem=problem, value=repr(item["input"]))


def _unreadable(path: Path, detail: str) -> UnreadableSettings:
    return UnreadableSettings(
        notice(NoticeCode.SETTINGS_UNUSABLE, path=str(path)),
        detail=detail,
        remedy=notice(NoticeCode.CORRECT_SETTINGS_FILE),
    )
