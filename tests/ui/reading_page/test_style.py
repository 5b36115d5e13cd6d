"""The style of the page: legible in light, dark and print."""

from __future__ import annotations

import re

import pytest

from operator_console.resource_files import resource_path

STYLE = resource_path("styles", "reading_page.css").read_text(encoding="utf-8")
SCHEMES = {
    "light": STYLE.split("@media", 1)[0],
    "dark": STYLE.split("@media (prefers-color-scheme: dark)", 1)[1].split("\n}\n", 1)[0],
    "print": STYLE.split("@media print", 1)[1],
}
PAIRS = [
    ("text", "ground"), ("text", "panel"), ("text", "chip"), ("secondary", "ground"), ("secondary", "panel"),
    ("secondary", "chip"), ("accent", "ground"), ("accent", "panel"), ("accent", "accent-soft"), ("warn", "warn-soft"),
    ("stop", "stop-soft"), ("stop", "ground"), ("good", "good-soft"), ("good", "panel"), ("text", "good-soft"),
    ("text", "warn-soft"), ("text", "stop-soft"), ("secondary", "stop-soft"),
]  # fmt: skip


def colours(rules: str) -> dict[str, str]:
    def whole(value: str) -> str:
        return "#" + "".join(2 * digit for digit in value[1:]) if len(value) == 4 else value

    return {name: whole(value) for name, value in re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6});", rules)}


def contrast(one: str, other: str) -> float:
    """WCAG 2.2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_texts_have_a_contrast_of_at_least_4_5(scheme: str) -> None:
    found = colours(SCHEMES["light"]) | colours(SCHEMES[scheme])
    ratios = {pair: contrast(found[pair[0]], found[pair[1]]) for pair in PAIRS}
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < 4.5} == {}


def test_white_labels_have_a_contrast_of_at_least_4_5_on_every_risk() -> None:
    inks = re.findall(r"\.risk-\d \{ --ink: (#[0-9a-f]{6}); \}", STYLE)
    assert len(inks) == 5
    assert all(contrast("#ffffff", ink) >= 4.5 for ink in inks)


def test_the_style_stays_inside_its_element_and_loads_nothing() -> None:
    assert "</" not in STYLE
    assert not re.search(r"url\(|@import|@font-face", STYLE)


def test_nothing_asks_what_the_whole_page_has() -> None:
    # Each step that is loaded would style the whole page again: a third of the time until a long page is open.
    assert not re.search(r"(html|body|main|:root)[^{},]*:has\(", STYLE)
