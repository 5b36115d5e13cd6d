"""`python -m operator_console`: the same as the command `operator-console`."""

from __future__ import annotations

import sys

from operator_console.cli import main

if __name__ == "__main__":
    sys.exit(main())
