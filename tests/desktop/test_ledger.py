"""The ledger is shared by two processes, and survives as a file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from operator_console.desktop.ledger import SIZE_BYTES, Gate, Ledger, Word
from tests.small_disk import small_disk


def test_the_ledger_is_shared_and_survives(tmp_path: Path) -> None:
    path = tmp_path / "x.ledger"
    one, fd = Ledger.open_file(path)
    two = Ledger(fd)
    one.mark_key(255, True)
    one.mark_key(8, True)
    one.mark_button(9, True)
    one.mark_borrowed(248, True)
    one.gate = Gate.HELD | Gate.LEASE
    one.set(Word.EPOCH, 2**63)
    assert one.announce(-1920, 1079) == 1
    assert (two.keys, two.buttons, two.borrowed, two.clean) == ([8, 255], [9], [248], False)
    assert (two.gate, two.get(Word.EPOCH), two.announced) == (Gate.HELD | Gate.LEASE, 2**63, (-1920, 1079))
    one.close()
    two.close()
    os.close(fd)
    assert path.stat().st_size == SIZE_BYTES
    again, fd = Ledger.open_file(path)
    assert again.keys == [8, 255]
    again.forget(keys=[8, 255], buttons=[9], borrowed=[248])
    assert again.clean
    again.close()
    fresh = Ledger(fd, fresh=True)
    assert fresh.get(Word.EPOCH) == 0
    fresh.close()
    os.close(fd)


def test_a_ledger_on_a_full_disk_is_an_error(tmp_path: Path) -> None:
    """Not a signal that ends the process."""
    with small_disk(tmp_path, "4k"):
        (tmp_path / "ballast").write_bytes(bytes(4096))
        program = "import sys; from pathlib import Path; from operator_console.desktop.ledger import Ledger\n"
        program += "try: Ledger.open_file(Path(sys.argv[1]))\nexcept OSError as error: print(error)"
        words = [sys.executable, "-c", program, str(tmp_path / "x.ledger")]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "[Errno 28] No space left on device")


def test_words_do_not_overlap() -> None:
    taken: list[int] = []
    for word in Word:
        taken += range(word, word + (4 if word in {Word.KEYS, Word.BORROWED} else 1))
    assert len(taken) == len(set(taken))
