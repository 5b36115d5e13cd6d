"""Short ways to write down the controls, menus and dialogs of a scene."""

from __future__ import annotations

from typing import Any

from operator_console.domain.elements import Role
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from tests.hijacked.desk import Act, Closes, Effect, Goes, Kind, Toolkit, Widget, Window


def does(category: Category, what: str, *also: Category) -> Effect:
    """Something that needs a human."""
    return Effect(category=category, what=what, also=also)


def keys(*names: str) -> frozenset[Key]:
    """Keys that are pressed together."""
    return frozenset(map(Key, names))


def button(key: str, name: str, *acts: Act, **more: Any) -> Widget:
    return Widget(key=key, role=Role.BUTTON, name=name, acts=acts, **more)


def link(key: str, name: str, *acts: Act, to: str = "", **more: Any) -> Widget:
    return Widget(key=key, role=Role.LINK, name=name, acts=acts, link=to, **more)


def label(key: str, name: str, **more: Any) -> Widget:
    return Widget(key=key, role=Role.LABEL, name=name, **more)


def entry(key: str, label: str, text: str = "", *, role: Role = Role.TEXT_FIELD, **more: Any) -> Widget:
    """A field for text."""
    return Widget(key=key, role=role, label=label, text=text, **more)


def row(key: str, name: str, *opens: Act, **more: Any) -> Widget:
    """An entry of a list."""
    return Widget(key=key, role=Role.LIST_ITEM, name=name, opens=opens, **more)


def tick(key: str, name: str, *acts: Act, role: Role = Role.CHECK_BOX, **more: Any) -> Widget:
    return Widget(key=key, role=role, name=name, acts=acts, **more)


def options(key: str, label: str, names: tuple[str, ...], *acts: Act, now: str = "", **more: Any) -> Widget:
    """A list of options that opens; its value is `now`, else the first."""
    return Widget(
        key=key, role=Role.COMBO_BOX, name=label, options=names, acts=acts, text=now or names[0], **more
    )  # fmt: skip


def item(key: str, name: str, *acts: Act) -> Widget:
    """An entry of a menu."""
    return Widget(key=key, role=Role.MENU_ITEM, name=name, acts=acts)


def menu(key: str, app: str, *items: Widget, url: str = "") -> Window:
    """A menu; of a page where it has an address."""
    return Window(
        key=key, title="", app=app, widgets=items, kind=Kind.MENU, escape=(Closes(),), url=url,
        toolkit=Toolkit.WEB if url else Toolkit.NATIVE,
    )  # fmt: skip


def dialog(key: str, title: str, app: str, text: str, *widgets: Widget, **more: Any) -> Window:
    """A dialog, which Escape closes."""
    return Window(
        key=key, title=title, app=app, text=text, widgets=widgets, kind=Kind.DIALOG, escape=(Closes(),), **more
    )  # fmt: skip


def page(key: str, title: str, url: str, *widgets: Widget, **more: Any) -> Window:
    """A page in a browser, whose address bar is the last control."""
    bar = Widget(
        key=f"{key} bar", role=Role.TEXT_FIELD, name="Address and search bar", outside=True, enter=(Goes(f"{key} bar"),)
    )
    return Window(
        key=key, title=f"{title} - Chromium", app="Chromium", url=url, widgets=(*widgets, bar), toolkit=Toolkit.WEB,
        bar=bar.key, **more,
    )  # fmt: skip
