"""`ProgramDoor`: the only way to start a program on a target whose programs have surroundings of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from operator_console.domain.errors import OperatorError


class ProgramDoor(Protocol):
    """Starts programs that find a home folder, a session bus and a display of their own."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of everything that is started."""
        ...

    @property
    def problems(self) -> Sequence[OperatorError]:
        """What these surroundings lack on this computer, for the person."""
        ...

    def start(self, command: Sequence[str], *, output: int, errors: int) -> None:
        """Start a program in a session of its own. Does not wait for it.

        Args:
            command: the program and its arguments.
            output, errors: descriptors for its standard output and error output.

        Raises:
            OSError: the surroundings are gone.
        """
        ...
