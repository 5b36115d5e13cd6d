"""A process that writes a session until it is killed; prints each event's number once it is durable.

Run by tests/journal/test_crash.py: ``python crash_writer.py FILE ANCHORS create|resume``.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from operator_console.domain.events import Event
from operator_console.journal.write import SessionJournal
from tests.journal import samples


def main() -> None:
    file, anchors, how = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    journal = (SessionJournal.resume if how == "resume" else SessionJournal.create)(file, anchors)

    def write(event: Event) -> None:
        record = journal.append(event)
        journal.flush()
        os.write(1, b"%d\n" % record.seq)

    write(samples.started(resumed=how == "resume"))
    step = 0
    while True:
        step += 1
        data = os.urandom(50_000)
        digest = hashlib.sha256(data).hexdigest()
        journal.put_blob(digest, data, "image/png")
        for event in samples.step_events(step, digest):
            write(event)


if __name__ == "__main__":
    main()
