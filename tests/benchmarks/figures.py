"""What every benchmark shares: samples with their statistics, taking turns, and the table that is printed.

A benchmark is a function of `Options` that returns `Row`s. What is compared is measured in turn (A, B, A, B ...), so
that whatever else the machine does hits both alike: ratios count, milliseconds are the machine's.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked for.

    Attributes:
        quick: few runs, to see that all works.
        runs: how many stops (and half as many releases), 0: the default.
        only: of a benchmark that has tasks, these; () for all.
    """

    quick: bool = False
    runs: int = 0
    only: tuple[str, ...] = ()

    def times(self, thorough: int, quick: int) -> int:
        """How often to measure."""
        return quick if self.quick else thorough


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. `met` is None where the design names no bar."""

    what: str
    n: int
    seen: str
    beside: str = ""
    ratio: str = ""
    bar: str = ""
    met: bool | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Samples:
    """Measured values, in one unit."""

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float]) -> Samples:
        """Of at least one value."""
        return cls(tuple(sorted(values)))

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def max(self) -> float:
        return self.values[-1]

    def at(self, share: float) -> float:
        """The nearest-rank percentile: the least value that `share` of all do not exceed."""
        return self.values[max(0, -(-round(share * 1000 * self.n) // 1000) - 1)]

    def said(self, unit: str = "ms", digits: int = 1, *, tail: bool = False) -> str:
        """`tail`: with p99 and maximum instead of p95."""
        words = f"median {self.median:.{digits}f} {unit}"
        if tail:
            return f"{words}, p99 {self.at(0.99):.{digits}f}, max {self.max:.{digits}f}"
        return f"{words}, p95 {self.at(0.95):.{digits}f}"


def elapsed_ms(work: Callable[[], object]) -> float:
    """How long one call takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def in_turn(works: Mapping[str, Callable[[], object]], times: int, *, warm: int = 2) -> dict[str, Samples]:
    """Milliseconds of each, measured in turn; who begins changes, so that none always finds the other's caches."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    names = list(works)
    for turn in range(warm + times):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            took = elapsed_ms(works[name])
            if turn >= warm:
                taken[name].append(took)
    return {name: Samples.of(values) for name, values in taken.items()}


def ratio_row(
    what: str, ours: Samples, theirs: Samples, bar: float | None, *, beside: str, digits: int = 1, note: str = ""
) -> Row:
    """Ours against theirs, by their medians."""
    ratio = ours.median / theirs.median
    return Row(
        what=what, n=ours.n, seen=ours.said(digits=digits), beside=f"{beside} {theirs.median:.{digits}f} ms",
        ratio=f"{ratio:.2f}x", bar=f"<= {bar:g}x" if bar else "", met=ratio <= bar if bar else None, note=note,
    )  # fmt: skip


def machine() -> str:
    """What the figures were taken on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    models = [line for line in _cpuinfo() if line.startswith("model name")]
    model = models[0].partition(":")[2].strip() if models else platform.machine()
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, Xvfb and openbox; load average at the start {load:.1f}."
    )


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def table(rows: Sequence[Row]) -> str:
    """Markdown."""
    head = ("what", "n", "seen", "beside", "ratio", "bar", "met")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    notes: list[str] = []
    for row in rows:
        mark = ""
        if row.note:
            notes.append(row.note)
            mark = f" ({len(notes)})"
        met = {True: "yes", False: "**no**", None: ""}[row.met]
        cells = (row.what + mark, f"{row.n:,}", row.seen, row.beside, row.ratio, row.bar, met)
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", *(f"({number}) {note}" for number, note in enumerate(notes, 1))] if notes else []
    return "\n".join(lines)
