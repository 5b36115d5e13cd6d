"""The package's source as syntax trees, for the architecture tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "operator_console"


@cache
def modules(*rooms: str) -> list[str]:
    """Paths of the package's modules relative to it ("guard/x11/probe.py"), of all rooms or of those named."""
    found = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")]
    return sorted(name for name in found if not rooms or name.split("/")[0] in rooms)


def tree_of(module: str) -> ast.Module:
    return parsed((PACKAGE / module).read_text(encoding="utf-8"))


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All of a tree's nodes. A walk through all modules takes most of a second."""
    return tuple(ast.walk(tree))


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Full dotted names that a module imports, anywhere in it, with their lines."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.module, node.lineno
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def called(node: ast.Call) -> tuple[str, str]:
    """What a call names: the object it is asked of ("" for a plain name), and the function."""
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
        return name, node.func.attr
    return "", node.func.id if isinstance(node.func, ast.Name) else ""


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in nodes(tree) if isinstance(node, ast.Call))
