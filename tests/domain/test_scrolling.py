"""Only one module converts clicks, pixels, grid distances and pages into notches."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import operator_console
from operator_console.domain.scrolling import from_clicks, from_grid, from_pages, from_pixels

ROOT = Path(operator_console.__file__).parent


@pytest.mark.parametrize(
    ("notches", "expected"),
    [
        (from_clicks(5), 5),
        (from_clicks(0.2), 1),
        (from_pixels(300), 3),
        (from_pixels(30), 1),
        (from_grid(800, 900), 7),
        (from_grid(300, 2160), 6),
        (from_grid(1, 768), 1),
        (from_pages(1, 800), 8),
        (from_pages(0.5, 1440), 7),
    ],
)
def test_each_measure_becomes_notches(notches: int, expected: int) -> None:
    assert notches == expected


def test_providers_compute_no_notches_of_their_own() -> None:
    """A Scroll is made of a direction times notches; nothing is rounded on the way."""
    for file in sorted((ROOT / "providers").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and "scroll" in node.name:
                names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                assert "round" not in names, f"{file.name}: {node.name}"
