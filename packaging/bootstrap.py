"""Sets this checkout up on a fresh machine, then runs the application (``run``) or every check (``test``).

    python3 packaging/bootstrap.py run     opens the practice session; without a display, on a virtual one
    python3 packaging/bootstrap.py test    tests, ruff, mypy, import contracts; what CI runs
    python3 packaging/bootstrap.py install-desktop    puts the console into your menu and file manager
    python3 packaging/bootstrap.py uninstall-desktop    removes both
    python3 packaging/bootstrap.py scripts    Tesseract, to read Arabic, Cyrillic, Greek, Hangul, Hebrew, Hindi and Thai
    python3 packaging/bootstrap.py guest    Debian's installer (133 MB), for the tests with a real guest in QEMU

Needs Python and nothing else. System packages come from apt (as root; without root it prints the command and stops),
Python packages from the lock, by hash. A second run changes nothing and needs no network.

Exit codes: 0 good, 1 a check failed, 2 usage or no fitting Python, 3 system packages are missing, 4 set-up failed;
``run`` passes on the application's own code.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

if sys.version_info < (3, 9):  # noqa: UP036 - that is what it is for
    sys.exit("operator-console needs Python 3.11, 3.12 or 3.13; this is %d.%d." % sys.version_info[:2])  # noqa: UP031

import setup_desktop
import setup_display
import setup_python
import setup_system
from checks import Check
from setup_progress import SetupError, say

ROOT = Path(__file__).resolve().parent.parent
NO_PYTHON = 2


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="bootstrap.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("run", help="set up, then open the practice session; further arguments go to it")
    commands.add_parser("test", help="set up, then run every check")
    commands.add_parser("install-desktop", help="set up, then add the console to this user's menu and file manager")
    commands.add_parser("uninstall-desktop", help="remove the console from this user's menu and file manager")
    commands.add_parser("scripts", help="install what reads texts in other scripts than Latin, Chinese and Japanese")
    commands.add_parser("guest", help="install the system that pytest --full tests/display/guest starts in QEMU")
    arguments, rest = parser.parse_known_args()
    if rest and arguments.command != "run":
        parser.error(f"{arguments.command} takes no arguments: {' '.join(rest)}")
    try:
        return carry_out(arguments.command, rest)
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr, flush=True)
        return error.code
    except KeyboardInterrupt:
        print("\nstopped.", file=sys.stderr)
        return 130


def carry_out(command: str, rest: list[str]) -> int:
    """Sets up what a command needs and does it; returns the exit code. Raises SetupError."""
    if command in ("scripts", "guest"):
        setup_system.provide(setup_system.wanted(command, ()))
        return 0
    if command == "uninstall-desktop":
        setup_desktop.uninstall()
        return 0
    use_fitting_python(command)
    say(f"operator-console: setting up in {ROOT}")
    needs = "test" if command == "test" else "run"
    setup_system.provide(setup_system.wanted(needs, setup_python.venv_packages()))
    venv = setup_python.Venv(ROOT)
    venv.provide(needs)
    if command == "install-desktop":
        setup_desktop.install(venv.script("operator-console"))
        return 0
    return run(venv, rest) if command == "run" else test(venv)


def use_fitting_python(command: str) -> None:
    """Goes on in a Python from 3.11 to 3.13: this one, one on PATH, or (as root on Debian) one that apt has.

    Raises:
        SetupError: There is none.
    """
    python = setup_python.find_python()
    if python is None and setup_system.is_debian() and os.geteuid() == 0:
        minors = range(setup_python.NEWEST[1], setup_python.OLDEST[1] - 1, -1)
        setup_system.provide(["|".join(f"python3.{m}-venv" for m in minors)])
        python = setup_python.find_python()
    if python is None:
        version = ".".join(str(part) for part in sys.version_info[:3])
        raise SetupError(
            f"operator-console needs Python 3.11, 3.12 or 3.13. This is {version}, and none of those is on PATH.\n"
            "Install one (Debian and Ubuntu: apt-get install python3.12-venv) and start this with it, e.g.\n"
            f"  python3.12 packaging/bootstrap.py {command}",
            NO_PYTHON,
        )
    if python != sys.executable:
        say(f"going on with {python}")
        os.execv(python, [python, *sys.argv])


def run(venv: setup_python.Venv, rest: list[str]) -> int:
    """Opens the practice session, on a virtual display where there is none."""
    command = [venv.script("operator-console"), "practice", *rest]
    if setup_display.has_display():
        say(f"\n$ {' '.join(command)}")
        return subprocess.run(command).returncode
    if "--headless" not in rest:
        command.append("--headless")
    say("\nNo display here: starting a virtual one, and the practice session on it, headless.")
    with setup_display.virtual_display() as env:
        say(f"$ {' '.join(command)}")
        found, code = follow(command, env)
    say("")
    say(f"The practice session {'succeeded' if code == 0 else f'ended with exit code {code}'}.")
    say(f"  session file:                 {found.get('session', '(none was written)')}")
    say(f"  picture of the final screen:  {found.get('picture', '(none was written)')}")
    return code


def follow(command: list[str], env: dict[str, str]) -> tuple[dict[str, str], int]:
    """Shows a command's output as it comes; returns its ``session:`` and ``picture:`` lines, and its exit code."""
    found: dict[str, str] = {}
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, errors="replace")
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            print(line, end="", flush=True)
            name, colon, value = line.partition(": ")
            if colon and name in {"session", "picture"}:
                found[name] = value.strip()
    return found, process.wait()


def checks(venv: setup_python.Venv) -> list[Check]:
    """What ``test`` runs, the quick ones first. Benchmarks and tests against real providers are not among them.

    Nothing runs beside the display tests: some hold promises in milliseconds.
    """
    cores = max(2, os.cpu_count() or 2)
    # Tests wait a part of their time, for processes, windows and timers: one worker more keeps the cores busy. With two
    # more, hardly a moment is left for the promises in milliseconds.
    workers = str(min(4, cores + 1))
    pytest = [venv.python, "-m", "pytest", "-q", "--dist", "worksteal", "-n", workers]
    units = ["tests", "--ignore=tests/display", "--ignore=tests/benchmarks"]
    return [
        Check("ruff", [venv.script("ruff"), "check", "."]),
        Check("format", [venv.script("ruff"), "format", "--check", "--quiet", "."]),
        Check("import contracts", [venv.script("lint-imports"), "--no-logo"]),
        Check("types", [venv.script("mypy")]),
        Check("unit tests", [*pytest, *units]),
        Check("display tests", [*pytest, "tests/display"]),
    ]


def test(venv: setup_python.Venv) -> int:
    """Runs every check to its end, and says which failed."""
    # The tests start hundreds of processes: without bytecode each would compile what it imports.
    env = {name: value for name, value in setup_python.pip_env().items() if name != "PYTHONDONTWRITEBYTECODE"}
    todo = checks(venv)
    started = time.monotonic()
    for check in todo:
        check.run(env, str(ROOT))
    say("\nSummary")
    for check in todo:
        say(check.summary())
    failed = [check.name for check in todo if check.code != 0]
    outcome = f"FAILED: {', '.join(failed)}" if failed else "All checks passed"
    say(f"\n{outcome} in {time.monotonic() - started:.0f} s.")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
