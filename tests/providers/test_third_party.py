"""Providers of other packages are found by entry points, work like built-in ones, and may be broken."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from operator_console.domain.actions import Click
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import EndedOutcome, SessionStarted
from operator_console.domain.geometry import NativePoint
from operator_console.engine.session import Session
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients
from operator_console.settings.file import UnreadableSettings, load_settings
from tests.cli.command import operator_console
from tests.engine.rig import rig
from tests.providers.installed import forget_installed

NO_LOAD = "from operator_console.providers.spec import ProviderSpec\nSPEC = ProviderSpec(name='bad', title='')"
SOURCE = Path(__file__).with_name("third_party") / "acme_provider.py"


def install(folder: Path, name: str, module: str, source: str, value: str = "SPEC") -> None:
    """Create the files of an installed package."""
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[operator_console.providers]\n{name} = {module}:{value}\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for packages, with one that works."""
    folder = tmp_path / "site"
    folder.mkdir()
    install(folder, "acme", "acme_provider", SOURCE.read_text(encoding="utf-8"))
    monkeypatch.syspath_prepend(folder)
    forget_installed()
    yield folder
    forget_installed()
    sys.modules.pop("acme_provider", None)


def test_it_is_forty_lines() -> None:
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= 40


async def test_it_drives_a_session(packages: Path, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[acme]\nanswers = ["250 500", "500 x", "750 500"]\n')
    options = load_settings(file, registry.options_of).section("acme")
    provider = registry.create("", "acme-1", Ingredients(options=options))
    r = rig()
    ports = replace(r.session._ports, provider=provider)
    r.session = Session(r.session._context.request, ports, clock=r.clock, audiences=(r.watcher,))
    ended = await r.run()
    assert (ended.outcome, ended.message) == (EndedOutcome.FINISHED, "Done.")
    assert [(one.provider, one.model) for one in r.of(SessionStarted)] == [("acme", "acme-1")]
    assert r.injector.actions == [Click(at=NativePoint(100, 150)), Click(at=NativePoint(300, 150))]


def test_its_settings_are_checked_like_ours(packages: Path, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[acme]\nanswers = 3\n")
    with pytest.raises(UnreadableSettings, match=r"acme\.answers"):
        load_settings(file, registry.options_of)


def test_it_is_imported_when_it_is_asked_for(packages: Path) -> None:
    assert registry.resolve()[0].name == "gemini"
    assert "acme_provider" not in sys.modules
    assert registry.resolve("acme")[0].title == "Acme"


@pytest.mark.parametrize(
    ("source", "value", "said"),
    [
        ("raise RuntimeError('no library')", "SPEC", "no library"),
        ("SPEC = 3", "SPEC", "not a ProviderSpec"),
        ("SPEC = 3", "OTHER", "OTHER"),
        ("from operator_console.providers.scripted import SPEC", "SPEC", "'scripted'"),
        (NO_LOAD, "SPEC", "load"),
    ],
)
def test_a_broken_provider_is_reported_and_does_not_affect_others(
    packages: Path, tmp_path: Path, source: str, value: str, said: str
) -> None:
    install(packages, "bad", "bad_provider", source, value)
    forget_installed()
    sys.modules.pop("bad_provider", None)
    assert [spec.name for spec in registry.specs()] == [*(spec.name for spec in registry.BUILT_IN), "acme"]
    (broken,) = registry.broken()
    assert (broken.name, said in broken.problem) == ("bad", True)
    with pytest.raises(OperatorError, match="cannot be loaded") as caught:
        registry.resolve("bad")
    assert said in caught.value.detail
    file = tmp_path / "settings.toml"
    file.write_text("[bad]\nanything = 3\n")
    assert load_settings(file, registry.options_of).section("bad") is not None


def test_a_name_that_is_taken_stays_ours(packages: Path) -> None:
    install(packages, "gemini", "false_gemini", "raise RuntimeError")
    forget_installed()
    assert registry.find("gemini") is registry.BUILT_IN[0]
    assert registry.broken() == ()


def test_the_command_line_lists_it(packages: Path) -> None:
    install(packages, "bad", "bad_provider", "raise RuntimeError('no library')")
    shown = operator_console("models", PYTHONPATH=str(packages))
    assert shown.code == 0, shown.err
    assert "acme        Acme: no key needed" in shown.out
    assert "bad         cannot be loaded" in shown.out
    rows = json.loads(operator_console("models", "list", "--json", PYTHONPATH=str(packages)).out)
    found = {row["provider"]: row["available"] for row in rows}
    assert (found["acme"], found["bad"], found["gemini"]) == (True, False, True)
    assert operator_console("models", "check", "acme", PYTHONPATH=str(packages)).code == 0
    assert operator_console("models", "check", "bad", PYTHONPATH=str(packages)).code == 5
