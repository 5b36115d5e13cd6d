"""`python -m operator_console.guard`: the guard's process. The console starts it; it is not meant for the command line.

With `--clean LEDGER` it only releases what a dead guard left held, and exits.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import socket
import sys

from operator_console.domain.hotkeys import DEFAULT_HOTKEYS


def main() -> int:
    """Run until the console is gone. Exit code 1 if it cannot listen; the console is told why before."""
    parser = argparse.ArgumentParser(prog="operator-console-guard")
    parser.add_argument("--display", required=True)
    parser.add_argument("--line-fd", type=int, default=-1)
    parser.add_argument("--hotkeys", nargs=3, default=DEFAULT_HOTKEYS)
    parser.add_argument("--clean")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="guard: %(levelname)s %(message)s")
    if arguments.clean:
        from operator_console.guard.server.session import clean

        clean(arguments.display, arguments.clean)
        return 0
    # The second listener's thread must not hold the GIL for long while the event loop wants it.
    sys.setswitchinterval(0.0005)
    with socket.socket(fileno=arguments.line_fd) as line:
        return asyncio.run(_guard(arguments.display, line, tuple(arguments.hotkeys)))


async def _guard(display: str, line: socket.socket, hotkeys: tuple[str, str, str]) -> int:
    from operator_console.domain.errors import OperatorError
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode
    from operator_console.guard import wire
    from operator_console.guard.hotkey_matching import parse_hotkeys
    from operator_console.guard.server.dispatch import GuardServer

    try:
        await GuardServer(display, line, parse_hotkeys(*hotkeys)).run()
    except Exception as error:
        if not isinstance(error, OperatorError):
            logging.getLogger(__name__).exception("the guard cannot listen")
            title, remedy = notice(NoticeCode.STOP_NOT_HEARD), notice(NoticeCode.RUN_DOCTOR)
            error = OperatorError(title, detail=str(error), remedy=remedy)
        with contextlib.suppress(BlockingIOError, wire.LineClosed):  # the console may be gone
            wire.send(line, {"t": "failed", **wire.error_fields(error)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
