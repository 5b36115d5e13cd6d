"""What stands for the guard, which kills the processes of tools at a stop."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from operator_console.domain.errors import OperatorError


class Guarded:
    """The processes that the guard would kill; `kill` kills them."""

    def __init__(self) -> None:
        self.groups: tuple[int, ...] = ()
        self.armed = True
        self.epoch = 1

    async def tell(self, groups: Sequence[int]) -> None:
        if not self.armed:
            raise OperatorError("Nothing can be started now")
        self.groups = tuple(groups)

    def kill(self) -> None:
        for group in self.groups:
            os.killpg(group, 9)


@pytest.fixture
def guarded() -> Guarded:
    return Guarded()
