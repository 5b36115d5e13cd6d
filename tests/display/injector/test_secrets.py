"""A secret goes through the injector's pipe, and is in no argument or environment of a process."""

from __future__ import annotations

from pathlib import Path

from operator_console.domain.actions import TypeText
from operator_console.domain.decisions import ActResult
from tests.display.guard.acting import armed
from tests.display.injector.test_fields import fields, held
from tests.display.rig import Desktop

VALUE = "Tr0ub4dor&3"


def of_processes() -> bytes:
    """The arguments and environments of all processes that can be read."""
    found = []
    for process in Path("/proc").iterdir():
        for name in ("cmdline", "environ", "comm") if process.name.isdigit() else ():
            try:
                found.append((process / name).read_bytes())
            except OSError:
                continue
    return b"\0".join(found)


async def test_a_secret_is_typed_and_no_process_names_it(desktop: Desktop, tmp_path: Path) -> None:
    file = tmp_path / "fields.json"
    _, (left, _) = fields(desktop, file)
    async with armed(desktop) as acting:
        action = TypeText(text="{{secret:bank}}", at=left)
        refused = await acting.injector.perform(acting.grant(action))
        assert (refused.result, refused.reason) == (ActResult.FAILED, "bad_grant")
        outcome = await acting.injector.perform(acting.grant(action), VALUE)
        assert outcome.result is ActResult.DONE, outcome
        assert await held(file, [VALUE, ""]) == [VALUE, ""]
        assert VALUE.encode() not in of_processes()
