"""What a tool gave reaches the model though the protocol does not know its form: the tool has done its work."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest

from operator_console.tools.mcp_worker import plain_result


@pytest.mark.parametrize(
    ("result", "texts"),
    [
        ({"content": "all"}, ["all"]),
        ({"content": {"type": "text", "text": "all"}}, ["all"]),
        ({"content": ["all", {"type": "text", "text": 5}, {"type": "text", "text": None}]}, ["all", "5", "null"]),
        ({"content": [{"type": "video", "data": "AAAA"}]}, ["(video, not shown)"]),
        ({"content": None, "isError": None}, []),
        ({"structuredContent": {"a": 1}}, []),
    ],
    ids=str,
)
def test_a_result_of_another_form_is_told(result: dict[str, Any], texts: list[str]) -> None:
    read = types.CallToolResult.model_validate({**result, **plain_result(result)})
    assert [part.text for part in read.content if isinstance(part, types.TextContent)] == texts
    assert not read.is_error


def test_a_picture_needs_no_type() -> None:
    read = types.CallToolResult.model_validate(plain_result({"content": [{"type": "image", "data": "AAAA"}]}))
    assert isinstance(read.content[0], types.ImageContent)
