"""Memory and processor share of a long session on a page full of text, with and without accessible elements."""

from __future__ import annotations

from tests.benchmarks.figures import Options, Row
from tests.benchmarks.text_page import Session, play

_SIZE, _THINKS_S = (1440, 900), 1.5
_MEMORY_BAR_MB = 400
_MIB = 1.048576


def measure(options: Options) -> list[Row]:
    """Two sessions."""
    steps = options.times(200, 10)
    rows: list[Row] = []
    for elements in (True, False):
        what = f"{steps} steps, {'elements and OCR' if elements else 'OCR alone'}"
        session = play(_SIZE, steps, thinks_s=_THINKS_S, elements=elements)
        rows += [_memory(what, session), _processor(what, session)]
    return rows


def _memory(what: str, session: Session) -> Row:
    most = max(session.usage, key=lambda sample: sum(usage.proportional_mib for usage in sample.values()))
    sums = [sum(usage.proportional_mib for usage in sample.values()) for sample in session.usage]
    by_process = (f"{name.rpartition('.')[0] or name} {usage.proportional_mib:.0f}" for name, usage in most.items())
    return Row(
        what=f"memory of all processes, {what}", n=len(sums), seen=f"at most {max(sums):.0f} MiB",
        beside=", ".join(by_process),
        bar=f"<= {_MEMORY_BAR_MB} MB", met=max(sums) * _MIB <= _MEMORY_BAR_MB,
    )  # fmt: skip


def _processor(what: str, session: Session) -> Row:
    first, last = session.usage[0], session.usage[-1]
    took_s = session.at_s[-1] - session.at_s[0]
    used = {name: last[name].cpu_s - first[name].cpu_s for name in first if name in last}
    return Row(
        what=f"processor share, {what}", n=len(session.usage), seen=f"{sum(used.values()) / took_s:.2f} of a core",
        beside=", ".join(f"{name.rpartition('.')[0] or name} {cpu_s / took_s:.2f}" for name, cpu_s in used.items()),
        note=f"The model thinks {_THINKS_S:g} s for each step; every step replaces all texts of the page.",
    )  # fmt: skip
