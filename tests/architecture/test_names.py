"""Names by which a newcomer finds a module, and docstrings that do not rot."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

import pytest

from tests.architecture.source import modules, nodes, tree_of

VAGUE = frozenset({
    "desk", "extras", "filed", "first", "front", "hand", "hands", "holding", "joining", "kept", "looks", "manner",
    "resting", "station", "succession", "turning", "working",
})  # fmt: skip
"""Names that say nothing of what a module holds."""

SAME_IN_EACH_ROOM = {
    "__init__.py": "the room itself",
    "__main__.py": "the room as a program",
    "actions.py": "what a model asks for",
    "api_keys.py": "keys of models' services",
    "assess.py": "how risky an action is",
    "backend.py": "what stands behind the window",
    "client.py": "the console's side of a child process",
    "display.py": "a connection to an X server",
    "errors.py": "the room's errors",
    "platform.py": "chooses the folder of this platform",
    "protocols.py": "what a platform provides",
    "session.py": "one session",
    "target.py": "what is captured and driven",
    "targets.py": "what can be captured and driven",
    "window.py": "the program's main window",
}
"""Names that may occur in several rooms, and what they mean in each."""

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
    docstrings = [ast.get_docstring(node) or "" for node in nodes(tree) if isinstance(node, documented)]
    return sum(bool(_CALLERS.search(text)) for text in docstrings)


def test_a_module_is_named_for_what_it_holds() -> None:
    assert vague(modules()) == set()


def test_a_file_name_means_one_thing() -> None:
    twice = in_several_rooms(modules())
    assert {name: rooms for name, rooms in twice.items() if name not in SAME_IN_EACH_ROOM} == {}
    assert SAME_IN_EACH_ROOM.keys() <= twice.keys() | {"__init__.py"}


def test_docstrings_name_no_callers() -> None:
    assert {module: count for module in modules() if (count := lists_callers(tree_of(module)))} == {}


def test_a_vague_name_would_be_seen() -> None:
    assert vague(["app/hands.py", "ui/front/window.py", "guard/latch.py"]) == {"app/hands.py", "ui/front/window.py"}


def test_a_repeated_name_would_be_seen() -> None:
    paths = ["ui/view/words.py", "policy/words.py", "providers/a/map.py", "providers/b/map.py"]
    assert in_several_rooms(paths) == {"words.py": {"ui", "policy"}}


@pytest.mark.parametrize("text", ["Opens it. Called by `app`.", "Only used by the guard."])
def test_a_list_of_callers_would_be_seen(text: str) -> None:
    assert lists_callers(ast.parse(f'def f():\n    """{text}"""')) == 1
