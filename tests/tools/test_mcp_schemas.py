"""Tools of any shape are offered so that every service takes them, and are called with the arguments that they know."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema.validators import Draft202012Validator

from operator_console.tools.mcp_schemas import offered_schema
from operator_console.tools.mcp_servers import legal_names
from tests.servers.tool_rules import anthropic_refusal, gemini_refusal, openai_refusal

TEXT = {"type": "string"}
LONG = "property_" * 8 + "x"
ODD: dict[str, dict[str, Any]] = {
    "a choice at the top": {
        "type": "object",
        "oneOf": [
            {"properties": {"id": TEXT, "all": TEXT}, "required": ["id", "all"]},
            {"properties": {"name": TEXT, "all": TEXT}, "required": ["name", "all"]},
        ],
    },
    "any of": {"anyOf": [{"type": "object", "properties": {"a": TEXT}}, {"type": "object", "properties": {"b": TEXT}}]},
    "all of": {
        "type": "object", "properties": {"own": TEXT},
        "allOf": [{"properties": {"a": TEXT}, "required": ["a"]}, {"$ref": "#/$defs/more"}],
        "$defs": {"more": {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}},
    },
    "a reference at the top": {"$ref": "#/$defs/it", "$defs": {"it": {"type": "object", "properties": {"a": TEXT}}}},
    "brackets": {"type": "object", "properties": {"uids[]": {"type": "array"}}, "required": ["uids[]"]},
    "a dollar and a letter": {"type": "object", "properties": {"$filter": TEXT, "größe": TEXT, "a b": TEXT, "": TEXT}},
    "a long name": {"type": "object", "properties": {LONG: TEXT}, "required": [LONG]},
    "names that become equal": {"type": "object", "properties": {"a[b]": TEXT, "a(b)": TEXT, "a_b": TEXT}},
    "odd names inside": {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
            "one": {"anyOf": [{"type": "object", "properties": {"x$": TEXT}, "required": ["x$"]}, {"type": "null"}]},
        },
        "$defs": {"row": {"type": "object", "properties": {"cell[0]": TEXT}, "required": ["cell[0]"]}},
    },
    "no properties": {"type": "object"},
    "nothing": {},
    "null or an object": {"type": ["object", "null"], "properties": {"a": TEXT}},
    "unknown required": {"type": "object", "properties": {"a": TEXT}, "required": ["a", "b"]},
    "any value": {"type": "object", "properties": {"a": True, "b": False, "c": {"type": "array", "items": True}}},
    "conditions": {"type": "object", "properties": {"a": TEXT}, "if": {"required": ["a"]}, "then": {}, "not": {}},
    "far": {"type": "object", "properties": {"a": {"$ref": "https://elsewhere.test/schema"}}},
    "itself": {"type": "object", "properties": {"next": {"$ref": "#"}, "more": {"$ref": "#/properties/next"}}},
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_every_service_takes_what_is_offered(name: str) -> None:
    offered = offered_schema(ODD[name])
    schema = {"properties": {}, **offered.schema}
    assert [anthropic_refusal(schema), openai_refusal(schema), gemini_refusal(schema)] == ["", "", ""]
    Draft202012Validator.check_schema(schema)
    assert len(set(offered.renamed.values())) == len(offered.renamed)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a choice at the top", {"id": "1", "all": "2"}),
        ("all of", {"own": "1", "a": "2", "b": 3}),
        ("brackets", {"uids[]": [1, 2]}),
        ("a long name", {LONG: "v"}),
        ("names that become equal", {"a[b]": "1", "a(b)": "2", "a_b": "3"}),
        ("odd names inside", {"rows": [{"cell[0]": "1"}, {"cell[0]": "2"}], "one": {"x$": "3"}}),
    ],
)
def test_arguments_reach_the_tool_by_its_own_names(name: str, wanted: dict[str, Any]) -> None:
    offered = offered_schema(ODD[name])
    by_model = {own: made for made, own in offered.renamed.items()}
    text = json.dumps(wanted)
    for own, made in by_model.items():
        text = text.replace(f"{json.dumps(own)}:", f"{json.dumps(made)}:")
    given = json.loads(text)
    assert Draft202012Validator(offered.schema).is_valid(given)
    assert offered.arguments(given) == wanted
    assert Draft202012Validator(ODD[name]).is_valid(wanted)


def test_an_ordinary_schema_is_told_as_it_is() -> None:
    schema = {
        "type": "object", "title": "Book", "additionalProperties": False, "required": ["room"],
        "properties": {"room": {"type": "string", "enum": ["a", "b"], "default": "a"}, "nights": {"minimum": 1}},
    }  # fmt: skip
    offered = offered_schema(schema)
    assert offered.schema == schema
    assert not offered.renamed
    assert not offered.reduced


@pytest.mark.parametrize(
    ("schema", "error"),
    [
        ({"type": "array"}, ValueError),
        ({"type": "object", "allOf": [{"type": "string"}]}, ValueError),
        ({"type": "object", "allOf": [{"$ref": "#"}]}, RecursionError),
    ],
)
def test_what_cannot_be_offered_is_refused(schema: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        offered_schema(schema)


def test_names_of_functions_begin_with_a_letter_or_an_underscore() -> None:
    assert legal_names([("7rooms", "book"), ("rooms", "7")]) == ["_7rooms__book", "rooms__7"]
