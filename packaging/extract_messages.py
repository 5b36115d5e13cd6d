"""Writes the messages to translate as a template, from which a translator makes a language's catalogue.

    .venv/bin/python packaging/extract_messages.py [FILE]    (build/operator-console.pot)

A catalogue is resources/locale/LANGUAGE/LC_MESSAGES/operator-console.mo, compiled from it with `msgfmt` or `pybabel`.
With TEXTDOMAINDIR in the environment, catalogues are read from there instead of resources/locale.

In the template are the messages of the package, those of the templates in resources/, and argparse's own.
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

from operator_console import __version__

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
    return found


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
