"""The text editor tool: views and changes one file. Runs in the sandbox, by this Python's standard library only.

It reads one request from standard input, {"command", "path", "arguments"}, and writes {"text"} or {"error"}. The
commands are those of Anthropic's text editor tool (docs.claude.com, text_editor_20250728).
"""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

WORKSPACE = Path("/workspace")
MAX_FILE_BYTES = 10_000_000
MAX_CHARACTERS = 20_000  # as in worker_pipes.py, which it cannot import
MAX_ENTRIES = 200
LINES_AROUND = 4


class EditFault(Exception):
    """Why nothing was changed, in words for the model."""


def main() -> None:
    request = json.load(sys.stdin)
    try:
        answer = {"text": edited(request["command"], request["path"], request["arguments"])}
    except EditFault as error:
        answer = {"error": str(error)}
    except OSError as error:
        answer = {"error": f"{request['path']}: {error.strerror or error}"}
    json.dump(answer, sys.stdout)


def edited(command: str, path: str, arguments: dict[str, str]) -> str:
    place = WORKSPACE / path
    match command:
        case "view":
            return _view(place, arguments.get("view_range", ""))
        case "create":
            return _create(place, _given(arguments, "file_text"))
        case "str_replace":
            return _replace(place, _given(arguments, "old_str"), arguments.get("new_str", ""))
        case "insert":
            text = arguments.get("insert_text", arguments.get("new_str"))
            if text is None:
                raise EditFault("The argument insert_text is missing.")
            return _insert(place, _given(arguments, "insert_line"), text)
    raise EditFault(f"There is no command {command!r}. Use view, create, str_replace or insert.")


def _given(arguments: dict[str, str], name: str) -> str:
    if name not in arguments:
        raise EditFault(f"The argument {name} is missing.")
    return arguments[name]


def _view(place: Path, span: str) -> str:
    if place.is_dir():
        if span:
            raise EditFault("view_range is for files.")
        return _listed(place)
    lines = _read(place).split("\n")
    first, last = 1, len(lines)
    if span:
        first, last = _span(span, len(lines))
    return _cut(_numbered(lines[first - 1 : last], first))


def _span(text: str, count: int) -> tuple[int, int]:
    try:
        first, last = (int(number) for number in json.loads(text))
    except (ValueError, TypeError):
        raise EditFault("view_range is not a list of two line numbers.") from None
    last = count if last == -1 else last
    if not 1 <= first <= last:
        raise EditFault(f"view_range is not within the {count} lines of the file.")
    return first, min(last, count)


def _listed(place: Path) -> str:
    """Two levels, without hidden files."""
    found = [str(place)]
    for each in sorted(place.iterdir()):
        if each.name.startswith("."):
            continue
        found.append(f"{each}{'/' if each.is_dir() else ''}")
        if each.is_dir() and not each.is_symlink():
            found += [f"{inner}{'/' if inner.is_dir() else ''}" for inner in sorted(each.iterdir())]
        if len(found) > MAX_ENTRIES:
            return _cut("\n".join([*found[:MAX_ENTRIES], f"… and more than {MAX_ENTRIES} entries in all"]))
    return _cut("\n".join(found))


def _create(place: Path, text: str) -> str:
    there = place.exists()
    place.parent.mkdir(parents=True, exist_ok=True)
    _write(place, text)
    return f"{place} was {'replaced' if there else 'created'}."


def _replace(place: Path, old: str, new: str) -> str:
    if not old:
        raise EditFault("old_str is empty.")
    text = _read(place)
    count = text.count(old)
    if count != 1:
        begins = old.partition("\n")[0]
        where = [str(number) for number, line in enumerate(text.split("\n"), 1) if begins in line]
        many = f"old_str was found {count} times (lines {', '.join(where[:20])}); it must be unique."
        raise EditFault(many if count else "old_str was not found in the file exactly as given.")
    start = text.index(old)
    changed = text[:start] + new + text[start + len(old) :]
    _write(place, changed)
    return f"{place} was changed.\n{_around(changed, text[:start].count(chr(10)) + 1, new.count(chr(10)) + 1)}"


def _insert(place: Path, line: str, new: str) -> str:
    text = _read(place)
    lines = text.split("\n")
    if not line.lstrip("-").isdigit() or not 0 <= int(line) <= len(lines):
        raise EditFault(f"insert_line is not one of 0 to {len(lines)}.")
    at = int(line)
    changed = "\n".join([*lines[:at], *new.split("\n"), *lines[at:]])
    _write(place, changed)
    return f"{place} was changed.\n{_around(changed, at + 1, new.count(chr(10)) + 1)}"


def _around(text: str, first: int, count: int) -> str:
    lines = text.split("\n")
    start = max(1, first - LINES_AROUND)
    return _cut(_numbered(lines[start - 1 : first + count - 1 + LINES_AROUND], start))


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def _cut(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    return f"{text[:MAX_CHARACTERS]}\n… (cut, {len(text) - MAX_CHARACTERS} more characters; view a part by view_range)"


def _read(place: Path) -> str:
    # Without blocking: a named pipe would wait for a writer.
    descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise EditFault(f"{place} is not a file.")
        if found.st_size > MAX_FILE_BYTES:
            raise EditFault(f"{place} is too large ({found.st_size} bytes).")
        data = file.read()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise EditFault(f"{place} is not UTF-8 text.") from None


def _write(place: Path, text: str) -> None:
    if place.exists() and not place.is_file():
        raise EditFault(f"{place} is not a file.")
    # In place, so that mode, owner and links stay.
    with place.open("w", encoding="utf-8", newline="") as file:
        file.write(text)


if __name__ == "__main__":
    main()
