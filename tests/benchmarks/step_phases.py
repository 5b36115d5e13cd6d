"""Where the time of a step goes that is not the model's: by phase, on a page full of text.

The console is traced (traced_console.py). Each phase is what passes of one step, from the model's answer to the next
request, in calls that follow each other; what is done at the same time, such as encoding during the wait, is not added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.text_page import Session, play

_SIZES = ((1440, 900), (3840, 2160))
_Span = tuple[float, float]

_PHASES = {
    "the control and the decision": "Step._rule",
    "checks and pictures before the act, and the durable record": "Step._send",
    "of them the act, by the injector": "Actor.act",
    "wait for a still screen (80 ms after its last change)": "DesktopComputer.settle",
    "whether the screen has changed": "DesktopComputer.changed",
    "capture for the model": "DesktopComputer.observe",
    "its encoding, as far as it is waited for": "DesktopComputer.picture",
    "the request, until it is received": "Loop._propose",
}


def measure(options: Options) -> list[Row]:
    """By size of the screen and by how long the model thinks, with accessible elements."""
    return [row for size, thinks_s in product(_SIZES, (0.0, 1.5)) for row in _of(size, thinks_s, options.times(20, 4))]


def _of(size: tuple[int, int], thinks_s: float, steps: int) -> Iterator[Row]:
    session = play(size, steps + 1, thinks_s=thinks_s, elements=True, traced=True)
    where = f"{size[0]} x {size[1]}, the model thinks {thinks_s:g} s"
    spans = [*zip(session.server.answered_s[1:], session.server.came_s[2:], strict=False)]
    yield _row(f"{where}: all of a step", [came - answered for answered, came in spans])
    told = [began for answered, came in spans for began, _ in _within(session, "Step._rule", (answered, came))]
    yield _row(f"{where}: the answer is read, first assessment", [b - a for b, (a, _) in zip(told, spans, strict=True)])
    for words, name in _PHASES.items():
        taken = [sum(min(end, span[1]) - begin for begin, end in _within(session, name, span)) for span in spans]
        yield _row(f"{where}: {words}", taken)


def _within(session: Session, name: str, span: _Span) -> list[_Span]:
    return [call for call in session.calls.get(name, ()) if span[0] <= call[0] < span[1]]


def _row(what: str, seconds: Sequence[float]) -> Row:
    samples = Samples.of([value * 1000 for value in seconds])
    return Row(what=what, n=samples.n, seen=samples.said(digits=0))
