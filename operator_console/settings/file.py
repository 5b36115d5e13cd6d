"""Reads and writes the settings file.

An invalid file is an error that names the line or the setting. It is never overwritten.
"""

from __future__ import annotations

import copy
import os
import tempfile
import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel, ValidationError

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.settings.file_locations import make_folder
from operator_console.settings.model import Settings, with_sections
from operator_console.settings.profiles import option_problems

if TYPE_CHECKING:
    from tomlkit.items import Table

_HEADER = "# Settings of the operator console. The app changes values here; your comments stay.\n"


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
        text = path.read_text(encoding="utf-8-sig")
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
        settings = with_sections(sections).model_validate(data)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, notice(NoticeCode.NOT_TOML, error=str(error))) from error
    except ValidationError as error:
        raise _unreadable(path, joined(*map(_problem, error.errors()))) from error
    problems = [problem for name in settings.profiles for problem in profile_problems(settings, name, find_options)]
    if problems:
        raise _unreadable(path, joined(*problems))
    return settings


def profile_problems(settings: Settings, name: str, find_options: FindOptions) -> list[str]:
    """What is wrong with the options of a profile, each as a sentence that names the option.

    Those of a provider that is not installed are not read, so that uninstalling one does not make the file invalid.
    """
    profile = settings.profiles[name]
    model = find_options(profile.provider)
    if model is None:
        return []
    error = option_problems(profile, model, settings.section(profile.provider))
    return [] if error is None else [_problem(item, "profiles", name, "options") for item in error.errors()]


def save_settings(
    path: Path, settings: Settings, find_options: FindOptions = _no_providers, *, before: Settings | None = None
) -> None:
    """Replace the file atomically. Its comments stay, and so does what was changed in it otherwise.

    Args:
        path: The file.
        settings: The settings.
        find_options: Gives the models of providers' sections.
        before: Only what differs from these is changed in the file; None: what differs from the file.

    Raises:
        UnreadableSettings: The present file is invalid; it is not replaced.
        OperatorError: The file cannot be written.
    """
    present = load_settings(path, find_options)
    make_folder(path.parent)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        text = _HEADER
    text = changed_text(text, _values(present if before is None else before), _values(settings))
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


def _values(settings: Settings) -> dict[str, Any]:
    values: dict[str, Any] = _without_none(settings.model_dump(mode="json", exclude_defaults=True))
    return values


def _without_none(value: Any) -> Any:
    """TOML has no null: what is None is left out."""
    if isinstance(value, dict):
        return {name: _without_none(each) for name, each in value.items() if each is not None}
    return [_without_none(each) for each in value] if isinstance(value, list) else value


def _problem(item: Mapping[str, Any], *within: str) -> str:
    setting = ".".join(str(part) for part in (*within, *item["loc"])) or notice(NoticeCode.WHOLE_FILE)
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


def changed_text(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The TOML text with those values changed, added or removed in which `after` differs from `before`.

    Where the text cannot be edited so that it says that, it is written anew, without its comments.
    """
    import tomlkit  # a parser that reading does without
    from tomlkit.exceptions import TOMLKitError

    expected = copy.deepcopy(tomllib.loads(text))
    _change(expected, before, after)
    try:
        document = tomlkit.parse(text)
        _change(document, before, after)
        edited = tomlkit.dumps(document)
        if tomllib.loads(edited) == expected:
            return edited
    except (TOMLKitError, tomllib.TOMLDecodeError, TypeError, ValueError, KeyError):
        pass
    return tomlkit.dumps(expected)


def _change(table: MutableMapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    from tomlkit.items import Table

    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old == new and (name in before) is (name in after):
            continue
        if name not in after:
            table.pop(name, None)
        elif isinstance(new, Mapping) and isinstance(within := table.get(name), MutableMapping):
            _change(within, old if isinstance(old, Mapping) else {}, new)
        elif isinstance(table, Table):
            _set(table, name, new)
        else:
            table[name] = new


def _set(table: Table, name: str, value: Any) -> None:
    """Set a value; a new one before comments at the end of the table, which are about the next one."""
    body = table.value.body
    last = max((place for place, (key, _) in enumerate(body) if key is not None), default=-1)
    trailing = body[last + 1 :] if name not in table else []
    if trailing:
        del body[last + 1 :]
    table[name] = value
    body.extend(trailing)
