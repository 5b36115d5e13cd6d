"""A capture, computer or backend is asked for what it can do; nobody looks which class it is of.

Values are told apart by their class (`match`, isinstance); what talks to a platform is not.
"""

from __future__ import annotations

import ast

import pytest

from tests.architecture.source import called, calls, modules, nodes, tree_of

_BACKENDS = ("Capture", "Computer", "Desktop", "Display", "Backend", "Releaser", "Watch")


def told_apart(tree: ast.AST) -> list[str]:
    """Every question for the class of something that talks to a platform, with its line."""
    asked = [call.args[1] for call in calls(tree) if called(call)[1] in {"isinstance", "issubclass"}]
    asked += [node.cls for node in nodes(tree) if isinstance(node, ast.MatchClass)]
    return [
        f"{kind.lineno}: {ast.unparse(kind)}"
        for kind in asked
        if any(isinstance(each, ast.Name) and each.id.endswith(_BACKENDS) for each in ast.walk(kind))
    ]


def test_no_module_asks_for_the_class_of_a_capture_or_backend() -> None:
    found = {module: told_apart(tree_of(module)) for module in modules()}
    assert {module: lines for module, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(self._capture, MonitorCapture)",
        "isinstance(x, X11Backend | FakeComputer)",
        "match x:\n    case MonitorCapture():\n        pass",
    ],
)
def test_a_question_for_the_class_would_be_seen(source: str) -> None:
    assert told_apart(ast.parse(source))
