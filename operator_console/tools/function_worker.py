"""The process that runs one of the operator's functions: it reads one request, writes one answer, and ends.

Its environment has no API keys. It leads a process group, which a stop kills. The output of functions is discarded;
what they return or raise is the answer.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import inspect
import json
import os
import queue
import re
import traceback
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError

from operator_console.tools.worker_pipes import MAX_CHARACTERS, Console

MAX_PICTURES = 4
MAX_PICTURE_BYTES = 4_000_000
PNG = b"\x89PNG\r\n\x1a\n"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def main() -> None:
    """Answer one request."""
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    console = Console(requests.put)
    console.answer(_answer(requests.get()))
    os._exit(0)  # does not wait for threads that the function started


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        if request["do"] == "describe":
            return {"tools": [_described(path) for path in request["functions"]]}
        return _called(request["function"], request["arguments"])
    except BaseException as error:  # noqa: BLE001 - anything that the function raises is an answer
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return {"error": text[:MAX_CHARACTERS], "trace": traceback.format_exc()[-MAX_CHARACTERS:]}


def _described(path: str) -> dict[str, Any]:
    """Name, description and JSON schema of the arguments, or the problem in words."""
    try:
        function = _found(path)
        model = _arguments_model(function)
        name = function.__name__
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a valid name for a function")
        schema = model.model_json_schema(by_alias=True)
    except Exception as error:  # noqa: BLE001 - importing the module may fail in any way
        return {"path": path, "problem": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
    schema.pop("title", None)
    description = inspect.getdoc(function) or f"Calls {name}."
    return {"path": path, "name": name, "description": description, "parameters": schema}


def _found(path: str) -> Callable[..., Any]:
    module_name, colon, attribute = path.partition(":")
    if not colon:
        raise ValueError("write it as package.module:function")
    found: Any = importlib.import_module(module_name)
    for part in attribute.split("."):
        found = getattr(found, part)
    if not callable(found) or not hasattr(found, "__name__"):
        raise TypeError("it is not a function")
    function: Callable[..., Any] = found
    return function


def _arguments_model(function: Callable[..., Any]) -> type[BaseModel]:
    """A model of the arguments from the type hints. Raises TypeError."""
    fields: dict[str, Any] = {}
    for number, parameter in enumerate(inspect.signature(function, eval_str=True).parameters.values()):
        if parameter.kind not in _BY_NAME:
            raise TypeError(f"its parameter {parameter.name!r} cannot be passed by name")
        empty = parameter.empty
        hint = Any if parameter.annotation is empty else parameter.annotation
        # Fields are numbered, because pydantic reserves some names.
        default = ... if parameter.default is empty else parameter.default
        fields[f"field_{number}"] = (hint, Field(default, alias=parameter.name, title=parameter.name))
    try:
        return create_model("Arguments", __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=False), **fields)
    except PydanticUserError as error:
        raise TypeError(f"its type hints have no JSON schema: {error}") from error


def _called(path: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = _found(path)
    model = _arguments_model(function)
    try:
        read = model.model_validate(arguments)
    except ValidationError as error:
        problems = (f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}" for item in error.errors())
        return {"error": f"The arguments are invalid: {'; '.join(problems)}."[:MAX_CHARACTERS]}
    given = {field.alias or name: getattr(read, name) for name, field in model.model_fields.items()}
    returned = function(**given)
    if inspect.iscoroutine(returned):
        returned = asyncio.run(returned)
    return _written(returned)


def _written(returned: object) -> dict[str, Any]:
    """The texts and pictures returned: str and PNG bytes unchanged, other values as JSON."""
    parts = list(returned) if isinstance(returned, list | tuple) and all(map(_plain, returned)) else [returned]
    texts: list[str] = []
    pictures: list[str] = []
    room = MAX_CHARACTERS
    for part in parts:
        if isinstance(part, bytes) and _plain(part):
            if len(part) > MAX_PICTURE_BYTES or len(pictures) == MAX_PICTURES:
                return {"error": "It returned too many or too large pictures."}
            pictures.append(base64.b64encode(part).decode("ascii"))
        elif part is not None:
            text = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, default=str)
            texts.append(text if len(text) <= room else f"{text[:room]} … (cut, {len(text) - room} more characters)")
            room = max(0, room - len(text))
    return {"texts": texts, "pictures": pictures}


def _plain(part: object) -> bool:
    return isinstance(part, str) or (isinstance(part, bytes) and part.startswith(PNG))


if __name__ == "__main__":
    main()
