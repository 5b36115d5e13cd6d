"""What this program says in a record goes there as codes with values: the calls in the source that build it.

Read from the source, because many sentences need a broken disk, display or service to be said.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import operator_console
from operator_console.domain.message_texts import WORDS, value_names
from operator_console.domain.notices import NoticeCode

ROOT = Path(operator_console.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))

# Constructors whose texts reach the record, and the arguments that are texts; positions count as the names given.
_TEXTS = {
    "Paused": ("detail",), "Stopped": ("detail",), "Performed": ("detail",), "Warned": ("title", "detail"),
    "Retrying": ("reason",), "Ended": ("message",), "HandedOver": ("reason",), "Message": ("text",),
    "Question": ("text",), "Outcome": ("detail",), "Given": ("text",), "Pause": ("detail",), "Stop": ("detail",),
    "StopReport": ("detail",), "StopLiveness": ("detail",), "refused": ("detail",), "Refused": ("reason", "text"),
    "Untypable": ("text",), "ForeignModifier": ("text",), "CompositionActive": ("text",), "DeliveryUnknown": ("text",),
    "ComputerRejected": ("title", "detail", "remedy"), "ComputerTimedOut": ("title", "detail", "remedy"),
    "ComputerUnavailable": ("title", "detail", "remedy"), "ProviderTransient": ("title", "detail", "remedy"),
    "ProviderRefused": ("title", "detail", "remedy"), "ProviderRejected": ("title", "detail", "remedy"),
    "ProviderMalformed": ("title", "detail", "remedy"),
}  # fmt: skip

# Errors that are raised only before a record is opened, so that they are never in one.
_BEFORE_A_RECORD = frozenset({
    "app/human_display.py", "desktop/x11/display.py:no_display", "desktop/x11/pixels.py",
    "desktop/x11/virtual_desktop.py", "providers/gemini/provider.py", "cli/checks.py",
})  # fmt: skip


def _calls(path: Path) -> Iterator[tuple[ast.Call, str]]:
    """The calls of plain names in a file, each with the name of the function around it."""

    def walk(node: ast.AST, around: str) -> Iterator[tuple[ast.Call, str]]:
        inside = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else around
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                yield child, inside
            yield from walk(child, inside)

    yield from walk(ast.parse(path.read_text("utf-8")), "")


def _name(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _codes(argument: ast.expr) -> list[NoticeCode]:
    match argument:
        case ast.Attribute(value=ast.Name(id="NoticeCode"), attr=name):
            return [NoticeCode[name]]
        case ast.IfExp(body=body, orelse=orelse):
            return [*_codes(body), *_codes(orelse)]
    return []


def _is_wording(value: ast.expr) -> bool:
    """Whether it is text written on the spot."""
    match value:
        case ast.Constant(value=str() as text):
            return bool(text)
        case ast.JoinedStr():
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return _is_wording(body) or _is_wording(orelse)
        case ast.BoolOp(values=values):
            return any(map(_is_wording, values))
    return False


def test_every_notice_is_made_with_exactly_the_values_of_its_words() -> None:
    wrong, seen = [], 0
    for path in SOURCES:
        for call, _ in _calls(path):
            if _name(call) != "notice" or not call.args or any(each.arg is None for each in call.keywords):
                continue
            for code in _codes(call.args[0]):
                seen += 1
                given = frozenset(str(each.arg) for each in call.keywords)
                if given != value_names(WORDS[code]):
                    wrong.append(f"{path.relative_to(ROOT)}:{call.lineno} {code.name}: {sorted(given)}")
    assert seen > 200
    assert not wrong


def test_every_code_is_used() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCES if path.name not in ("notices.py", "message_texts.py"))
    inside = (ROOT / "domain" / "message_texts.py").read_text("utf-8").partition("_N = NoticeCode")[0]
    unused = [code.name for code in NoticeCode if f"NoticeCode.{code.name}" not in text + inside]
    assert not unused


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_of_the_record_is_written_on_the_spot(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    if place in _BEFORE_A_RECORD:
        return
    found = []
    for call, around in _calls(path):
        names = _TEXTS.get(_name(call))
        if names is None or f"{place}:{around}" in _BEFORE_A_RECORD:
            continue
        texts = [*call.args[: len(names)], *(each.value for each in call.keywords if each.arg in names)]
        found += [f"{_name(call)} in line {call.lineno}" for value in texts if _is_wording(value)]
    assert not found
