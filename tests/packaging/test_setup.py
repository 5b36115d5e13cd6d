"""The set-up commands: what they decide, what they say, and that a second run does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bootstrap
import setup_progress
import setup_python
import setup_system
from setup_progress import SetupError

ROOT = Path(__file__).resolve().parents[2]


def test_missing_takes_either_alternative() -> None:
    there = {"liba": True, "libb-new": True, "libc": False}
    assert setup_system.missing(["liba", "libb-old|libb-new", "libc", "libd"], lambda _: there) == ["libc", "libd"]


def test_dpkg_lines_are_read_over_several_architectures() -> None:
    text = "liba installed\nlibb config-files\nlibc not-installed\nlibc installed\n"
    assert setup_system.parse_dpkg(text) == {"liba": True, "libb": False, "libc": True}


def test_choose_takes_the_first_that_apt_offers() -> None:
    chosen, unknown = setup_system.choose(["a|b", "c", "d|e"], {"b", "c"}.__contains__)
    assert chosen == ["b", "c"]
    assert unknown == ["d|e"]


def test_without_root_the_exact_command_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_system, "is_debian", lambda: True)
    monkeypatch.setattr(setup_system, "dpkg_installed", lambda names: dict.fromkeys(names, False) | {"xvfb": True})
    monkeypatch.setattr(setup_system, "apt_offers", {"openbox", "libglib2.0-0t64"}.__contains__)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SetupError) as caught:
        setup_system.provide(["xvfb", "openbox", "libglib2.0-0|libglib2.0-0t64"])
    assert caught.value.code == setup_system.NEEDS_ROOT
    assert "sudo apt-get install -y --no-install-recommends openbox libglib2.0-0t64\n" in str(caught.value)


def test_nothing_missing_needs_neither_root_nor_network(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup_system, "is_debian", lambda: True)
    monkeypatch.setattr(setup_system, "dpkg_installed", lambda names: dict.fromkeys(names, True))
    monkeypatch.setattr(setup_system, "run_step", lambda *a, **k: pytest.fail("started something"))
    setup_system.provide(setup_system.wanted("test", []))
    assert "system packages: installed" in capsys.readouterr().out


def test_elsewhere_it_says_what_is_needed_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup_system, "is_debian", lambda: False)
    monkeypatch.setattr("setup_system.shutil.which", lambda _: None)
    setup_system.provide(["openbox", "chromium|chromium-browser"])
    said = capsys.readouterr().out
    assert "openbox chromium\n" in said


@pytest.mark.parametrize(
    ("version", "good"), [((3, 10), False), ((3, 11), True), ((3, 13, 2), True), ((3, 14), False), ((), False)]
)
def test_which_pythons_fit(version: tuple[int, ...], good: bool) -> None:
    assert setup_python.fits(version) is good


def test_another_python_is_looked_for_and_really_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken, good = tmp_path / "python3.13", tmp_path / "python3.12"
    broken.write_text("#!/bin/sh\nexit 127\n")
    good.write_text("#!/bin/sh\necho 3 12\n")
    for script in (broken, good):
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("setup_python.sys.version_info", (3, 9, 1, "final", 0))
    assert setup_python.find_python() == str(good)


def checkout(folder: Path) -> Path:
    (folder / "packaging" / "lock").mkdir(parents=True)
    (folder / "packaging" / "lock" / "app.txt").write_text("a==1\n")
    (folder / "pyproject.toml").write_text("[project]\n")
    return folder


def test_a_stamp_spares_the_second_run_until_the_lock_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = checkout(tmp_path)
    venv = setup_python.Venv(root)
    steps: list[str] = []

    def step(title: str, command: list[str], **_: object) -> None:
        steps.append(title)
        if "venv" in command:
            Path(venv.python).parent.mkdir(parents=True)
            Path(venv.python).symlink_to(sys.executable)

    monkeypatch.setattr(setup_python, "run_step", step)
    monkeypatch.setattr(setup_python.Venv, "_remove_what_is_not_locked", lambda self, env: None)
    venv.provide("run")
    assert len(steps) == 4
    assert venv.ready("run")
    assert not venv.ready("test")
    venv.provide("run")
    assert len(steps) == 4
    venv.provide("test")
    assert len(steps) == 7
    assert venv.ready("run")
    (root / "packaging" / "lock" / "app.txt").write_text("a==2\n")
    assert not venv.ready("run")


def test_the_first_start_finds_bytecode(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = checkout(tmp_path)
    (root / "operator_console" / "ui").mkdir(parents=True)
    (root / "operator_console" / "ui" / "window.py").write_text("WIDTH = 1440\n")
    venv = setup_python.Venv(root)
    Path(venv.python).parent.mkdir(parents=True)
    Path(venv.python).touch()
    monkeypatch.setattr(setup_python, "run_step", lambda *_, **__: None)
    venv.provide("run")
    assert [path.suffix for path in (root / "operator_console" / "ui" / "__pycache__").iterdir()] == [".pyc"]


def test_what_is_no_longer_locked_is_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    venv = setup_python.Venv(checkout(tmp_path))
    pip = Path(venv.python)
    pip.parent.mkdir(parents=True)
    pip.write_text("#!/bin/sh\nprintf 'a==1\\npip==23\\nOld_Thing==2\\n'\n")
    pip.chmod(0o755)
    (venv.folder / "made-by-bootstrap").touch()
    (venv.folder / "pyvenv.cfg").touch()
    monkeypatch.setattr(setup_python, "_version", lambda _: sys.version_info[:2])
    commands: list[list[str]] = []
    monkeypatch.setattr(setup_python, "run_step", lambda title, command, **_: commands.append(command))
    venv.provide("run")
    assert commands[-1][-3:] == ["uninstall", "-y", "old-thing"]


def test_an_environment_that_somebody_else_made_is_only_added_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    venv = setup_python.Venv(checkout(tmp_path))
    Path(venv.python).parent.mkdir(parents=True)
    Path(venv.python).touch()
    (venv.folder / "pyvenv.cfg").touch()
    monkeypatch.setattr(setup_python, "_version", lambda _: sys.version_info[:2])
    commands: list[list[str]] = []
    monkeypatch.setattr(setup_python, "run_step", lambda title, command, **_: commands.append(command))
    venv.provide("run")
    assert [command for command in commands if "uninstall" in command] == []
    assert len(commands) == 3


def test_a_failed_step_leaves_no_stamp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    venv = setup_python.Venv(checkout(tmp_path))

    def step(title: str, *_: object, **__: object) -> None:
        raise SetupError(title)

    monkeypatch.setattr(setup_python, "run_step", step)
    with pytest.raises(SetupError):
        venv.provide("run")
    assert not venv.ready("run")


def test_a_step_that_fails_shows_its_end_and_the_remedy() -> None:
    with pytest.raises(SetupError) as caught:
        setup_progress.run_step("trying", ["sh", "-c", "echo the reason; exit 3"], remedy="do that.")
    assert "trying: failed (exit code 3)" in str(caught.value)
    assert "the reason" in str(caught.value)
    assert "What to do: do that." in str(caught.value)


def test_a_long_step_says_that_it_is_alive(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(setup_progress, "HEARTBEAT_S", 0.02)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if "busy with it" in text:
            gate.write_text("go\n")

    monkeypatch.setattr(setup_progress, "say", say)
    setup_progress.run_step("working", ["sh", "-c", f"echo busy with it; read x < {gate}"], remedy="-")
    assert any("still running" in line and "busy with it" in line for line in said)
    assert "done" in said[-1]


def test_the_practice_run_is_followed_to_its_files(capsys: pytest.CaptureFixture[str]) -> None:
    script = "echo step 1; echo session: /tmp/a b.ocsession; echo picture: /tmp/p.png; exit 4"
    found, code = bootstrap.follow(["sh", "-c", script], dict(os.environ))
    assert found == {"session": "/tmp/a b.ocsession", "picture": "/tmp/p.png"}
    assert code == 4
    assert "step 1" in capsys.readouterr().out


def test_continuous_integration_runs_the_same_command() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert script.splitlines()[-1] == "exec python3 packaging/bootstrap.py test"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_help_needs_nothing_but_python() -> None:
    done = subprocess.run(
        [sys.executable, "-E", "-s", "-S", str(ROOT / "packaging" / "bootstrap.py"), "--help"],
        capture_output=True,
        text=True,
        env={},
    )
    assert done.returncode == 0, done.stderr
    assert "run" in done.stdout
    assert "test" in done.stdout
