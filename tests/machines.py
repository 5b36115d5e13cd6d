"""The state machines of latch, lease, grant and consent: how many steps they take, and that they took them."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, run_state_machine_as_test

STEPS = {"each run": 400, "full": 100_000, "strength": 180}
"""By the profile of Hypothesis. Where the program is changed, each change needs a run."""
STEPS_IN_A_ROW = 50
AT_LEAST_IN_A_ROW = 30
"""On the average; an example ends early where its choices were many."""
LONG_S = 3_600.0
"""The timeout of a test with ``--full``."""


class Machine(RuleBasedStateMachine):
    """One that counts its steps.

    Attributes:
        steps: taken so far, by all machines of this class.
    """

    steps: ClassVar[int] = 0

    @invariant()
    def count_the_step(self) -> None:
        type(self).steps += 1


def run(machine: type[Machine], *, of: int = 1) -> None:
    """Take 10^5 steps with ``--full``, else a few hundred; `of`: so many machines share them."""
    steps = STEPS[settings.get_current_profile_name()] // of
    machine.steps = 0
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=steps // AT_LEAST_IN_A_ROW + 1,
            stateful_step_count=STEPS_IN_A_ROW,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert machine.steps >= steps
