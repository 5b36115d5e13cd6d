"""What the window remembers from one start to the next, apart from the settings: its place and the recent tasks.

Losing it does no harm: a file that cannot be read counts as empty.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from operator_console.private_files import make_private_folder, open_private

KEPT_TASKS = 12
LONGEST_TASK = 10_000
"""Characters; a longer task is not remembered."""


class RememberedWindow(NamedTuple):
    """`geometry`: as the window toolkit wrote it; "" for none. `tasks`: newest first."""

    geometry: str = ""
    tasks: tuple[str, ...] = ()

    def with_task(self, task: str) -> RememberedWindow:
        """With this task as the newest."""
        if not task.strip() or len(task) > LONGEST_TASK:
            return self
        return self._replace(tasks=(task, *(each for each in self.tasks if each != task))[:KEPT_TASKS])


def read_remembered(path: Path) -> RememberedWindow:
    """What was written last; nothing if the file is missing or damaged."""
    import json

    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return RememberedWindow()
    if not isinstance(found, dict):
        return RememberedWindow()
    geometry, tasks = found.get("geometry"), found.get("tasks")
    return RememberedWindow(
        geometry=geometry if isinstance(geometry, str) else "",
        tasks=tuple(task for task in tasks if isinstance(task, str))[:KEPT_TASKS] if isinstance(tasks, list) else (),
    )


def write_remembered(path: Path, remembered: RememberedWindow) -> None:
    """Replace the file, readable by this user alone. Raises OSError."""
    import json

    make_private_folder(path.parent)
    new = path.with_suffix(".new")
    with os.fdopen(open_private(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as file:
        json.dump({"geometry": remembered.geometry, "tasks": list(remembered.tasks)}, file)
    new.replace(path)
