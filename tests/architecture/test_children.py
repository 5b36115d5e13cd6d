"""No process of ours is started with the whole environment: the keys of models' services stay in the console."""

from __future__ import annotations

import ast

from tests.architecture.source import modules, nodes, tree_of

STARTERS = {("subprocess", name) for name in ("Popen", "run", "call", "check_call", "check_output")} | {
    ("asyncio", "create_subprocess_exec")
}


def starts(tree: ast.AST) -> list[ast.Call]:
    """Calls of subprocess or asyncio that start a process."""
    found = []
    for node in nodes(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner, name = node.func.value, node.func.attr
        if isinstance(owner, ast.Name) and (owner.id, name) in STARTERS:
            found.append(node)
    return found


def test_every_child_is_given_an_environment_of_its_own() -> None:
    found = [(module, call) for module in modules() for call in starts(tree_of(module))]
    assert found
    without = [f"{module}:{call.lineno}" for module, call in found if "env" not in {word.arg for word in call.keywords}]
    assert without == [], "starts a process without env="


def test_the_search_sees_a_process_that_is_started() -> None:
    assert starts(ast.parse("import subprocess\nsubprocess.Popen(['true'])"))
    assert starts(ast.parse("import asyncio\nasyncio.create_subprocess_exec('true')"))
    assert not starts(ast.parse("import asyncio\nasyncio.run(main())"))
