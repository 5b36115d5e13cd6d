"""The settings file: read strictly, written whole, never lost.

A file that cannot be understood is an error with the line or the name and a remedy; it is never overwritten.
"""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ValidationError

from operator_console.domain.errors import OperatorError
from operator_console.settings.model import Settings, with_sections
from operator_console.settings.paths import make_folder

_HEADER = "# Settings of the operator console. The app rewrites this file when a setting is changed in it.\n"


FindOptions: TypeAlias = Callable[[str], type[BaseModel] | None]
"""The options model of the provider that a section is named after; None where there is no such provider."""


class UnreadableSettings(OperatorError):
    """The file is there and cannot be used; it stays as it is."""


def _no_providers(name: str) -> None:
    return None


def load_settings(path: Path, find_options: FindOptions = _no_providers) -> Settings:
    """The settings; defaults where there is no file. `find_options` tells the sections of providers.

    Raises:
        UnreadableSettings: the file cannot be read or understood, or holds what is no setting.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise _unreadable(path, f"{error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"It is not UTF-8 text (byte {error.start}).") from error
    try:
        data = tomllib.loads(text)
        found = {name: find_options(name) for name in data if name not in Settings.model_fields}
        sections = {name: options for name, options in found.items() if options is not None}
        return with_sections(sections).model_validate(data)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, f"It is not valid TOML: {error}.") from error
    except ValidationError as error:
        raise _unreadable(path, " ".join(_problem(item) for item in error.errors())) from error


def save_settings(path: Path, settings: Settings, find_options: FindOptions = _no_providers) -> None:
    """Write the file whole, through a temporary one beside it.

    Raises:
        UnreadableSettings: the file there now cannot be understood; nothing is written over it.
        OperatorError: it cannot be written.
    """
    load_settings(path, find_options)
    make_folder(path.parent)
    text = _HEADER + to_toml(settings.model_dump(mode="json", exclude_defaults=True))
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)
    except OSError as error:
        raise OperatorError(
            f"The settings file “{path}” cannot be written.",
            detail=f"{error.strerror or error}. The settings that were in it are unchanged.",
            remedy="Make room or give yourself the right to write there, then change the setting again.",
        ) from error


def to_toml(data: Mapping[str, Any]) -> str:
    """TOML of nested tables, arrays of tables and plain values (a TOML basic string is a JSON string but for DEL)."""
    return "\n".join(_table((), data)) + "\n"


def _table(path: tuple[str, ...], table: Mapping[str, Any]) -> list[str]:
    plain = {name: value for name, value in table.items() if not _is_table(value) and not _is_tables(value)}
    lines = [f"[{'.'.join(path)}]"] if path and plain else []
    lines += [f"{name} = {_value(value)}" for name, value in plain.items()]
    for name, value in table.items():
        if _is_table(value):
            lines += ["", *_table((*path, name), value)]
        elif _is_tables(value):
            for item in value:
                lines += ["", f"[[{'.'.join((*path, name))}]]"]
                lines += [f"{key} = {_value(inner)}" for key, inner in item.items()]
    return lines


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_table(item) for item in value)


def _value(value: object) -> str:
    if isinstance(value, Enum):
        return _value(value.value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return json.dumps(value)


def _problem(item: Mapping[str, Any]) -> str:
    place = ".".join(str(part) for part in item["loc"]) or "the file"
    if item["type"] == "extra_forbidden":
        return f"There is no setting “{place}”."
    message = str(item["msg"]).removeprefix("Value error, ")
    given = "" if isinstance(item["input"], Mapping) else f" (it is {item['input']!r})"
    return f"“{place}”: {message}{given}."


def _unreadable(path: Path, detail: str) -> UnreadableSettings:
    return UnreadableSettings(
        f"The settings file “{path}” cannot be used.",
        detail=detail,
        remedy="Mend that line, or move the file away to start with defaults; nothing in it was changed.",
    )
