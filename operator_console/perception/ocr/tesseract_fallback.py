"""Reads scripts that the shipped recogniser does not know, with the Tesseract program where it is installed.

Every pack of a script reads the same pieces of text, all in one call; the pack counts whose result is written in its
own script and has the highest confidence. See the manual page tesseract(1) and
https://tesseract-ocr.github.io/tessdoc/Data-Files.html for the packs.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from operator_console.domain.environment import without_keys
from operator_console.domain.geometry import Rect
from operator_console.perception.text_lines import Pixels

_log = logging.getLogger(__name__)

PROGRAM = "tesseract"
LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "Arabic": ("ara", "fas", "urd"),
    "Armenian": ("hye",),
    "Bengali": ("ben",),
    "Cyrillic": ("rus", "ukr", "bul", "srp", "bel", "mkd"),
    "Devanagari": ("hin", "mar", "nep"),
    "Ethiopic": ("amh",),
    "Georgian": ("kat",),
    "Greek": ("ell",),
    "Gujarati": ("guj",),
    "Gurmukhi": ("pan",),
    "Hangul": ("kor",),
    "Hebrew": ("heb",),
    "Kannada": ("kan",),
    "Khmer": ("khm",),
    "Lao": ("lao",),
    "Malayalam": ("mal",),
    "Myanmar": ("mya",),
    "Sinhala": ("sin",),
    "Tamil": ("tam",),
    "Telugu": ("tel",),
    "Thai": ("tha",),
}
"""Scripts, with the language packs that serve where the pack of the script is not installed."""

COMMON: Mapping[str, str] = {
    "Arabic": "arab",
    "Cyrillic": "cyrl",
    "Devanagari": "deva",
    "Greek": "grek",
    "Hangul": "hang",
    "Hebrew": "hebr",
    "Thai": "thai",
}
"""The scripts that are offered to be installed, with the last part of the name of Debian's package for each."""

_SURE, _ENOUGH = 0.8, 0.7
_LINE = "7"  # page segmentation mode: a single line
_SCALE, _MARGIN = 3, 10
_DPI = "150"
_TIMEOUT_S = 5.0
_AT_ONCE = 2
_WORD_LEVEL, _COLUMNS = "5", 12
_WITHOUT_SPACES = frozenset({"Thai", "Lao", "Khmer", "Myanmar"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptText:
    """A text and its script; `confidence` 0..1 of its least certain word."""

    text: str
    confidence: float
    script: str


@cache
def installed_packs() -> Mapping[str, str]:
    """Scripts that can be read here, with the value of Tesseract's option `-l` for each. Looked up once."""
    program = shutil.which(PROGRAM)
    if program is None:
        return {}
    try:
        listed = subprocess.run(
            [program, "--list-langs"], capture_output=True, text=True, timeout=_TIMEOUT_S, env=_environment()
        )
    except (OSError, subprocess.TimeoutExpired):
        _log.warning("Tesseract does not start", exc_info=True)
        return {}
    return packs_among(listed.stdout.split("\n")[1:])


def packs_among(names: Iterable[str]) -> Mapping[str, str]:
    """The scripts that these packs serve. Debian installs the packs of scripts beside those of languages; elsewhere
    they are in a folder `script`."""
    there = {name.strip() for name in names}
    found = {}
    for script, languages in LANGUAGES.items():
        whole = [name for name in (script, f"script/{script}") if name in there]
        some = [name for name in languages if name in there]
        if whole or some:
            found[script] = whole[0] if whole else "+".join(some)
    return found


class OtherScripts:
    """Reads pieces of text, trying first the script that was found last."""

    def __init__(self, packs: Mapping[str, str] | None = None) -> None:
        self._packs = packs
        self._last = ""

    @property
    def found_any(self) -> bool:
        """Whether a text in another script has been found yet."""
        return bool(self._last)

    def read(self, pieces: Sequence[Pixels]) -> list[ScriptText | None]:
        """The text of each piece (BGR pixels, one line each); None where no installed pack reads it."""
        packs = installed_packs() if self._packs is None else self._packs
        best: list[ScriptText | None] = [None] * len(pieces)
        if not packs or not pieces:
            return best
        with tempfile.TemporaryDirectory(prefix="console-text-") as folder:
            files = [_save(piece, Path(folder) / f"{number}.pgm") for number, piece in enumerate(pieces)]
            first = [self._last] if self._last in packs else []
            rest = [script for script in packs if script not in first]
            for scripts in (first, rest):
                open_ = [number for number, text in enumerate(best) if text is None or text.confidence < _SURE]
                for number, text in self._try(scripts, packs, files, open_):
                    before = best[number]
                    if before is None or text.confidence > before.confidence:
                        best[number] = text
        found = [text if text is not None and text.confidence >= _ENOUGH else None for text in best]
        certain = [text for text in found if text is not None]
        if certain:
            self._last = max(certain, key=lambda text: text.confidence).script
        return found

    def _try(
        self, scripts: Sequence[str], packs: Mapping[str, str], files: Sequence[Path], numbers: Sequence[int]
    ) -> Iterable[tuple[int, ScriptText]]:
        if not scripts or not numbers:
            return []
        asked = [files[number] for number in numbers]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = pool.map(lambda script: _run(asked, script, packs[script]), scripts)
            return [
                (number, text)
                for texts in answers
                for number, text in zip(numbers, texts, strict=True)
                if text is not None
            ]


def _save(piece: Pixels, path: Path) -> Path:
    """Write a piece as dark text on light ground, enlarged, with a margin."""
    import cv2

    grey = cv2.cvtColor(piece, cv2.COLOR_BGR2GRAY)
    ground = int(np.bincount(grey.ravel(), minlength=256).argmax())
    if ground < 128:
        grey, ground = 255 - grey, 255 - ground
    large = cv2.resize(grey, None, fx=_SCALE, fy=_SCALE, interpolation=cv2.INTER_CUBIC)
    padded = np.pad(large, _MARGIN, constant_values=ground)
    path.write_bytes(f"P5 {padded.shape[1]} {padded.shape[0]} 255\n".encode() + padded.tobytes())
    return path


def _run(files: Sequence[Path], script: str, pack: str) -> list[ScriptText | None]:
    nothing: list[ScriptText | None] = [None] * len(files)
    names = files[0].parent / f"{script}.txt"
    names.write_text("\n".join(str(file) for file in files), encoding="utf-8")
    command = [PROGRAM, str(names), "stdout", "-l", pack, "--psm", _LINE, "--dpi", _DPI, "tsv"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, env=_environment())
    except (OSError, subprocess.TimeoutExpired):
        _log.warning("Tesseract failed with the pack %s", pack, exc_info=True)
        return nothing
    return parse(done.stdout, script, len(files))


def parse(table: str, script: str, count: int) -> list[ScriptText | None]:
    """Read Tesseract's TSV output for `count` pages of one line; None where a page is not mostly in `script`."""
    words: list[list[tuple[str, float]]] = [[] for _ in range(count)]
    for line in table.splitlines():
        cells = line.split("\t")
        if len(cells) == _COLUMNS and cells[0] == _WORD_LEVEL and 1 <= int(cells[1]) <= count:
            words[int(cells[1]) - 1].append((cells[11], float(cells[10]) / 100))
    joint = "" if script in _WITHOUT_SPACES else " "
    return [_text_of(page, joint, script) for page in words]


def _text_of(words: Sequence[tuple[str, float]], joint: str, script: str) -> ScriptText | None:
    text = joint.join(word for word, _ in words).strip()
    if joint == "":
        text = text.replace(" ", "")
    letters = [letter for letter in text if letter.isalpha()]
    own = [letter for letter in letters if unicodedata.name(letter, "").startswith(script.upper())]
    if not own or 2 * len(own) <= len(letters):
        return None
    return ScriptText(text=text, confidence=min(confidence for _, confidence in words), script=script)


def _environment() -> dict[str, str]:
    return {**without_keys(os.environ), "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}


SURE, _RATHER_SURE, _QUITE_SURE = 0.86, 0.94, 0.985
_WIDEST_LETTER, _WIDEST_IDEOGRAPH = 1.15, 1.6  # in heights of the ink
_ODD_CASE = re.compile(r"\b[A-Z]?[a-zß-ÿ]{1,3}[A-Z][a-z]?\b")
_LETTERS_AND_DIGITS = re.compile(r"[^\W\d_]\d|\d['’]?[^\W\d_]|\d['’]\d")
_LOWEST_HEIGHT = 6  # pixels; less is what an edge has cut off


def doubtful(text: str, confidence: float, ink: Rect) -> bool:
    """Whether a recognised text may be another one in a script that the shipped recogniser does not know.

    It knows Latin, Chinese and Japanese. Of other scripts it makes letters that look alike, mostly with little
    confidence. Measured on rendered words of ten scripts at 13, 16 and 22 pixels: known words have a confidence of at
    least 0.88 in 98 of 100 cases, and 9 of 10 words of unknown scripts are doubtful by these rules.

    Args:
        text: as recognised.
        confidence: 0..1.
        ink: the box of the ink, pixels.
    """
    if ink.height < _LOWEST_HEIGHT:
        return False
    if confidence < SURE or not text or _covers_too_little(text, ink):
        return True
    if confidence < _RATHER_SURE and _LETTERS_AND_DIGITS.search(text):
        return True
    return confidence < _QUITE_SURE and (_has_greek(text) or bool(_ODD_CASE.search(text)))


def _covers_too_little(text: str, ink: Rect) -> bool:
    """Whether the text has too few letters for the width of the ink."""
    ideographs = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    letters = len(text) - ideographs
    return ink.width > ink.height * (_WIDEST_LETTER * letters + _WIDEST_IDEOGRAPH * ideographs + 1)


def _has_greek(text: str) -> bool:
    """The recogniser knows Greek letters of formulas only, and reads Greek words wrongly."""
    return any(unicodedata.name(letter, "").startswith("GREEK") for letter in text if letter not in "µπΩ°Δ")
