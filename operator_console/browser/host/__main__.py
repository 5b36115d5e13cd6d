"""`python -m operator_console.browser.host`: started by the console, not by hand.

Its options come as one line of JSON on standard input, whose end of file ends it and the browser.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys


def main() -> int:
    """Run until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the console
    line = sys.stdin.readline()
    if not line:
        return 1
    from operator_console.browser.host.options import HostOptions
    from operator_console.browser.host.server import serve

    return asyncio.run(serve(HostOptions.of(json.loads(line))))


if __name__ == "__main__":
    sys.exit(main())
