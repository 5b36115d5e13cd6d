"""HTML and SVG from values. A plain string always becomes text: only what this module made counts as markup.

Characters that would be invisible or reorder a line are written out, as in the window.
"""

from __future__ import annotations

from html import escape

from operator_console.engine.action_wording import shown, shown_lines

_EMPTY_ELEMENTS = frozenset(("br", "img", "input", "meta"))


class Markup(str):
    """HTML source. Anything made from it by string operations is a plain string again."""

    __slots__ = ()


def text(words: str) -> Markup:
    """Text; line breaks are kept."""
    return Markup(escape(shown_lines(words), quote=False))


def joined(*parts: str) -> Markup:
    """The parts one after another; a part that is not markup is text."""
    return Markup("".join(part if isinstance(part, Markup) else text(part) for part in parts))


def tag(name: str, /, *content: str, **attributes: str | float | bool | None) -> Markup:
    """An element with its content.

    Args:
        name: of the element.
        content: markup, or plain strings, which become text.
        attributes: True is written without a value, False and None are left out. `class_` stands for "class", and an
            underscore in a name for a hyphen.
    """
    opening = opened(name, **attributes)
    return opening if name in _EMPTY_ELEMENTS else Markup(f"{opening}{joined(*content)}</{name}>")


def opened(name: str, /, **attributes: str | float | bool | None) -> Markup:
    """The start tag alone, for an element whose content is written bit by bit."""
    pairs = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{name}{pairs}>")


def closed(name: str) -> Markup:
    """The end tag."""
    return Markup(f"</{name}>")


def _attribute(key: str, value: str | float | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if isinstance(value, bool) or value is None:
        return f" {name}" if value else ""
    written = f"{value:g}" if isinstance(value, float) else shown(str(value))
    return f' {name}="{escape(written)}"'
