"""How long a session of 300 full screens takes to become a page, how much memory that takes, and how fast it opens.

Each screen is another page full of text, as large as the targets of the other benchmarks.
Chromium opens the page without a window, over its debugging pipe. "Opened" is the browser's own load event, with the
first picture on the screen; nothing is cached but what the operating system keeps of the file.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from operator_console.domain.events import Observed
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.journal.write import SessionJournal
from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.headless_chromium import HeadlessChromium
from tests.journal import samples

_SIZE = Size(1440, 900)
_OPENED_BAR_MS = 1000
_MEMORY_BAR = 1.5
_SCREEN = """<!doctype html><meta charset="utf-8"><style>
body{margin:0;columns:3;padding:6px;font:14px/19px sans-serif;overflow:hidden;height:100vh;box-sizing:border-box}
p{margin:0}p:nth-child(7n){color:#2456c7}p:nth-child(11n){font-weight:bold}</style><script>
const words='acorn bridge castle cottage distant diary every figures garden hourly island journey kitchen'.split(' ');
function paint(step){let seed=step*7919+1;const next=()=>(seed=seed*48271%2147483647)/2147483647;
 const lines=Array.from({length:138},()=>Array.from({length:8},()=>words[Math.floor(next()*words.length)]));
 document.body.replaceChildren(...lines.map(line=>{const p=document.createElement('p');p.textContent=line.join(' ');
  return p}))}</script><body></body>"""
_EXPORT = """
import re, sys, time
from pathlib import Path
from operator_console.app.session_export import export_session
began_s = time.perf_counter()
export_session(*map(Path, sys.argv[1:]))
took_s = time.perf_counter() - began_s
print(took_s, int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def measure(options: Options) -> list[Row]:
    """Record, export and open a session, and export one of half its length for its memory."""
    steps = options.times(300, 30)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        with HeadlessChromium(folder, _SIZE) as browser:
            screens = list(_screens(browser, folder, steps))
        short_s, short_mib = _export(folder, "short", screens[: steps // 2])
        took_s, mib = _export(folder, "whole", screens)
        page = folder / "whole.html"
        with HeadlessChromium(folder, _SIZE) as browser:
            opened = [browser.open(page) for _ in range(options.times(11, 3))]
        ratio = mib / short_mib
        size_mb = page.stat().st_size / 1e6
    recorded_mb = sum(map(len, screens)) / 1e6
    load, paint = Samples.of([each.load_ms for each in opened]), Samples.of([each.paint_ms for each in opened])
    return [
        Row(
            what=f"opening the page of {steps} steps in Chromium", n=load.n, seen=load.said(digits=0),
            bar=f"median <= {_OPENED_BAR_MS} ms", met=load.median <= _OPENED_BAR_MS,
            note=f"{size_mb:.0f} MB; the pictures were recorded with {recorded_mb:.0f} MB.",
        ),
        Row(what="until it shows its head", n=paint.n, seen=paint.said(digits=0)),
        Row(what=f"exporting {steps} steps", n=1, seen=f"{took_s:.1f} s", beside=f"{steps // 2} steps {short_s:.1f} s"),
        Row(
            what=f"peak memory of exporting {steps} steps", n=1, seen=f"{mib:.0f} MiB",
            beside=f"{steps // 2} steps {short_mib:.0f} MiB", ratio=f"{ratio:.2f}x", bar=f"<= {_MEMORY_BAR:g}x",
            met=ratio <= _MEMORY_BAR,
        ),
    ]  # fmt: skip


def _screens(browser: HeadlessChromium, folder: Path, count: int) -> Iterator[bytes]:
    source = folder / "text.html"
    source.write_text(_SCREEN, encoding="utf-8")
    browser.open(source)
    for step in range(1, count + 1):
        browser.evaluate(f"paint({step})")
        yield base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"])


def _export(folder: Path, name: str, screens: list[bytes]) -> tuple[float, float]:
    """Seconds, and the peak of the process in MiB."""
    file, anchors = folder / f"{name}.ocsession", folder / "anchors"
    with SessionJournal.create(file, anchors) as journal:
        journal.append(samples.started())
        for step, data in enumerate(screens, 1):
            digest = hashlib.sha256(data).hexdigest()
            journal.put_blob(digest, data, "image/png")
            geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=_SIZE, sent=_SIZE)
            journal.append(Observed(
                step=step, frame_id=f"f{step}", picture=digest, picture_bytes=len(data), geometry=geometry,
            ))  # fmt: skip
            for event in samples.step_events(step, digest):
                if not isinstance(event, Observed):
                    journal.append(event)
        journal.append(samples.ended())
    files = map(str, (file, anchors, folder / f"{name}.html"))
    done = subprocess.run([sys.executable, "-c", _EXPORT, *files], capture_output=True, text=True, check=True)
    took_s, mib = map(float, done.stdout.split())
    return took_s, mib
