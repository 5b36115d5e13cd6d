"""What the window and the terminal say goes through gettext: the text in their source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.source import called, modules, parsed, tree_of

_MARKS = frozenset({"_", "ngettext", "N_", "NN_"})
# Of `log` and loggers: the log is for who develops.
_LOG = frozenset({"add", "add_error", "debug", "info", "warning", "error", "exception", "critical"})
# Names of tasks and threads, patterns, forms of times, style sheets, families of fonts.
_NOT_SHOWN = frozenset({
    "create_task", "Thread", "compile", "fullmatch", "match", "search", "sub", "split", "strftime", "fromisoformat",
    "setStyleSheet", "setObjectName", "setProperty", "fromString", "getattr", "start",
})  # fmt: skip
_SAYS = frozenset({
    "setText", "setWindowTitle", "setToolTip", "setAccessibleName", "setAccessibleDescription", "setPlaceholderText",
    "setTitle", "setStatusTip", "addItem", "addAction", "print", "say", "note", "label", "button",
})  # fmt: skip
# Names of this program, fonts, versions, tasks and of values kept in a file, values of JSON, and steps of a runbook.
_PLAIN = frozenset({
    "Operator console", "Operator console ", "operator-console: ", "Python ", ", Qt ", "DejaVu Sans Mono",
    "Noto Sans Mono", "cut off", "not installed", "picture ", "judge edit", "forget machine", "cancel export:",
    "export ", "verify ", "delete ", "accept certificate", "keyring of a machine", "machine settings", "find snapshot",
    "end practice", "practice result", "remember start", "check the runbook", "runbook file", "mark told",
    "recent sessions", "pictures of the targets", "bring the target forward", "target test", "choice ",
    "waiting for disk", "handed over", "help contents", "help width", "help height", "library width", "library height",
    "Callable[[NativePoint, QSize], QImage | None]", 'click button "Save"\nexpect "Saved once"',
})  # fmt: skip
_SENTENCE = re.compile(r"[^\W\d_]{2,} \S*[^\W\d_]|[^\W\d_]{2,}[.:,!?] |^ ?[^\W\d_]{2,} | [^\W\d_]{2,} ?$")
_WORD = re.compile(r"[^\W\d_]{2,}")


def _untranslated(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Texts of several words, and words that go to a person directly, with their lines."""
    passed = _passed_over(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed:
            if _SENTENCE.search(node.value) and node.value not in _PLAIN:
                yield node.lineno, node.value
        elif isinstance(node, ast.Call) and called(node)[1] in _SAYS and id(node) not in passed and node.args:
            first = node.args[0]
            for part in first.values if isinstance(first, ast.JoinedStr) else [first]:
                word = part.value if isinstance(part, ast.Constant) else ""
                if isinstance(word, str) and _WORD.search(word) and word not in _PLAIN:
                    yield part.lineno, word


def _passed_over(tree: ast.Module) -> set[int]:
    """The nodes in calls and statements that show nothing to a person, or mark it for translation."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            owner, name = called(node)
            logs = name in _LOG and owner.strip("_") in ("log", "logger")
            errors = name in ("AssertionError", "ValueError", "TypeError", "RuntimeError", "KeyError", "LookupError")
            if name in _MARKS or name in _NOT_SHOWN or logs or errors:
                found |= set(map(id, ast.walk(node)))
        elif isinstance(node, ast.keyword) and node.arg == "class_":
            found |= set(map(id, ast.walk(node.value)))
        elif isinstance(node, ast.Assert) and node.msg is not None:
            found |= set(map(id, ast.walk(node.msg)))
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            found |= set(map(id, ast.walk(node.annotation)))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))  # a docstring
    return found


@pytest.mark.parametrize(
    "source",
    [
        "window.setWindowTitle('Key')",
        "print(f'{count} steps')",
        "TITLE = 'Choose a target'",
        "words = f'{name} is gone'",
        "words = reason + ' by you'",
        "self.add(label('Model', 'heading'))",
    ],
)
def test_text_that_is_not_translated_is_found(source: str) -> None:
    assert list(_untranslated(parsed(source)))


@pytest.mark.parametrize(
    "source",
    [
        "window.setWindowTitle(_('Key of {name}').format(name=name))",
        "print(ngettext('{count} step', '{count} steps', n).format(count=n))",
        "_log.warning('it cannot be read: %s', error)",
        "raise AssertionError('never called by anybody')",
        "print(f'{name:<11} {title}')",
        "create_task(work(), name='terminal question')",
        "def f():\n    'What it does.'",
    ],
)
def test_what_is_translated_or_not_shown_is_not_found(source: str) -> None:
    assert not list(_untranslated(parsed(source)))


def test_texts_go_through_gettext() -> None:
    found = [
        f"{module}, line {line}: {text!r}"
        for module in modules("ui", "cli")
        for line, text in _untranslated(tree_of(module))
    ]
    assert not found, "\n".join(found)
