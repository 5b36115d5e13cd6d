"""What no module may do, whatever room it is in."""

from __future__ import annotations

import ast
import sys

import pytest

from tests.architecture.source import called, calls, imported, modules, tree_of


def evaluators(tree: ast.AST) -> list[str]:
    """Calls that would run text as a program: Python's own, or a shell's."""
    found = []
    for call in calls(tree):
        owner, name = called(call)
        if not owner and name in {"eval", "exec", "__import__"}:
            found.append(f"{call.lineno}: {name}()")
        if owner == "os" and name in {"system", "popen"}:
            found.append(f"{call.lineno}: os.{name}()")
        if name in {"create_subprocess_shell", "getoutput", "getstatusoutput"}:
            found.append(f"{call.lineno}: {name}()")
        if owner in {"pickle", "marshal"} and name in {"load", "loads"}:
            found.append(f"{call.lineno}: {owner}.{name}()")
        if any(keyword.arg == "shell" and not _is_false(keyword.value) for keyword in call.keywords):
            found.append(f"{call.lineno}: shell=")
    return found


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def test_nothing_runs_text_as_a_program() -> None:
    found = {module: evaluators(tree_of(module)) for module in modules()}
    assert {module: calls for module, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "source",
    [
        "eval(x)",
        "exec(x)",
        "os.system(x)",
        "run(x, shell=True)",
        "asyncio.create_subprocess_shell(x)",
        "pickle.loads(x)",
    ],
)
def test_running_text_would_be_seen(source: str) -> None:
    assert evaluators(ast.parse(source))


def test_domain_imports_the_standard_library_only() -> None:
    foreign = [
        f"{module}:{line}: {name}"
        for module in modules("domain", "private_files.py", "resource_files.py")
        for name, line in imported(tree_of(module))
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("operator_console.domain")
    ]
    assert foreign == []


def test_every_module_says_what_it_is() -> None:
    assert [module for module in modules() if not ast.get_docstring(tree_of(module))] == []


def urllib_imports(tree: ast.AST) -> set[str]:
    return {name for name, _ in imported(tree) if name.split(".")[0] == "urllib"}


def test_of_urllib_policy_imports_what_splits_addresses_only() -> None:
    found = set().union(*(urllib_imports(tree_of(module)) for module in modules("engine", "policy", "domain")))
    assert found == {"urllib.parse", "urllib.parse.unquote", "urllib.parse.urlsplit"}


_CREATES = frozenset({"mkdir", "makedirs", "touch", "write_bytes", "write_text"})
_CREATES_PRIVATELY = {
    "desktop/x11/desktop_sandbox.py": "writes into the folder of the desktop, which is private",
    "desktop/x11/virtual_desktop.py": "writes into a folder of mkdtemp, which is private",
    "perception/ocr/tesseract_fallback.py": "writes into a temporary folder, which is private",
    "tools/sandbox.py": "creates control groups, whose files the kernel makes",
    "tools/sandbox_editor.py": "writes in the operator's working folder, as any program would",
    "private_files.py": "passes the mode 0700 to mkdir",
}


def creators(tree: ast.AST) -> list[str]:
    """Calls that create a file or folder, with the mode of the umask unless they are given one."""
    return [called(call)[1] for call in calls(tree) if called(call)[1] in _CREATES]


def test_files_and_folders_are_created_by_private_files() -> None:
    assert {module for module in modules() if creators(tree_of(module))} == set(_CREATES_PRIVATELY)


@pytest.mark.parametrize("source", ["path.mkdir(parents=True)", "os.makedirs(x)", "Path(x).write_text(y)"])
def test_a_file_for_everybody_would_be_seen(source: str) -> None:
    assert creators(ast.parse(source))
