"""No process of ours is started with the whole environment: the keys of models' services stay in the console."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "operator_console"
STARTERS = {("subprocess", name) for name in ("Popen", "run", "call", "check_call", "check_output")} | {
    ("asyncio", "create_subprocess_exec")
}


def starts(tree: ast.AST) -> list[ast.Call]:
    """Calls of subprocess or asyncio that start a process."""
    found = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner, name = node.func.value, node.func.attr
        if isinstance(owner, ast.Name) and (owner.id, name) in STARTERS:
            found.append(node)
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_child_is_given_an_environment_of_its_own(path: Path) -> None:
    for call in starts(ast.parse(path.read_text(encoding="utf-8"))):
        given = {keyword.arg for keyword in call.keywords}
        assert "env" in given, f"{path.name}:{call.lineno} starts a process without env="


def test_the_search_sees_a_process_that_is_started() -> None:
    assert starts(ast.parse("import subprocess\nsubprocess.Popen(['true'])"))
    assert starts(ast.parse("import asyncio\nasyncio.create_subprocess_exec('true')"))
    assert not starts(ast.parse("import asyncio\nasyncio.run(main())"))
