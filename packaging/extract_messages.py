"""Writes the messages to translate as a template, from which a translator makes a language's catalogue.

    .venv/bin/python packaging/extract_messages.py [FILE]    (build/operator-console.pot)

A catalogue is resources/locale/LANGUAGE/LC_MESSAGES/operator-console.mo, compiled from it with `msgfmt` or `pybabel`.
With TEXTDOMAINDIR in the environment, catalogues are read from there instead of resources/locale.

In the template are the messages of the package, those of the templates in resources/, argparse's own, and what
the form of a model profile says of options, which stands at their fields.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po
from pydantic import BaseModel

from operator_console import __version__
from operator_console.app.profile_editing import schema_of
from operator_console.providers import registry
from operator_console.settings.profiles import Profile
from operator_console.ui.dialogs.option_form import Schema, options_of

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "build" / "operator-console.pot"

# Called with a message, or with its singular and plural.
_KEYWORDS: dict[str, tuple[int, ...] | None] = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "N_": None,
    "NN_": (1, 2),
}
_TEMPLATE_OPTIONS = {"trimmed": "true", "newstyle_gettext": "true"}

_Source: TypeAlias = tuple[str, Path, str]
"""The method that extracts, the file, and how the template names it."""


def catalogue() -> Catalog:
    """The messages with the places where they stand, relative to the project."""
    found = Catalog(project="Operator console", version=__version__, fuzzy=False)
    found.header_comment = "# Messages of Operator console."
    found.msgid_bugs_address = found.last_translator = found.language_team = ""
    for method, file, name in _sources():
        with io.BytesIO(file.read_bytes()) as source:
            options = _TEMPLATE_OPTIONS if method == "jinja2" else None
            for line, message, comments, _context in extract(
                method, source, _KEYWORDS, comment_tags=("Translators:",), options=options
            ):
                found.add(message, locations=[(name, line)], auto_comments=comments)
    for place, words in _form_words():
        for message in words:
            found.add(message, locations=[(place, 1)])
    return found


def _form_words() -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the form of a model profile says, from the models of profiles and of providers' options."""
    profile = Profile.model_json_schema()
    schemas: list[tuple[type[BaseModel], Schema]] = [(Profile, profile), (Profile, profile["$defs"]["ProfilePrice"])]
    schemas += [(spec.options(), schema_of(spec.options())) for spec in registry.BUILT_IN]
    for model, schema in schemas:
        for option in options_of(schema, {}):
            yield f"{model.__module__.replace('.', '/')}.py", option.words


def _sources() -> Iterator[_Source]:
    for method, folder, pattern in (("python", "operator_console", "*.py"), ("jinja2", "resources", "*.jinja")):
        for file in sorted((ROOT / folder).rglob(pattern)):
            yield method, file, file.relative_to(ROOT).as_posix()
    yield "python", Path(argparse.__file__), "argparse.py"


def main() -> int:
    file = Path(sys.argv[1]) if sys.argv[1:] else FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    found = catalogue()
    with file.open("wb") as written:
        write_po(written, found, width=100)
    print(f"wrote {len(found)} messages to {file}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
