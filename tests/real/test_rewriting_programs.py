"""What programs make of a text while it is typed is told: indents, closing brackets, corrected words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.command import Result, operator_console
from tests.display.rig import AccessibleDesktop, launch

pytestmark = pytest.mark.full

TOLD = "The field that was typed into does not hold what was typed."
_NO_TIPS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="ShowTipOfTheDay" oor:op="fuse"><value>false</value>
</prop></item></oor:items>
"""


def started(desktop: AccessibleDesktop, title: str, *command: str) -> int:
    """The window of a program; the test is skipped without the program."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    env = {**desktop.env, "SAL_USE_VCLPLUGIN": "gtk3"}  # LibreOffice's others tell no controls
    return launch(desktop.desktop, command, title=title, by_pid=False, env=env).window.xid


def typed(desktop: AccessibleDesktop, target: int, text: str) -> Result:
    words = ("run", f'type "{text}"', "--provider", "runbook", "--answer", "deny", "--target", f"window:{target:#x}")
    return operator_console(*words, **{**desktop.env, "DISPLAY": desktop.desktop.name})


@pytest.mark.parametrize(("kind", "corrected"), [("Writer", "The cat"), ("Calc", "the cat")])
def test_an_office_program_that_corrects_words(
    accessible_desktop: AccessibleDesktop, tmp_path: Path, kind: str, corrected: str
) -> None:
    profile = tmp_path / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user/registrymodifications.xcu").write_text(_NO_TIPS)
    options = (f"-env:UserInstallation=file://{profile}", "--norestore", "--nologo", f"--{kind.lower()}")
    office = started(accessible_desktop, f"LibreOffice {kind}", "soffice", *options)
    result = typed(accessible_desktop, office, "teh cat (c) -- i am 1st. next one ")
    assert TOLD in result.err, result
    assert corrected in result.err


def test_an_editor_that_indents_and_closes_brackets(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text("")
    geany = started(accessible_desktop, "some.py", "geany", "-c", str(tmp_path / "config"), "-i", str(source))
    result = typed(accessible_desktop, geany, "def f(x):\\n    if x:\\n        g(x)\\nh")
    assert TOLD in result.err, result
