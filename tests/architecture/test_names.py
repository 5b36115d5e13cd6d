"""Names by which a newcomer finds a module, and docstrings that do not rot.

What still breaks these rules is listed in constants that only shrink: an entry that is no longer needed fails too.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

import pytest

from tests.architecture.source import modules, tree_of

VAGUE = frozenset({
    "desk", "extras", "filed", "first", "front", "hand", "hands", "holding", "joining", "kept", "looks", "manner",
    "resting", "station", "succession", "turning", "working",
})  # fmt: skip
"""Names that say nothing of what a module holds."""

STILL_VAGUE = {
    "app/startup.py",
    "app/backend.py",
    "app/services.py",
    "app/window.py",
    "engine/context.py",
    "engine/input_state.py",
    "engine/pauses.py",
    "engine/turn/quote_text.py",
    "guard/filed.py",
    "guard/hand.py",
    "guard/holding.py",
    "guard/turning.py",
    "injector/input_sender.py",
    "injector/keyboard/delivery.py",
    "practice/widgets.py",
    "ui/startup_window.py",
}

SAME_IN_EACH_ROOM = {
    "__init__.py": "the room itself",
    "__main__.py": "the room as a program",
    "client.py": "the console's side of a child process",
    "process.py": "the main program of a child process",
    "registry.py": "every kind there is, one line each",
    "wire.py": "the messages to and from a child process",
}
"""Names that may occur in several rooms, and what they mean in each."""

STILL_IN_SEVERAL_ROOMS = {
    "actions.py",
    "answering.py",
    "backend.py",
    "chords.py",
    "clipboard.py",
    "codec.py",
    "desktop.py",
    "display.py",
    "effects.py",
    "fcitx.py",
    "hands.py",
    "holding.py",
    "history.py",
    "keys.py",
    "launching.py",
    "lines.py",
    "log.py",
    "model.py",
    "options.py",
    "pointing.py",
    "quoting.py",
    "reader.py",
    "reading.py",
    "records.py",
    "scheme.py",
    "sessions.py",
    "targets.py",
    "verdict.py",
    "window.py",
    "words.py",
}

STILL_LISTS_CALLERS = {
    "app": 8,
    "cli": 5,
    "computers": 1,
    "domain": 3,
    "engine": 21,
    "guard": 10,
    "injector": 17,
    "journal": 10,
    "policy": 12,
    "settings": 6,
    "tools": 2,
    "ui": 19,
}
"""For each room at most how many docstrings still say who calls or uses what they describe."""

_CALLERS = re.compile(r"\b(?:called|used) (?:only )?by\b", re.IGNORECASE)


def vague(paths: Iterable[str]) -> set[str]:
    """The modules with a vague name, or in a folder that has one."""
    return {path for path in paths if VAGUE.intersection(PurePosixPath(path).with_suffix("").parts)}


def in_several_rooms(paths: Iterable[str]) -> dict[str, set[str]]:
    """File names that occur in more than one room, with those rooms. Within a room a name may occur in each folder."""
    rooms = defaultdict(set)
    for path in map(PurePosixPath, paths):
        rooms[path.name].add(path.parts[0] if len(path.parts) > 1 else "")
    return {name: found for name, found in rooms.items() if len(found) > 1}


def lists_callers(tree: ast.Module) -> int:
    """How many docstrings of a module name callers."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)]
    return sum(bool(_CALLERS.search(text)) for text in docstrings)


def test_a_module_is_named_for_what_it_holds() -> None:
    assert vague(modules()) == STILL_VAGUE


def test_a_file_name_means_one_thing() -> None:
    twice = in_several_rooms(modules())
    unexplained = {name: rooms for name, rooms in twice.items() if name not in SAME_IN_EACH_ROOM}
    assert unexplained.keys() == STILL_IN_SEVERAL_ROOMS, unexplained


def test_docstrings_name_no_callers() -> None:
    found: dict[str, int] = defaultdict(int)
    for module in modules():
        if count := lists_callers(tree_of(module)):
            found[module.partition("/")[0]] += count
    assert found.keys() == STILL_LISTS_CALLERS.keys(), dict(found)
    assert [room for room, count in found.items() if count > STILL_LISTS_CALLERS[room]] == [], dict(found)


def test_a_vague_name_would_be_seen() -> None:
    assert vague(["app/hands.py", "ui/front/window.py", "guard/latch.py"]) == {"app/hands.py", "ui/front/window.py"}


def test_a_repeated_name_would_be_seen() -> None:
    paths = ["ui/view/words.py", "policy/word_tables.py", "providers/a/map.py", "providers/b/map.py"]
    assert in_several_rooms(paths) == {"words.py": {"ui", "policy"}}


@pytest.mark.parametrize("text", ["Opens it. Called by `app`.", "Only used by the guard."])
def test_a_list_of_callers_would_be_seen(text: str) -> None:
    assert lists_callers(ast.parse(f'def f():\n    """{text}"""')) == 1
