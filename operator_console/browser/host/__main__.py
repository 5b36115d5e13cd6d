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
    from operator_console.browser.host.browser_host import serve
    from operator_console.browser.host.host_options import HostOptions

    return asyncio.run(serve(HostOptions.of(json.loads(line))))


if __name__ == "__main__":
    sys.exit(main())
