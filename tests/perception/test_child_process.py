"""What a child process writes on its standard error is read to the end."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE

from operator_console.perception.child_process import end_child, error_lines

_PROGRAM = "import sys; sys.stderr.write('first\\n' + 'x' * 300_000 + '\\nafter\\n\\n'); sys.stdin.read()"


async def test_a_line_that_is_too_long_hides_none_of_the_others() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _PROGRAM, stdin=PIPE, stderr=PIPE)
    lines: list[str] = []
    try:
        async with asyncio.timeout(20):
            async for line in error_lines(process):
                lines.append(line)
                if line == "after":
                    break
    finally:
        await end_child(process, [asyncio.create_task(asyncio.sleep(0))], 5.0)
    assert (lines[0], lines[-1]) == ("first", "after")
