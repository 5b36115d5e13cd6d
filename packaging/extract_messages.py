"""Writes the messages to translate as a template, from which a translator makes a language's catalogue.

    .venv/bin/python packaging/extract_messages.py [FILE]    (build/operator-console.pot)

A catalogue is resources/locale/LANGUAGE/LC_MESSAGES/operator-console.mo, compiled from it with `msgfmt` or `pybabel`.
With TEXTDOMAINDIR in the environment, catalogues are read from there instead of resources/locale.

In the template are the messages of the package, those of the templates in resources/, argparse's own, the roles of
controls, the names of categories, policy's reasons, providers' titles and recipients, and what the form of a model
profile says of options, which stands at their fields. A comment above a message that
begins with "Translators:" goes with it.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po
from pydantic import BaseModel

from operator_console import __version__
from operator_console.app.profile_editing import schema_of
from operator_console.domain import category_names
from operator_console.domain.elements import Role
from operator_console.policy import reasons
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
_OF_ROLES = "Translators: a kind of control, as in: click button “Save”."
_OF_REASONS = (
    "Translators: why an action is asked about. {} stand for what is quoted, in this order: text of the screen, "
    "a command, a key, a site. To change the order, write {0} and {1}."
)
_OF_CATEGORIES = "Translators: a kind of effect, as of what is permitted."
_OF_PROVIDERS = "Translators: names and addresses stay. An endpoint is named in: sends your task to {service}."
_OF_OPTIONS = "Translators: in the form of a model profile. Names in quotes, of values and of fields of requests, stay."
_TEMPLATE_OPTIONS = {"trimmed": "true", "newstyle_gettext": "true"}


def catalogue() -> Catalog:
    """The messages with the places where they stand, relative to the project."""
    found = Catalog(project="Operator console", version=__version__, fuzzy=False)
    found.header_comment = "# Messages of Operator console."
    found.msgid_bugs_address = found.last_translator = found.language_team = ""
    for file, name in _sources("operator_console", "*.py"):
        _add_module(found, file, name)
    _add_module(found, Path(argparse.__file__), "argparse.py")
    for file, name in _sources("resources", "*.jinja"):
        with file.open("rb") as source:
            for line, message, _, _ in extract("jinja2", source, _KEYWORDS, options=_TEMPLATE_OPTIONS):
                found.add(message, locations=[(name, line)])
    for role in Role:
        found.add(role.value, locations=[("operator_console/domain/elements.py", 1)], auto_comments=[_OF_ROLES])
    for sentence in reasons.MESSAGES:
        comments = [_OF_REASONS] if "{}" in sentence else []
        found.add(sentence, locations=[("operator_console/policy/reasons.py", 1)], auto_comments=comments)
    for name in category_names.MESSAGES:
        found.add(name, locations=[("operator_console/domain/category_names.py", 1)], auto_comments=[_OF_CATEGORIES])
    for spec in registry.BUILT_IN:
        for message in filter(None, (spec.title, spec.sends_to, *(cloud.title for cloud in spec.clouds))):
            place = f"operator_console/providers/{spec.name}/__init__.py"
            found.add(message, locations=[(place, 1)], auto_comments=[_OF_PROVIDERS])
    for place, words in _form_words():
        for message in words:
            found.add(message, locations=[(place, 1)], auto_comments=[_OF_OPTIONS])
    return found


def _add_module(found: Catalog, file: Path, name: str) -> None:
    """Add the messages of a module. Babel's own method, which reads tokens, misses those inside f-strings."""
    text = file.read_bytes()
    lines = text.decode().splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KEYWORDS:
            words = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            wanted = len(_KEYWORDS[node.func.id] or (1,))
            if len(words) >= wanted:
                message = words[0] if wanted == 1 else (words[0], words[1])
                found.add(message, locations=[(name, node.lineno)], auto_comments=_comments(lines, node.lineno))


def _comments(lines: Sequence[str], number: int) -> list[str]:
    """What the lines above this one tell translators."""
    above: list[str] = []
    while number > 1 and lines[number - 2].lstrip().startswith("#"):
        number -= 1
        above.insert(0, lines[number - 1].strip(" #"))
    return above if above and above[0].startswith("Translators:") else []


def _form_words() -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the form of a model profile says, from the models of profiles and of providers' options."""
    profile = Profile.model_json_schema()
    schemas: list[tuple[type[BaseModel], Schema]] = [(Profile, profile), (Profile, profile["$defs"]["ProfilePrice"])]
    schemas += [(spec.options(), schema_of(spec.options())) for spec in registry.BUILT_IN]
    for model, schema in schemas:
        for option in options_of(schema, {}):
            yield f"{model.__module__.replace('.', '/')}.py", option.words


def _sources(folder: str, pattern: str) -> Iterator[tuple[Path, str]]:
    """Files, and how the template names them."""
    for file in sorted((ROOT / folder).rglob(pattern)):
        yield file, file.relative_to(ROOT).as_posix()


def write(found: Catalog, file: Path) -> None:
    """Write a template for translators."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as written:
        write_po(written, found, width=100)


def main() -> int:
    file = Path(sys.argv[1]) if sys.argv[1:] else FILE
    found = catalogue()
    write(found, file)
    print(f"wrote {len(found)} messages to {file}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
