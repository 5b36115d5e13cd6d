"""`python -m operator_console.injector`: the child process that sends input. Started by the guard, not by hand.

It inherits three descriptors: the console's pipe (grants in, outcomes out), the guard's pipe (its end of file ends this
process) and the ledger. The per-run key comes over the console's pipe, and with `--login` how to log in to a machine
over the guard's, so that they are visible neither in the arguments nor in the environment.
"""

from __future__ import annotations

import argparse
import sys

from operator_console.domain.frames import TargetKind


def main() -> int:
    """Run until the console or the guard closes its pipe."""
    parser = argparse.ArgumentParser(prog="operator-console-injector")
    for name in ("console-fd", "guard-fd", "ledger-fd"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--kind", type=TargetKind, required=True)
    parser.add_argument("--address", default="")
    parser.add_argument("--login", action="store_true")
    arguments = parser.parse_args()
    from operator_console.injector.server import run

    return run(
        arguments.console_fd, arguments.guard_fd, arguments.ledger_fd, arguments.kind, arguments.address,
        logs_in=arguments.login,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
