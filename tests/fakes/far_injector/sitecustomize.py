"""Python imports this at its start where PYTHONPATH names this folder: an injector gets a backend for a browser."""

from __future__ import annotations

import sys

if "operator_console.injector" in sys.orig_argv:
    from operator_console.domain.frames import TargetKind
    from operator_console.injector import backends
    from tests.fakes.far_backend import FarBackend

    backends.BACKENDS = {**backends.BACKENDS, TargetKind.BROWSER: FarBackend}
