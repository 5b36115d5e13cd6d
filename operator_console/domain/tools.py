"""Functions offered to a model besides input, and their results."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.frames import Picture

BASH = "bash"
TEXT_EDITOR = "str_replace_based_edit_tool"
"""Names of the sandboxed tools: those that Anthropic's predefined ones have."""


class SandboxTool(StrEnum):
    """A tool that works in a sandbox, as the operator names it."""

    BASH = "bash"
    EDITOR = "editor"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A function that a model may call by name.

    Attributes:
        name: letters, digits and underscores, at most 64.
        description: what it does and when to use it, for the model.
        parameters_json: JSON schema of its arguments (an object schema), as JSON text.
        server, tool: the MCP server that it belongs to, and its name there; "": it is no tool of a server.
        sandboxed: it is bash or the text editor (`BASH`, `TEXT_EDITOR`): a dialect may declare it in its own way, and
            its calls may come as RunCommand and EditFile or as CallFunction, which the engine then reads.
        unasked: the operator lets it run without a question, except where every action is asked about.
    """

    name: str
    description: str
    parameters_json: str = '{"type": "object", "properties": {}}'
    server: str = ""
    tool: str = ""
    unasked: bool = False
    sandboxed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of a function call: data for the model, never instructions to this program.

    Attributes:
        texts: in order.
        pictures: in order, PNG.
        error: the function failed; `texts` say how.
    """

    texts: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    error: bool = False
