"""How strong the tests of latch, lease, grant and consent are: branch coverage and mutation score of each module.

    python -m tests.strength                  both, of all modules; minutes
    python -m tests.strength consent lease    of the modules with these words in their names
    python -m tests.strength --survivors      also the changes that no test noticed
    python -m tests.strength --digits 47      a fifth of the changes: those whose numbers end with 4 or 7

Coverage is measured by coverage.py; mutmut changes the program and runs the tests that reach the changed function.
Everything happens in a copy of this tree. Exit code 1 where a module is under the bars.

mutmut leaves out functions with a decorator. In the copy, `@property def x` is therefore written as `def x` and
`x = property(x)`, which is the same.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import re
import shutil
import string
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COVERAGE_BAR, MUTATION_BAR = 95.0, 90.0
TESTS = {
    "operator_console/guard/latch.py": (
        "tests/guard/test_latch.py", "tests/guard/test_latch_commands.py", "tests/guard/test_latch_machine.py",
    ),
    "operator_console/guard/server/lease.py": (
        "tests/guard/server/test_lease.py", "tests/guard/server/test_lease_machine.py",
        "tests/guard/server/test_why_paused.py",
    ),
    "operator_console/injector/input_gate.py": ("tests/injector/test_input_gate.py",),
    "operator_console/domain/grants.py": ("tests/domain/test_grants.py", "tests/injector/test_grant_machine.py"),
    "operator_console/domain/admission.py": ("tests/domain/test_admission.py", "tests/injector/test_grant_machine.py"),
    "operator_console/domain/consent.py": ("tests/domain/test_consent.py",),
    "operator_console/engine/questions.py": (
        "tests/engine/test_questions.py", "tests/engine/test_review.py", "tests/engine/test_standing_permissions.py",
        "tests/engine/test_answers.py", "tests/engine/test_consent_machine.py",
    ),
    "operator_console/engine/turn/decide.py": (
        "tests/engine/test_review.py", "tests/engine/test_edits.py", "tests/engine/test_standing_permissions.py",
        "tests/engine/test_autonomy_in_mid_run.py", "tests/engine/test_focus_elsewhere.py",
        "tests/engine/test_typed_secrets.py", "tests/engine/turn/test_look_again.py",
        "tests/engine/test_hidden_areas.py", "tests/engine/test_passwords_hidden.py",
    ),
    "operator_console/engine/turn/grant.py": (
        "tests/engine/turn/test_grant.py", "tests/engine/turn/test_quote_text.py",
        "tests/engine/turn/test_expected_screen.py", "tests/engine/test_receivers.py", "tests/engine/test_slow_disk.py",
        "tests/engine/test_managed_browser.py", "tests/engine/test_pasting.py", "tests/engine/test_effects.py",
        "tests/engine/test_controls.py", "tests/engine/test_standing_permissions.py", "tests/engine/test_unwritten.py",
        "tests/engine/test_answers.py",
    ),
    "operator_console/ui/widgets/approval_delay.py": (
        "tests/ui/widgets/test_approval_delay.py", "tests/ui/widgets/test_approval_machine.py",
    ),
    "operator_console/ui/widgets/held_button.py": (
        "tests/ui/widgets/test_held_button.py", "tests/ui/widgets/test_approval_machine.py",
    ),
    "operator_console/ui/widgets/device_gate.py": ("tests/ui/widgets/test_device_gate.py",),
}  # fmt: skip
"""The modules, and the tests that are to notice a change in them. All tests are run for the coverage of all modules."""
EQUIVALENT = Path(__file__).with_name("strength_equivalent.toml")
_PROFILE = (
    "--hypothesis-profile=strength", "-p", "no:cacheprovider",
    "--deselect=tests/guard/test_latch.py::test_status_and_stop_import_little",
    "--deselect=tests/guard/test_latch.py::test_a_real_full_disk_delays_no_latch",
)  # fmt: skip
"""Without the test of imports, among which those of mutmut would be found in the copy, and without the one that mounts
a disk, which a changed program may leave in use."""
_OPTIONS = """
[tool.mutmut]
source_paths = ["operator_console/"]
only_mutate = {modules}
also_copy = ["resources", "packaging"]
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = {profile}
timeout_multiplier = 4.0
timeout_constant = 5.0
use_git_change_detection = false
track_dependencies = false
"""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change of a module.

    Attributes:
        noticed: whether a test failed, or took far too long.
        change: the lines that it removed and added, each with its sign.
        equivalent: why no test can notice it; "" where that is not so.
    """

    module: str
    noticed: bool
    change: tuple[str, ...] = ()
    equivalent: str = ""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.strength", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--digits", default=string.digits)
    options = parser.parse_args(arguments)
    modules = [each for each in TESTS if not options.words or any(word in each for word in options.words)]
    tests = sorted({test for module in modules for test in TESTS[module]})
    print(f"Of {len(modules)} modules; minutes.", flush=True)
    with tempfile.TemporaryDirectory(prefix="operator-console-strength-") as folder:
        copy = Path(folder) / "tree"
        make_copy(copy, modules, tests)
        covered = branch_coverage(copy, modules, tests)
        for module in modules:
            (copy / module).write_text(without_decorators((copy / module).read_text()))
        mutants = run_mutants(copy, modules, options.digits)
    return report(modules, covered, mutants, survivors=options.survivors)


def make_copy(copy: Path, modules: Sequence[str], tests: Sequence[str]) -> None:
    """Copy what the tests need, with mutmut's options in its pyproject.toml."""
    for name in ("operator_console", "tests", "resources", "packaging"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    options = _OPTIONS.format(modules=json.dumps(modules), tests=json.dumps(tests), profile=json.dumps(_PROFILE))
    (copy / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + options)


def branch_coverage(copy: Path, modules: Sequence[str], tests: Sequence[str]) -> Mapping[str, float]:
    """The share of branches and lines that the tests take, in per cent, by module. Raises CalledProcessError."""
    environment = {**os.environ, "COVERAGE_FILE": str(copy / ".coverage")}
    include = ",".join(modules)
    run = ["-m", "coverage", "run", "--branch", f"--include={include}", "-m", "pytest", "-q", *_PROFILE, *tests]
    subprocess.run([sys.executable, *run], cwd=copy, env=environment, check=True)
    write = [sys.executable, "-m", "coverage", "json", "-q", "-o", "coverage.json"]
    subprocess.run(write, cwd=copy, env=environment, check=True)
    files = json.loads((copy / "coverage.json").read_text())["files"]
    return {module: files[module]["summary"]["percent_covered"] for module in modules}


def without_decorators(source: str) -> str:
    """The same program, in which methods and functions have no decorators but are decorated after their definition."""
    lines = source.splitlines()
    decorated = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.decorator_list
        and not (isinstance(node.decorator_list[0], ast.Name) and node.decorator_list[0].id in _KEPT)
    ]
    for node in sorted(decorated, key=lambda each: -each.lineno):
        assert node.end_lineno is not None
        made = node.name
        for decorator in reversed(node.decorator_list):
            made = f"{ast.unparse(decorator)}({made})"
        lines.insert(node.end_lineno, f"{' ' * node.col_offset}{node.name} = {made}")
        first = min(decorator.lineno for decorator in node.decorator_list)
        for number in range(first, node.lineno):
            lines[number - 1] = ""
    return "\n".join(lines) + "\n"


_KEPT = frozenset(("staticmethod", "classmethod"))
"""Decorators that mutmut knows."""


def run_mutants(copy: Path, modules: Sequence[str], digits: str) -> list[Mutant]:
    """Have mutmut make those changes of the modules whose numbers end with one of the digits, and read what it found.

    Raises CalledProcessError.
    """
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(os.cpu_count() or 1)]
    subprocess.run([*command, *(f"*{digit}" for digit in digits)], cwd=copy, check=True)
    known = tomllib.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    return [mutant for module in modules for mutant in _mutants(copy, module, digits, known.get(module, []))]


_NOT_NOTICED = (0, 5, 33, 34, None)
"""mutmut's codes of changes that the tests passed, that no test reaches, or that were not tried."""


def _mutants(copy: Path, module: str, digits: str, known: Sequence[Mapping[str, str]]) -> Iterator[Mutant]:
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    noted = json.loads((copy / "mutants" / f"{module}.meta").read_text())["exit_code_by_key"]
    for name, code in noted.items():
        if name[-1] not in digits:
            continue
        if code not in _NOT_NOTICED:
            yield Mutant(module=module, noticed=True)
            continue
        with contextlib.chdir(copy):
            shown = get_diff_for_mutant(name).splitlines()
        change = tuple(f"{line[0]} {line[1:].strip()}" for line in shown if re.match(r"[-+](?![-+])", line))
        why = next((one["why"] for one in known if tuple(one["change"].strip().splitlines()) == change), "")
        yield Mutant(module=module, noticed=False, change=change, equivalent=why)


def report(modules: Sequence[str], covered: Mapping[str, float], mutants: Sequence[Mutant], *, survivors: bool) -> int:
    """Print the table; 1 where a module is under a bar, else 0."""
    print(f"\n{'module':50} {'branches':>9} {'changes':>8} {'noticed':>8} {'equivalent':>11} {'score':>8}")
    weak = False
    for module in modules:
        ours = [mutant for mutant in mutants if mutant.module == module]
        equal = sum(bool(mutant.equivalent) for mutant in ours)
        noticed = sum(mutant.noticed for mutant in ours)
        score = 100.0 * noticed / max(1, len(ours) - equal)
        weak = weak or covered[module] < COVERAGE_BAR or score < MUTATION_BAR
        print(f"{module:50} {covered[module]:7.1f} % {len(ours):8} {noticed:8} {equal:11} {score:6.1f} %")
    if survivors:
        for mutant in mutants:
            if not mutant.noticed:
                print(f"\n{mutant.module}: {mutant.equivalent or 'not noticed'}\n  " + "\n  ".join(mutant.change))
    return int(weak)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
