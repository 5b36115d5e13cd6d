"""How long a decision takes, and whether the text at the point is known by then, on a page full of text.

The model answers at once, or after 1.5 s. The step overhead is what passes from the model's answer to the next request;
beside it stand a fixed sleep of half a second, and a client that sleeps so long (sleeping_client.py) on the same page.
"""

from __future__ import annotations

from datetime import datetime
from itertools import product

from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.text_page import Session, play

_SIZES = ((1440, 900), (3840, 2160))
_DECISION_BAR_MS, _KNOWN_BAR = 300.0, 0.99
_SLEEP_MS = 500.0


def measure(options: Options) -> list[Row]:
    """By size of the screen, by how long the model thinks, with and without accessible elements."""
    rows: list[Row] = []
    for size, thinks_s, elements in product(_SIZES, (0.0, 1.5), (True, False)):
        what = f"{size[0]} x {size[1]}, the model thinks {thinks_s:g} s, {'elements' if elements else 'OCR alone'}"
        # The first step loads and warms what a session needs once.
        session = play(size, options.times(40, 5) + 1, thinks_s=thinks_s, elements=elements)
        rows += [*_decided(what, session), _overhead(what, thinks_s, session)]
    return rows


def _decided(what: str, session: Session) -> list[Row]:
    proposed = {event["step"]: event["time"] for event in session.events if event["kind"] == "proposed"}
    decisions = [event for event in session.events if event["kind"] == "decided"][1:]
    waits = Samples.of([_later_by_ms(event["time"], proposed[event["step"]]) for event in decisions])
    said = [event["assessment"]["label"].casefold() for event in decisions]
    known = sum(bool(label) for label in said) / len(said)
    right = sum(wanted in label for wanted, label in zip(session.labels[1:], said, strict=True))
    return [
        Row(
            what=f"from the model's answer to the decision, {what}", n=waits.n, seen=waits.said(digits=0),
            bar=f"p95 <= {_DECISION_BAR_MS:.0f} ms", met=waits.at(0.95) <= _DECISION_BAR_MS,
        ),
        Row(
            what=f"points whose text is known by then, {what}", n=len(said),
            seen=f"{known:.0%}, {right} of {len(said)} exactly", bar=f">= {_KNOWN_BAR:.0%}", met=known >= _KNOWN_BAR,
        ),
    ]  # fmt: skip


def _later_by_ms(time: str, earlier: str) -> float:
    return (datetime.fromisoformat(time) - datetime.fromisoformat(earlier)).total_seconds() * 1000


def _overhead(what: str, thinks_s: float, session: Session) -> Row:
    answered, came = session.server.answered_s, session.server.came_s
    overhead = Samples.of([(asked - told) * 1000 for told, asked in zip(answered[1:], came[2:], strict=False)])
    bar = 0.25 if thinks_s else 0.5
    sleeping = Samples.of(session.sleeping_ms)
    return Row(
        what=f"step overhead, {what}", n=overhead.n, seen=overhead.said(digits=0),
        beside=f"a sleep of 500 ms; click, sleep, screenshot: {sleeping.median:.0f} ms",
        ratio=f"median {overhead.median / _SLEEP_MS:.2f}x, p95 {overhead.at(0.95) / _SLEEP_MS:.2f}x; "
        f"{overhead.median / sleeping.median:.2f}x",
        bar=f"median <= {bar:g}x", met=overhead.median <= bar * _SLEEP_MS,
    )  # fmt: skip
