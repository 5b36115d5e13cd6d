"""What the window remembers from one start to the next, apart from the settings: its place, the sizes of its parts that
a person chose, the recent tasks, the set-up of the last session, and the machines that were used.

Losing it does no harm: a file that cannot be read counts as empty.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from operator_console.private_files import make_private_folder, open_private

KEPT_TASKS = KEPT_MACHINES = 12
LONGEST_TASK = 10_000
"""Characters; a longer task is not remembered."""
LARGEST_SIZE = 20_000


class RememberedWindow(NamedTuple):
    """What is remembered.

    Attributes:
        geometry: as the window toolkit wrote it; "" for none.
        tasks: newest first.
        sizes: in logical pixels, by the name of the part.
        setup: of the last session, as the window showed it, by the name of the choice.
        machines: the addresses of machines that sessions worked on, newest first.
    """

    geometry: str = ""
    tasks: tuple[str, ...] = ()
    sizes: Mapping[str, int] = MappingProxyType({})
    setup: Mapping[str, str | int] = MappingProxyType({})
    machines: tuple[str, ...] = ()

    def with_task(self, task: str) -> RememberedWindow:
        """With this task as the newest."""
        if not task.strip() or len(task) > LONGEST_TASK:
            return self
        return self._replace(tasks=(task, *(each for each in self.tasks if each != task))[:KEPT_TASKS])

    def with_machine(self, address: str) -> RememberedWindow:
        """With this machine as the newest."""
        return self._replace(machines=(address, *self.without_machine(address).machines)[:KEPT_MACHINES])

    def without_machine(self, address: str) -> RememberedWindow:
        """Without this machine."""
        return self._replace(machines=tuple(each for each in self.machines if each != address))


def read_remembered(path: Path) -> RememberedWindow:
    """What was written last; nothing if the file is missing or damaged."""
    import json

    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return RememberedWindow()
    if not isinstance(found, dict):
        return RememberedWindow()
    geometry, tasks, sizes, setup = (found.get(name) for name in ("geometry", "tasks", "sizes", "setup"))
    return RememberedWindow(
        geometry=geometry if isinstance(geometry, str) else "",
        tasks=_texts(tasks)[:KEPT_TASKS],
        sizes=_sizes(sizes) if isinstance(sizes, dict) else {},
        setup=_setup(setup) if isinstance(setup, dict) else {},
        machines=_texts(found.get("machines"))[:KEPT_MACHINES],
    )


def _texts(found: object) -> tuple[str, ...]:
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()


def _sizes(found: dict[str, object]) -> dict[str, int]:
    return {name: size for name, size in found.items() if type(size) is int and 0 < size <= LARGEST_SIZE}


def _setup(found: dict[str, object]) -> dict[str, str | int]:
    return {name: value for name, value in found.items() if isinstance(value, str) or type(value) is int}


def write_remembered(path: Path, remembered: RememberedWindow) -> None:
    """Replace the file, readable by this user alone. Raises OSError."""
    import json

    make_private_folder(path.parent)
    new = path.with_suffix(".new")
    with os.fdopen(open_private(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as file:
        written = {
            "geometry": remembered.geometry, "tasks": list(remembered.tasks), "sizes": dict(remembered.sizes),
            "setup": dict(remembered.setup), "machines": list(remembered.machines),
        }  # fmt: skip
        json.dump(written, file)
    new.replace(path)
