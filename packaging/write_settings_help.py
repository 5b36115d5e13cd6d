"""Writes the tables of resources/help/settings.md: names, defaults and meanings of all settings, from their models.

    .venv/bin/python packaging/write_settings_help.py

To be run when a setting, or an option of a provider, is added or described otherwise; a test tells.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from operator_console.providers import registry
from operator_console.settings.model import Machine, McpServerOptions, Settings
from operator_console.settings.profiles import Profile

PAGE = Path(__file__).resolve().parent.parent / "resources/help/settings.md"
_REPEATED: dict[str, type[BaseModel]] = {
    "profiles.NAME": Profile, "mcp.servers.NAME": McpServerOptions, 'machines."vnc:HOST:PORT"': Machine,
}  # fmt: skip
"""Sections of which the file may have several."""
_TABLE = re.compile(
    r"""(?P<before>`\[(?P<section>[^]`]+)\]`(?:(?!^\#\#\ |^\|).)*)  # the first section named below a heading
        (?:^\|[^\n]*\n)+""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)


def sections() -> dict[str, type[BaseModel]]:
    """The models of all sections of the settings file that have values, as the page names the sections."""
    found: dict[str, type[BaseModel]] = {**_REPEATED}
    found.update((name, type(section)) for name, section in Settings() if isinstance(section, BaseModel))
    found.update((spec.name, spec.options()) for spec in registry.BUILT_IN if spec.options().model_fields)
    return found


def written(page: str) -> str:
    """The page with its tables as the models have it. Raises KeyError for a table of a section that there is not."""
    models = sections()
    return _TABLE.sub(lambda found: found["before"] + _table(models[found["section"]]), page)


def tables(page: str) -> set[str]:
    """The sections that have a table."""
    return {found["section"] for found in _TABLE.finditer(page)}


def _table(model: type[BaseModel]) -> str:
    own_first = dict.fromkeys(name for kind in model.__mro__ for name in vars(kind).get("__annotations__", ()))
    names = [name for name in own_first if name in model.model_fields]
    rows = [f"| `{name}` |{_default(model, name)} | {_meaning(model.model_fields[name])} |" for name in names]
    return "\n".join(("| name | default | meaning |", "|---|---|---|", *rows)) + "\n"


def _default(model: type[BaseModel], name: str) -> str:
    field = model.model_fields[name]
    value = None if field.is_required() else field.get_default(call_default_factory=True)
    return "" if value is None else f" `{json.dumps(list(value) if isinstance(value, tuple) else value)}`"


def _meaning(field: FieldInfo) -> str:
    return (field.description or "").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
