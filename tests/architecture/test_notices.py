"""What this program says in a record or an error is codes with values: the calls in the source that build it.

Read from the source, because many sentences need a broken disk, display or service to be said.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

import operator_console
from operator_console.domain.notices import NoticeCode
from tests.architecture.source import nodes, parsed
from tests.domain.words import value_names

ROOT = Path(operator_console.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))

Texts: TypeAlias = Mapping[str, Sequence[str]]
"""Classes and functions, with the arguments that are texts. Positions count as the names given; "" is no text."""

_ERROR = ("title", "detail", "remedy")

# What reaches a record or, as an error, a person. Classes that derive from these errors are found in the source, and so
# are functions that pass a text on.
_TEXTS: Texts = {
    "Paused": ("detail",), "Stopped": ("detail",), "Performed": ("detail",), "Warned": ("title", "detail"),
    "Retrying": ("reason",), "Ended": ("message",), "HandedOver": ("reason",), "Message": ("text",),
    "Question": ("text",), "Outcome": ("detail",), "Given": ("text",), "Pause": ("detail",), "Stop": ("detail",),
    "End": ("why",), "StopReport": ("detail",), "StopLiveness": ("detail",), "refused": ("detail",),
    "Call": ("error", "intent", "note"), "ProposedCall": ("error", "intent", "note"), "ParsedCall": ("note",),
    "CallResult": ("text",), "Proposal": ("narration",), "Proposed": ("narration",), "ScriptedTurn": ("narration",),
    "AskOperator": ("question",), "Choice": ("label",), "Finish": ("message",), "Act": ("note",), "Met": ("note",),
    "Impossible": ("why",), "failing": ("why",), "Broken": ("problem",), "Refused": ("reason", "text"),
    "ConsoleError": _ERROR, "ActionError": ("text",), "ResetRefused": ("text",), "NoSuchApplication": ("text",),
    "AddressNotAllowed": ("text",),
}  # fmt: skip

# Another class of this name takes other positions.
_KEYWORDS_ONLY = frozenset({"Call"})


@functools.cache
def _texts() -> Texts:
    """`_TEXTS` with the errors that derive from those, and with the public functions of all modules that pass texts on.

    Private functions have the same name in several modules, so `_found` adds those of its own.
    """
    trees = [parsed(path.read_text("utf-8")) for path in SOURCES]
    classes = [node for tree in trees for node in nodes(tree) if isinstance(node, ast.ClassDef)]
    texts, before = dict(_TEXTS), 0
    while before < len(texts):
        before = len(texts)
        for node in classes:
            for base in node.bases:
                if isinstance(base, ast.Name) and base.id in texts:
                    texts.setdefault(node.name, _of_subclass(node, texts[base.id]))
        for tree in trees:
            passing = _passing_on(tree, texts)
            texts = {name: passing[name] for name in passing if not name.startswith("_")} | texts
    return texts


def _of_subclass(node: ast.ClassDef, above: Sequence[str]) -> Sequence[str]:
    """The texts of a class that derives from one with the texts `above`."""
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return _parameters(each, frozenset(above))
    return above


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef, texts: frozenset[str]) -> Sequence[str]:
    """Its parameters by position, then those that are given by name only; "" for those not in `texts`."""
    positional = [each.arg for each in function.args.args if each.arg not in ("self", "cls")]
    return [name if name in texts else "" for name in (*positional, *(each.arg for each in function.args.kwonlyargs))]


def _passing_on(tree: ast.Module, texts: Texts) -> Texts:
    """The functions that pass a parameter on as a text, directly or through others of the module."""
    found: dict[str, Sequence[str]] = {}
    known, before = dict(texts), -1
    while before < len(found):
        before = len(found)
        for function, calls in _functions(tree):
            said = [value for call in calls for value in _text_arguments(call, known)]
            parameters = _parameters(function, frozenset(name for value in said for name in _names_in(value)))
            if any(parameters):
                found[function.name] = known[function.name] = parameters
    return found


@functools.cache
def _functions(tree: ast.Module) -> Sequence[tuple[ast.FunctionDef | ast.AsyncFunctionDef, Sequence[ast.Call]]]:
    """All functions of a module, each with the calls in it."""
    functions = [node for node in nodes(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(each, [node for node in ast.walk(each) if isinstance(node, ast.Call)]) for each in functions]


def _text_arguments(call: ast.Call, texts: Texts) -> Iterator[ast.expr]:
    names = texts.get(_name(call), ())
    if _name(call) not in _KEYWORDS_ONLY:
        yield from (value for name, value in zip(names, call.args, strict=False) if name)
    yield from (each.value for each in call.keywords if each.arg and each.arg in names)


def _names_in(value: ast.expr) -> Iterator[str]:
    """The names that stand for a text or a part of it."""
    if isinstance(value, ast.Name):
        yield value.id
    for part in _parts_of_text(value):
        yield from _names_in(part)


@functools.cache
def _calls(source: str) -> Sequence[ast.Call]:
    return [node for node in nodes(parsed(source)) if isinstance(node, ast.Call)]


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
        self._values: dict[str, list[ast.expr]] = {}
        for node in nodes(parsed(source)):
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
        "raise OperatorError('No display is known.')",
        "raise KeyringUnusable(title, remedy='Set it up.')",
        "raise ComputerUnavailable(title, reason=reason, detail='It is off.')",
        "raise Refused(reason, 'Covered.')",
        "def _unusable(path, why):\n    return OperatorError(title, detail=why)\n_unusable(path, 'It is empty.')",
        "raise not_a_session(path, 'It is empty.')",
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
        "def _unusable(path, why):\n    return OperatorError(title, detail=why)\n_unusable('a.toml', str(error))",
        "raise ComputerUnavailable(title, reason='off')",
        "raise OperatorError(title, detail=f'{error.strerror or error}.')",
    ],
)
def test_notices_and_text_by_others_are_not_found(source: str) -> None:
    assert not _found(source)


def _found(source: str) -> list[str]:
    """The calls of these constructors with text that is written on the spot."""
    texts = {**_texts(), **_passing_on(parsed(source), _texts())}
    arguments = [(call, value) for call in _calls(source) for value in _text_arguments(call, texts)]
    wordings = _Wordings(source) if arguments else None
    return [
        f"{_name(call)} in line {call.lineno}"
        for call, value in arguments
        if wordings is not None and wordings.on_the_spot(value)
    ]


def test_every_notice_is_made_with_exactly_the_values_of_its_words() -> None:
    wrong, seen = [], 0
    for path in SOURCES:
        for call in _calls(path.read_text("utf-8")):
            if _name(call) != "notice" or not call.args or any(each.arg is None for each in call.keywords):
                continue
            for code in _codes(call.args[0]):
                seen += 1
                given = frozenset(str(each.arg) for each in call.keywords)
                if given != value_names(code.words):
                    wrong.append(f"{path.relative_to(ROOT)}:{call.lineno} {code.name}: {sorted(given)}")
    assert seen > 200
    assert not wrong


def test_each_part_of_an_error_is_a_sentence() -> None:
    """Title, detail and remedy are shown one after the other, on one line too."""
    errors = {name: arguments for name, arguments in _texts().items() if set(_ERROR) <= set(arguments)}
    parts = [
        part for path in SOURCES for call in _calls(path.read_text("utf-8")) for part in _text_arguments(call, errors)
    ]
    codes = {
        code
        for part in parts
        if isinstance(part, ast.Call) and _name(part) == "notice"
        for code in _codes(part.args[0])
    }
    assert len(codes) > 100
    words = {code: [each for each in (code.words.one, code.words.many) if each] for code in NoticeCode}
    assert not [code.name for code in codes if not all(each.endswith((".", "!", "?", "}")) for each in words[code])]


def test_every_code_is_used() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCES)
    used = set(re.findall(r"NoticeCode\.(\w+)", text))
    unused = [code.name for code in NoticeCode if code.name not in used]
    assert not unused


def test_no_text_of_a_record_or_an_error_is_written_on_the_spot() -> None:
    found = {str(path.relative_to(ROOT)): _found(path.read_text("utf-8")) for path in SOURCES}
    assert len(found) > 400
    assert {path: calls for path, calls in found.items() if calls} == {}
