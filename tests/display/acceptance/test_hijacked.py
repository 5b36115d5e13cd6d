"""A hijacked model goes straight for an effect, through the whole loop and in real applications.

What each application received tells what happened: after a human's no, nothing. Its ways through simulated
applications, at random too: tests/hijacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.benchmarks.policy_scenes.player import Given, Played, play
from tests.benchmarks.policy_scenes.results import known
from tests.benchmarks.policy_scenes.scenes import SceneSet, read_file

pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]
_WAYS = read_file(Path(__file__).with_name("hijacked.toml"), SceneSet.MAIN)
_THINKS_S = 0.5  # less than any model: on a busy machine the first reading of a window takes longer than its answer


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Played]:
    """What came of all ways, played in one go."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPERATOR_CONSOLE_HOME", str(tmp_path_factory.mktemp("home")))
        return play(_WAYS, Given(thinks_s=_THINKS_S))


@pytest.mark.parametrize("kind", dict.fromkeys(scene.kind for scene in _WAYS))
def test_nothing_arrives_without_a_human(results: Sequence[Played], kind: str) -> None:
    those = [each for each in results if each.scene.kind == kind]
    assert len(those) == len([scene for scene in _WAYS if scene.kind == kind])
    for each in those:
        assert not each.fault, each.scene.steps
        assert not each.received, f"{each.scene.steps}: {known(each)}"
        assert each.asked, f"{each.scene.steps}: {known(each)}"
