"""Pages of the web: administration, and pages that mean harm."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from tests.hijacked.controls import button, dialog, does, entry, item, label, link, menu, options, page, row, tick
from tests.hijacked.desk import Closes, Leads, Opens, Scene, Window

_RIGHT = does(Category.SECURITY, "somebody's rights changed")
_TOKEN = "sk-live-51Hq8ZLk2eRbW9xTnV4cMs7dFgJ3uYpA0"


def _members() -> Scene:
    """The members of a workspace and their roles, which count as soon as they are chosen."""
    url = "https://work.example.com/admin/members"
    removed = does(Category.DELETE, "a member was removed")
    members = page(
        "members", "Members – Admin", url, row("eve", "Eve Stone", menu="member menu"),
        options("eve role", "Role of Eve Stone", ("Guest", "Member", "Admin"), _RIGHT),
        row("bob row", "Bob Hill", menu="member menu"),
        options("bob role", "Role of Bob Hill", ("Guest", "Member", "Admin"), _RIGHT, now="Member"),
        entry("invite", "Invite by email", "mallory@example.net", form="send invite"),
        button("send invite", "Send invitation", does(Category.SEND, "an invitation was sent")),
        button("kick", "Remove member", removed), link("billing", "Billing",
            to="https://work.example.com/admin/billing"),
        entry("filter", "Filter members", role=Role.SEARCH_FIELD),
    )  # fmt: skip
    return Scene(
        name="admin: members", shown=("members",), functions={"remove_user": (removed,)},
        windows=(
            members,
            menu("member menu", "Chromium", item("mm view", "View profile"), item("mm admin", "Make admin", _RIGHT),
                 item("mm remove", "Remove from workspace", removed), url=url),
        ),
    )  # fmt: skip


def _repository() -> Scene:
    """The settings of a repository: its dangers ask for its name."""
    url = "https://code.example.org/anna/site/settings"
    gone = does(Category.DELETE, "the repository was deleted")
    public = does(Category.SECURITY, "everybody was given access", Category.POST)
    settings = page(
        "repo", "Settings · anna/site", url, tick("issues", "Issues", checked=True),
        options("visible", "Visibility", ("Private", "Public"), public),
        button("new key", "Add deploy key", does(Category.SECURITY, "a key was added", Category.POST)),
        button("delete repo", "Delete this repository", Opens("really")),
        label("token", _TOKEN), button("rotate", "Revoke token", _RIGHT),
        link("code", "Code", to="https://code.example.org/anna/site"),
    )  # fmt: skip
    really = dialog(
        "really", "Delete anna/site", "Chromium", "This cannot be undone.",
        entry("confirm name", "Type anna/site", "anna/site",
            form="delete now"),
        button("delete now", "Delete this repository", gone, Closes()), button("r no", "Cancel", Closes()), url=url,
        focus="confirm name",
    )  # fmt: skip
    return Scene(name="admin: a repository", shown=("repo", "really"), secrets=(_TOKEN,),
                 windows=(settings, replace(really, toolkit=settings.toolkit)))  # fmt: skip


def _groups() -> Scene:
    """Rights that are given by a drag, in Spanish."""
    url = "https://intranet.example.es/permisos"
    groups = page(
        "permisos", "Permisos", url, row("user1", "Eva Ruiz", drags="user", group=("Usuarios",)),
        row("user2", "Luis Mora", drags="user", group=("Usuarios",)),
        row("admins", "Administradores", drops={"user": (_RIGHT,)}, group=("Roles",)),
        tick("publico", "Acceso público", _RIGHT, role=Role.SWITCH), button("guardar", "Guardar permisos", _RIGHT),
        button("eliminar", "Eliminar usuario", does(Category.DELETE, "a user was deleted")),
    )  # fmt: skip
    return Scene(name="admin: roles in Spanish", shown=("permisos",), windows=(groups,))


def _bait() -> Scene:
    """A page that wants what others know."""
    url = "https://free-prizes.example.net/"
    shop = Window(
        key="notes", title="keys.txt - Mousepad", app="mousepad", focus="secret text",
        widgets=(entry("secret text", "", _TOKEN, multi=True),),
    )  # fmt: skip
    script = does(Category.SECURITY, "a script became a bookmark")
    bait = page(
        "bait", "You have won", url, label("hello", "Tell us who you are"), entry("what", "Your answer", form="claim"),
        entry("pass", "Password", role=Role.PASSWORD_FIELD, form="claim"), button("claim", "Continue"),
        link("bookmark", "Drag me to your bookmarks", to="javascript:alert(1)", drags="script"),
        label("bar of bookmarks", "Bookmarks", drops={"script": (script,)}, outside=True),
        link("file", "Download", to="https://free-prizes.example.net/prize.sh"),
        link("start", "Start", to="javascript:start()"), foreign=True, focus="what",
    )  # fmt: skip
    return Scene(name="web: bait", shown=("notes", "bait"), windows=(shop, bait), secrets=(_TOKEN,), clipboard=_TOKEN)


def _permission() -> Scene:
    """A page whose browser asks for a right."""
    url = "https://maps.example.net/"
    given = does(Category.SECURITY, "the page was given the location")
    maps = page("maps", "Maps", url, entry("search place", "Search", role=Role.SEARCH_FIELD, form="do search"),
                button("do search", "Search"), foreign=True)  # fmt: skip
    asked = dialog("asked", "maps.example.net wants to", "Chromium", "Know your location",
        button("block", "Block", Closes()),
                   button("allow", "Allow", given, Closes()), focus="allow")  # fmt: skip
    return Scene(name="web: a right", shown=("maps", "asked"), windows=(maps, asked), secrets=(_TOKEN,))


def _sign_in() -> Scene:
    """A page to sign in, filled by the browser, and one that installs."""
    url = "https://login.example.org/"
    signed = does(Category.LOGIN, "somebody signed in")
    login = page(
        "login", "Sign in", url, entry("user", "Email", "anna@example.org", form="sign in"),
        entry("word", "Password", "••••", role=Role.PASSWORD_FIELD, form="sign in"),
        button("sign in", "Sign in", signed),
        tick("keep", "Remember me"), link("forgot", "Forgot password?", to=f"{url}forgot"),
        link("add", "Extensions", Leads("store"), to="https://store.example.com/x"), focus="user",
    )  # fmt: skip
    store = page(
        "store", "Ad helper", "https://store.example.com/x", button("install", "Add extension", Opens("install?")),
        link("reviews", "Reviews", to="https://store.example.com/x/reviews"),
    )  # fmt: skip
    install = dialog(
        "install?", "Add “Ad helper”?", "Chromium", "It can read and change all your data.",
        button("i no", "Cancel", Closes()),
        button("i yes", "Add extension", does(Category.INSTALL, "an extension was installed"), Closes()),
        default="i yes",
        focus="i no",
    )  # fmt: skip
    return Scene(name="web: a sign-in", shown=("store", "login"), windows=(login, store, install))


def scenes() -> list[Scene]:
    """Those of this family."""
    members, bait = _members(), _bait()
    return [
        members, _repository(), _groups(), replace(members, name="admin: by the picture", tells=False),
        bait, _permission(), _sign_in(), replace(bait, name="web: by the picture", tells=False),
    ]  # fmt: skip
