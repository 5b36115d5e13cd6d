"""A process that writes a session until it is killed; prints each event's number once `append` has returned.

Run by tests/journal/test_crash.py: ``python crash_writer.py FILE ANCHORS create|resume``.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from operator_console.journal.write import SessionJournal
from tests.journal import samples


def main() -> None:
    file, anchors, how = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    journal = (SessionJournal.resume if how == "resume" else SessionJournal.create)(file, anchors)
    os.write(1, b"%d\n" % journal.append(samples.started(resumed=how == "resume")).seq)
    step = 0
    while True:
        step += 1
        data = os.urandom(50_000)
        digest = hashlib.sha256(data).hexdigest()
        journal.put_blob(digest, data, "image/png")
        for event in samples.step_events(step, digest):
            os.write(1, b"%d\n" % journal.append(event).seq)


if __name__ == "__main__":
    main()
