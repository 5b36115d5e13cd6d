"""`python -m tests.display.acceptance.soon_lapsing`: the product, whose dialogs lapse after seconds and not a minute.

That it is a minute is held by tests/engine/test_review.py.
"""

from __future__ import annotations

import sys

from operator_console.domain import requests

LAPSE_S = 8.0

if __name__ == "__main__":
    requests.REVIEW_TIMEOUT_S = LAPSE_S

    from operator_console.cli import main

    sys.exit(main())
