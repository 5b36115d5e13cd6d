"""Scripts that the shipped models do not know: told apart, read with Tesseract, else unreadable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from operator_console.domain.geometry import Rect
from operator_console.perception.ocr import tesseract_fallback
from operator_console.perception.ocr.picture_text import A, B, PictureReader, PictureText
from operator_console.perception.ocr.rapidocr_engine import OcrEngine
from operator_console.perception.ocr.tesseract_fallback import (
    OtherScripts,
    ScriptText,
    doubtful,
    installed_packs,
    packs_among,
    parse,
)
from operator_console.perception.text_lines import Pixels
from tests.perception.drawing import bgrx

SANS, CJK = "DejaVuSans.ttf", "NotoSansCJK-Regular.ttc"
OTHERS = [
    ("Удалить", SANS), ("Отправить", SANS), ("Скасувати", SANS), ("Сохранить", SANS),
    ("Διαγραφή", SANS), ("Αποθήκευση", SANS), ("삭제", CJK), ("로그인", CJK), ("보내기", CJK),
]  # fmt: skip
EACH_SCRIPT = [
    ("Удалить", SANS), ("로그인", CJK),
    *(pytest.param(words, SANS, marks=pytest.mark.full) for words in ("Скасувати", "Διαγραφή")),
]  # fmt: skip
KNOWN = [
    ("Delete everything", SANS), ("Überweisen", SANS), ("Zapłać teraz", SANS), ("12.30 EUR", SANS), ("README.md", SANS),
    ("Ctrl+S", SANS), ("发送", CJK), ("删除文件", CJK), ("ファイル", CJK), ("キャンセル", CJK),
]  # fmt: skip
COLUMNS = (
    "level", "page_num", "block_num", "par_num", "line_num", "word_num", "left", "top", "width", "height", "conf",
    "text",
)  # fmt: skip


class Counting(OtherScripts):
    calls = 0

    def read(self, pieces: Sequence[Pixels]) -> list[ScriptText | None]:
        self.calls += 1
        return super().read(pieces)


@pytest.fixture(autouse=True)
def packs_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """They are looked up anew, and each has all the time that it needs: both are a busy machine's affair."""
    monkeypatch.setattr(tesseract_fallback, "_TIMEOUT_S", 100.0)
    installed_packs.cache_clear()
    yield
    installed_packs.cache_clear()


@pytest.fixture(scope="module")
def engine() -> OcrEngine:
    return OcrEngine()


def one_by_one(work: Callable[[A], B], on: Sequence[A], /) -> Sequence[B]:
    return [*map(work, on)]


def read(engine: OcrEngine, scripts: OtherScripts, words: str, font: str) -> PictureText:
    image = Image.new("RGB", (480, 120), "#f4f5f7")
    ImageDraw.Draw(image).text((100, 50), words, fill="#1b1f24", font=ImageFont.truetype(font, 16))
    return PictureReader(engine, scripts).near(bgrx(image), Rect(95, 50, 200, 24), 4, one_by_one)


@pytest.mark.parametrize(("words", "font"), EACH_SCRIPT)
def test_an_unknown_script_is_read_with_its_pack(engine: OcrEngine, words: str, font: str) -> None:
    found = read(engine, OtherScripts(), words, font)
    assert ([box.text for box in found.boxes], found.unreadable) == ([words], ())


@pytest.mark.parametrize(("words", "font"), OTHERS)
def test_without_packs_an_unknown_script_is_unreadable(engine: OcrEngine, words: str, font: str) -> None:
    found = read(engine, OtherScripts({}), words, font)
    assert len(found.unreadable) == 1


@pytest.mark.parametrize(("words", "font"), KNOWN)
def test_what_the_models_know_needs_no_tesseract(engine: OcrEngine, words: str, font: str) -> None:
    scripts = Counting()
    found = read(engine, scripts, words, font)
    assert ([box.text for box in found.boxes], found.unreadable, scripts.calls) == ([words], (), 0)


@pytest.mark.parametrize(
    ("text", "confidence", "width", "expected"),
    [
        ("Save", 0.99, 40, False),
        ("Save", 0.7, 40, True),
        ("", 0.0, 40, True),
        ("C", 0.99, 90, True),
        ("HeT", 0.96, 30, True),
        ("McDonald", 0.999, 80, False),
        ("Eπιλογή", 0.93, 70, True),
        ("U19n", 0.87, 40, True),
        ("x86_64", 0.95, 60, False),
        ("删除", 0.98, 28, False),
    ],
)
def test_what_is_doubtful(text: str, confidence: float, width: int, expected: bool) -> None:
    assert doubtful(text, confidence, Rect(0, 0, width, 12)) is expected


def test_what_an_edge_has_cut_off_is_not_judged() -> None:
    assert not doubtful("wn", 0.3, Rect(0, 0, 40, 4))


def test_packs_of_scripts_come_before_those_of_languages() -> None:
    assert packs_among(["eng", "Cyrillic", "rus", "kor", "script/Hebrew", "ukr"]) == {
        "Cyrillic": "Cyrillic", "Hangul": "kor", "Hebrew": "script/Hebrew",
    }  # fmt: skip
    assert packs_among(["rus", "ukr"]) == {"Cyrillic": "rus+ukr"}
    assert packs_among(["eng", "osd"]) == {}


def table(*words: tuple[int, str, float]) -> str:
    rows = [["5", str(page), *["1"] * 8, str(confidence), text] for page, text, confidence in words]
    return "\n".join("\t".join(row) for row in [COLUMNS, *rows])


def test_a_page_counts_only_where_it_is_written_in_the_script_of_the_pack() -> None:
    found = parse(table((1, "Удалить", 96.0), (1, "всё", 71.0), (2, "Send", 97.0)), "Cyrillic", 3)
    assert found == [ScriptText(text="Удалить всё", confidence=0.71, script="Cyrillic"), None, None]


def test_thai_is_joined_without_spaces() -> None:
    (found,) = parse(table((1, "บั น", 90.0), (1, "ทึก", 90.0)), "Thai", 1)
    assert found is not None
    assert found.text == "บันทึก"


def test_a_program_that_is_not_there_reads_nothing() -> None:
    assert OtherScripts({}).read([np.zeros((20, 60, 3), dtype=np.uint8)]) == [None]
