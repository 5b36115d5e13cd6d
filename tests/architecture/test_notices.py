"""What this program says in a record goes there as codes with values: the calls in the source that build it.

Read from the source, because many sentences need a broken disk, display or service to be said.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
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
    "ActionError": ("text",), "Call": ("error", "intent", "note"), "ProposedCall": ("error", "intent", "note"),
    "ParsedCall": ("note",), "CallResult": ("text",), "Proposal": ("narration",), "Proposed": ("narration",),
    "ScriptedTurn": ("narration",), "AskOperator": ("question",), "Choice": ("label",), "Finish": ("message",),
    "TaskMistake": ("title", "detail", "remedy"), "OperatorError": ("title", "detail", "remedy"),
    "Act": ("note",), "Met": ("note",), "Impossible": ("why",),
    "failing": ("why",), "_mistake": ("token", "detail"),
}  # fmt: skip

# Another class of this name takes other positions.
_KEYWORDS_ONLY = frozenset({"Call"})

# Where an OperatorError may end a run; elsewhere it is raised only before a record is opened.
_WITHIN_A_RUN = ("engine/turn/", "injector/", "perception/", "providers/anthropic/", "providers/cogagent/",
                 "providers/gemini/", "providers/qwen/", "providers/runbook/", "providers/scripted/",
                 "providers/shared/", "providers/ui_tars/")  # fmt: skip

# Errors that are raised only before a record is opened, so that they are never in one.
_BEFORE_A_RECORD = frozenset({
    "app/human_display.py", "desktop/x11/display.py:no_display", "desktop/x11/pixels.py",
    "desktop/x11/virtual_desktop.py", "providers/gemini/provider.py", "cli/doctor_checks.py",
})  # fmt: skip


def _calls(source: str) -> Iterator[tuple[ast.Call, str]]:
    """The calls of plain names in a source, each with the name of the function around it."""

    def walk(node: ast.AST, around: str) -> Iterator[tuple[ast.Call, str]]:
        inside = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else around
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                yield child, inside
            yield from walk(child, inside)

    yield from walk(ast.parse(source), "")


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


class _Wordings:
    """Tells text that a module writes on the spot, also where a name or a function of the same module stands for it."""

    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)
        self._values: dict[str, list[ast.expr]] = {}
        for node in ast.walk(self._tree):
            self._collect(node)

    def _collect(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._values.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._values.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    if isinstance(target, ast.Name):
                        self._values.setdefault(target.id, []).append(value)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                returned = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value]
                self._values.setdefault(f"{name}()", []).extend(returned)
            case _:
                pass

    def on_the_spot(self, value: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
        """Whether it is, or may be, text with words in it."""
        if isinstance(value, ast.Constant):
            return isinstance(value.value, str) and any(map(str.isalpha, value.value))
        name = _name_of_text(value)
        parts = _parts_of_text(value) if name is None else () if name in seen else self._values.get(name, ())
        return any(self.on_the_spot(part, seen | {name or ""}) for part in parts)


def _name_of_text(value: ast.expr) -> str | None:
    """The name of this module that it stands for; with "()" that of a function that is called."""
    match value:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="str" | "joined" | "listed" | "lines")):
            return None
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name)):
            return f"{name}()"
    return None


def _parts_of_text(value: ast.expr) -> Sequence[ast.expr]:
    """What it consists of, or is one of."""
    match value:
        case ast.JoinedStr(values=parts):
            return [part for part in parts if isinstance(part, ast.Constant)]
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            return [one, other]
        case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            return parts
        case ast.Call(func=ast.Attribute(value=text, attr="strip" | "format" | "join"), args=parts):
            return [text, *parts]
        case ast.Call(func=ast.Name(), args=parts):
            return parts
        case ast.Starred(value=part):
            return [part]
    return ()


@pytest.mark.parametrize(
    "source",
    [
        "Call(error='It is missing.')",
        "ParsedCall(note=f'{n} of them' if n else '')",
        "why = f'Line {n}: '\nprogress.failing(why + found)",
        "WHY = 'Not there.'\nraise ActionError(WHY)",
        "def why(n):\n    return f'{n} times' if n else ''\nImpossible(why=why(3))",
        "Proposal(narration='\\n'.join(['Done.', said]))",
        "CallResult(text=joined(said, 'Not done.'))",
        "CallResult(text=f'{said} Not done.'.strip())",
    ],
)
def test_a_sentence_on_such_a_field_is_found(source: str) -> None:
    assert _found(source)


@pytest.mark.parametrize(
    "source",
    [
        "Call(error=notice(NoticeCode.CALL_UNKNOWN, name='x'), note='')",
        "ActionError(error.text)",
        "ProviderRejected(title, detail=f'{reason}. {detail}'.strip())",
        "Proposal(narration=lines(notes))",
    ],
)
def test_notices_and_text_by_others_are_not_found(source: str) -> None:
    assert not _found(source)


def _found(source: str, leave_out: Callable[[str], bool] = lambda around: False) -> list[str]:
    """The calls of these constructors with text that is written on the spot; `leave_out` takes a function's name."""
    wordings = _Wordings(source)
    found = []
    for call, around in _calls(source):
        names = _TEXTS.get(_name(call))
        if names is None or leave_out(around):
            continue
        positional = [] if _name(call) in _KEYWORDS_ONLY else call.args[: len(names)]
        texts = [*positional, *(each.value for each in call.keywords if each.arg in names)]
        found += [f"{_name(call)} in line {call.lineno}" for value in texts if wordings.on_the_spot(value)]
    return found


def test_every_notice_is_made_with_exactly_the_values_of_its_words() -> None:
    wrong, seen = [], 0
    for path in SOURCES:
        for call, _ in _calls(path.read_text("utf-8")):
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
    found = _found(path.read_text("utf-8"), lambda around: f"{place}:{around}" in _BEFORE_A_RECORD)
    assert not [each for each in found if not each.startswith("OperatorError ") or place.startswith(_WITHIN_A_RUN)]
