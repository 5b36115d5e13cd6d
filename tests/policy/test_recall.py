"""Actions that the audit found judged too low, or asked about although harmless, on controls as the accessibility
service gives them (role, name, dialog) and as the picture alone would (a box with its text, or only a text)."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.actions import Action, Chord, Click, Drag, TypeText
from operator_console.domain.elements import Control, ControlSource, Dialog, ElementState, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import asking, control, drawn, on

AT = NativePoint(180, 116)
CLICK = Click(at=AT)
WEB: dict[str, Any] = {"app": "Chromium", "title": "Page"}
WRITING = (ElementState.EDITABLE, ElementState.MULTI_LINE)


def pressed(text: str) -> Chord:
    return Chord(keys=parse_chord(text))


def both(text: str, role: Role = Role.BUTTON, **changed: Any) -> list[PolicyContext]:
    """The control as its application describes it, and as the picture shows it."""
    return [on(control(role, text), **changed), on(drawn(text), **changed)]


RISKY: list[tuple[str, Action, list[PolicyContext], Category | None]] = [
    (
        "bank confirm",
        CLICK,
        both("Confirm", app="Chromium", title="Transfer - Example Bank", nearby=("To: Ann", "Amount", "€ 250.00")),
        Category.PAY,
    ),
    (
        "bank confirm2",
        CLICK,
        both("Confirm", app="Chromium", title="Online", nearby=("DE89 3704 0044 0532 0130 00", "250.00 EUR")),
        Category.PAY,
    ),
    ("Empty", CLICK, both("Empty…", app="thunar", title="Trash"), Category.DELETE),
    ("Drop", CLICK, both("Drop", app="dbeaver", title="db"), Category.DELETE),
    ("Get", CLICK, both("Get", app="org.gnome.Software", title="Software"), Category.INSTALL),
    ("Launch Anyway", CLICK, both("Launch Anyway", app="plain"), Category.DOWNLOAD_RUN),
    ("xdg", CLICK, both("Open xdg-open", **WEB), Category.DOWNLOAD_RUN),
    (
        "open chooser",
        CLICK,
        [
            on(
                control(Role.BUTTON, "Open", dialog=Dialog(title="File Upload", text="", default="Open")),
                app="firefox",
                title="File Upload",
            ),
            on(drawn("Open"), app="Chromium", title="Open File"),
            on(drawn("Öffnen"), app="Chromium", title="Datei öffnen"),
        ],
        Category.UPLOAD,
    ),
    (
        "autofill",
        CLICK,
        [
            on(control(Role.LIST_ITEM, "ann ••••••••"), **WEB),
            on(drawn("ann ••••••••"), **WEB),
            on(control(Role.MENU_ITEM, "Visa •••• 1111"), **WEB),
        ],
        Category.CREDENTIALS,
    ),
    (
        "proceed",
        CLICK,
        [
            on(control(Role.LINK, "Proceed to x.example (unsafe)", link="https://x.example/#"), **WEB),
            on(drawn("Proceed to x.example (unsafe)"), **WEB),
        ],
        Category.SECURITY,
    ),
    ("No protection", CLICK, both("No protection", role=Role.RADIO_BUTTON, **WEB), Category.SECURITY),
    (
        "anyone",
        CLICK,
        both("Anyone with the link", role=Role.LIST_ITEM, **WEB)
        + both("Anyone with the link", role=Role.MENU_ITEM, **WEB),
        Category.SECURITY,
    ),
    ("add people", CLICK, both("Add people", **WEB), Category.SEND),
    ("save conn", CLICK, both("Save", app="nm-connection-editor", title="Editing x"), Category.SYSTEM),
    ("merge", CLICK, both("Confirm merge", **WEB), Category.POST),
    ("promote", CLICK, both("Promote to Production", **WEB), Category.POST),
    ("workflow", CLICK, both("Run workflow", **WEB), Category.DOWNLOAD_RUN),
    ("nl", CLICK, both("Verzenden", **WEB), Category.SEND),
    ("ko", CLICK, both("삭제", **WEB), Category.DELETE),
    (
        "send icon",
        CLICK,
        [
            on(control(Role.BUTTON, ""), app="Chromium", title="general - Slack"),
            on(drawn("", icon="send"), app="plain"),
            on(drawn("", extent=Rect(1, 1, 32, 32)), app="Chromium", title="Chat | Microsoft Teams", typed="hello"),
            on(control(Role.BUTTON, "", description="Send message"), **WEB),
        ],
        None,
    ),
    (
        "drop file",
        Drag(path=(AT, NativePoint(500, 500))),
        [
            on(
                control(Role.DOCUMENT, "", app="Chromium", window="Upload"),
                app="Chromium",
                title="Upload",
                from_control=control(Role.LIST_ITEM, "plan.odt", app="thunar", window="me"),
            )
        ],
        Category.UPLOAD,
    ),
    (
        "consent box",
        CLICK,
        [
            on(control(Role.CHECK_BOX, "", text=""), nearby=("I agree to the terms of service",), **WEB),
            on(drawn("", extent=Rect(1, 1, 18, 18)), nearby=("I have read and accept the privacy policy",), **WEB),
            on(Control(knowledge=TextKnowledge.READ), nearby=("I agree to the terms of service",), **WEB),
        ],
        Category.LEGAL,
    ),
    ("delete viewer", pressed("delete"), [PolicyContext(app="eog", title="a.png")], Category.DELETE),
    (
        "kde delete",
        pressed("enter"),
        [PolicyContext(app="dolphin", title="Delete Permanently — Dolphin")],
        Category.DELETE,
    ),
    (
        "web chat",
        pressed("enter"),
        [
            on(
                control(Role.TEXT_FIELD, "Message #general", states=WRITING),
                app="Chromium",
                title="general - Slack",
                typed="hi",
            ),
            PolicyContext(app="Chromium", title="Team chat - Example", typed="hi"),
        ],
        Category.SEND,
    ),
    (
        "editor terminal",
        pressed("enter"),
        [on(control(Role.TEXT_FIELD, "Terminal 1, bash"), app="Code", title="x - Visual Studio Code", typed="ls")],
        Category.TERMINAL,
    ),
    ("web terminal", TypeText(text="rm x\n"), [PolicyContext(app="Chromium", title="ttyd")], Category.TERMINAL),
    (
        "password after tab",
        TypeText(text="Tr0ub4dor&3"),
        [
            on(control(Role.PASSWORD_FIELD, ""), **WEB),
            PolicyContext(app="Chromium", title="Sign in - Example", control=Control(knowledge=TextKnowledge.NOT_YET)),
        ],
        Category.CREDENTIALS,
    ),
    (
        "address",
        TypeText(text="12 Elm Street"),
        [on(control(Role.TEXT_FIELD, "Street address"), **WEB), on(control(Role.TEXT_FIELD, "Address line 1"), **WEB)],
        Category.PERSONAL_DATA,
    ),
    (
        "delete menu key",
        pressed("enter"),
        [on(control(Role.MENU_ITEM, "Move to Trash"), app="thunar")],
        Category.DELETE,
    ),
    (
        "focused send",
        pressed("space"),
        [on(control(Role.BUTTON, "Send"), app="thunderbird", title="Write: x")],
        Category.SEND,
    ),
    (
        "link delete",
        CLICK,
        [
            on(control(Role.LINK, "Delete", link="https://x.example/items/3/delete"), **WEB),
            on(control(Role.LINK, "Remove this device", link="https://x.example/devices/3/remove"), **WEB),
            on(control(Role.LINK, "Log out", link="https://x.example/logout"), **WEB),
            on(control(Role.LINK, "Unsubscribe", link="https://x.example/u?id=1"), **WEB),
            on(control(Role.LINK, "Delete account", link="https://x.example/p#"), **WEB),
        ],
        None,
    ),
    (
        "reply final",
        CLICK,
        [
            on(control(Role.BUTTON, "Reply"), **WEB, typed="thanks"),
            on(control(Role.BUTTON, "Comment", group=("Add a comment",)), **WEB),
            on(control(Role.BUTTON, "Share", dialog=asking("Share “Plan”")), **WEB),
        ],
        None,
    ),
    (
        "dialog ok",
        CLICK,
        [on(control(Role.BUTTON, "OK", dialog=asking("Confirm", "Permanently delete 4 files?")), app="plain")],
        Category.DELETE,
    ),
    ("switch", CLICK, [on(control(Role.SWITCH, "Make public"), **WEB)], Category.SECURITY),
    (
        "double click program",
        Click(at=AT, count=2),
        [on(control(Role.LIST_ITEM, "setup.sh"), app="thunar", title="me")],
        Category.DOWNLOAD_RUN,
    ),
    (
        "a dialog's button that no table knows",
        CLICK,
        [
            on(control(Role.BUTTON, "Qwxyz", dialog=asking("Question", "Permanently delete 4 files?"))),
            on(control(Role.BUTTON, "Qwxyz"), nearby=("Permanently delete 4 files?", "Cancel"), **WEB),
            on(drawn("Qwxyz"), nearby=("Permanently delete 4 files?", "Cancel"), **WEB),
        ],
        Category.DELETE,
    ),
    (
        "a payment's button that no table knows",
        CLICK,
        both("Qwxyz", app="Chromium", title="Checkout - Shop", nearby=("Total", "€ 46.20", "Edit basket")),
        Category.PAY,
    ),
    (
        "a title that names the dialog's act",
        CLICK,
        [
            on(control(Role.BUTTON, "OK", dialog=asking("Permission request", "The app asks."))),
            on(control(Role.BUTTON, "Oui", dialog=asking("Paiement", "Régler la facture de 96,10 € ?"))),
            on(control(Role.BUTTON, "Valider"), app="Chromium", title="Virement", nearby=("Montant",)),
        ],
        None,
    ),
    (
        "the delete key in programs told by their titles",
        pressed("delete"),
        [
            PolicyContext(app="python3", title="Documents - Files"),
            PolicyContext(app="python3", title="Holiday.jpg - Image Viewer"),
            PolicyContext(app="python3", title="Inbox - Mail"),
            on(control(Role.LIST_ITEM, "report.odt")),
        ],
        Category.DELETE,
    ),
    (
        "a line into a file that starts by itself",
        TypeText(text="alias ls='rm -rf ~'"),
        [
            on(control(Role.TEXT_FIELD, "", states=WRITING), app="mousepad", title="*~/.bashrc - Mousepad"),
            on(control(Role.TEXT_FIELD, "", states=WRITING), app="kate", title=".profile — Kate"),
        ],
        Category.SECURITY,
    ),
    (
        "a cell that holds controls",
        CLICK,
        [on(control(Role.CELL, "Browse Empty Drop"), **WEB), on(control(Role.CELL, "Delete"), **WEB)],
        Category.DELETE,
    ),
    (
        "a button without a name where a message is written",
        CLICK,
        [on(control(Role.BUTTON, ""), app="Chromium", title="Reply to Anna", url="https://mail.example/")],
        None,
    ),
    (
        "a button of two parts",
        CLICK,
        [on(control(Role.BUTTON, "Send", states=(ElementState.EXPANDABLE,)), **WEB)],
        Category.SEND,
    ),
    (
        "enter in a dialog's slider",
        pressed("enter"),
        [on(control(Role.SLIDER, "Speed", dialog=asking("Erase disk", "Erase the disk?", "Erase")))],
        Category.DELETE,
    ),
    (
        "opening a program in a list of downloads",
        CLICK,
        both("Open", app="Chromium", title="Downloads", nearby=("setup-2.1.AppImage", "Remove")),
        Category.DOWNLOAD_RUN,
    ),
    (
        "a drop on what the picture names",
        Drag(path=(AT, NativePoint(500, 500))),
        [
            on(
                control(Role.GROUP, "", text=""),
                label="report.odt",
                nearby=("Papierkorb",),
                from_control=control(Role.GROUP, "", text="", extent=Rect(0, 0, 40, 40)),
                **WEB,
            )
        ],
        Category.DELETE,
    ),
]

HARMLESS: list[tuple[str, Action, list[PolicyContext]]] = [
    *[
        (t, CLICK, [on(control(Role.LINK, t, link="https://docs.example/x"), **WEB)])
        for t in (
            "How to delete a branch",
            "Pay scale",
            "Downloads",
            "Share price",
            "Sign in",
            "Privacy Policy",
            "Terms of use",
            "Install guide",
            "Delete notes from history",
            "Buying a house: what to send",
            "Remove a row | Docs",
        )
    ],
    *[
        (t + " (ocr)", CLICK, [on(Control(source=ControlSource.NONE, knowledge=TextKnowledge.READ, text=t), **WEB)])
        for t in (
            "How to delete a branch",
            "Pay scale",
            "Downloads",
            "Share price",
            "Privacy Policy",
            "Terms of use",
            "Install guide",
            "the old entries need not be deleted before the end",
        )
    ],
    (
        "folder Downloads",
        Click(at=AT, count=2),
        [
            on(control(Role.LIST_ITEM, "Downloads"), app="thunar", title="me"),
            on(drawn("Downloads"), app="thunar", title="me"),
        ],
    ),
    ("headers", CLICK, both("Post date", role=Role.HEADER, **WEB) + both("Upload date", role=Role.HEADER, **WEB)),
    (
        "menus",
        CLICK,
        [
            on(control(Role.MENU, "Format"), app="libreoffice"),
            on(control(Role.MENU_ITEM, "Share", states=(ElementState.EXPANDABLE,)), app="plain"),
            on(drawn("Format"), app="libreoffice"),
            *both("Remove formatting", role=Role.MENU_ITEM, app="libreoffice"),
            *both("Format cells", role=Role.MENU_ITEM, app="libreoffice"),
            *both("Format Cells…", role=Role.MENU_ITEM, app="libreoffice"),
            *both("Share", role=Role.MENU_ITEM, app="plain"),
        ],
    ),
    (
        "openers",
        CLICK,
        both("Comment", **WEB)
        + both("Reply", app="thunderbird", title="Inbox")
        + both("Add to cart", app="Chromium", title="Shoes - Shop")
        + both("Reply", app="Chromium", title="Inbox (3) - Gmail"),
    ),
    (
        "apply",
        CLICK,
        [
            on(control(Role.BUTTON, "Apply"), nearby=("Delete filter",), **WEB),
            on(drawn("Apply"), nearby=("Delete filter",), **WEB),
        ],
    ),
    (
        "mail search",
        pressed("enter"),
        [
            on(control(Role.SEARCH_FIELD, "Search"), app="thunderbird", title="Inbox", typed="ann"),
            PolicyContext(app="thunderbird", title="Inbox", label="Search", read=True, typed="ann"),
        ],
    ),
    ("space mail", pressed("space"), [on(control(Role.DOCUMENT, "Hi Ann"), app="thunderbird", title="Inbox")]),
    (
        "enter body",
        pressed("enter"),
        [
            on(
                control(Role.TEXT_FIELD, "Message body", states=WRITING),
                app="thunderbird",
                title="Write: Hello",
                typed="Hi",
            ),
            PolicyContext(app="thunderbird", title="Write: Hello", typed="Hi"),
        ],
    ),
    (
        "body text",
        TypeText(text="Dear Ann,\n\nthanks for the report.\n"),
        [
            on(control(Role.TEXT_FIELD, "Message body", states=WRITING), app="thunderbird", title="Write: Hello"),
            PolicyContext(app="thunderbird", title="Write: Hello"),
        ],
    ),
    (
        "subject",
        TypeText(text="Report", submit=True),
        [on(control(Role.TEXT_FIELD, "Subject"), app="thunderbird", title="Write: (no subject)")],
    ),
    (
        "search",
        TypeText(text="how to pay", submit=True),
        [
            on(control(Role.SEARCH_FIELD, "Search"), **WEB),
            on(control(Role.TEXT_FIELD, "Search or enter address"), **WEB),
        ],
    ),
    ("tabs", CLICK, [*both("Downloads", role=Role.TAB, **WEB), on(control(Role.TAB, "Payments"), **WEB)]),
    ("heading", CLICK, [on(control(Role.HEADING, "Delete account"), **WEB)]),
    (
        "field",
        CLICK,
        [
            on(control(Role.TEXT_FIELD, "Password"), **WEB),
            on(control(Role.TEXT_FIELD, "Reason for deleting"), **WEB),
        ],
    ),
    (
        "checkbox",
        CLICK,
        [
            on(control(Role.CHECK_BOX, "Delete temporary files on exit"), app="plain"),
            on(control(Role.CHECK_BOX, "Install recommended fonts"), app="plain"),
        ],
    ),
    (
        "next page",
        CLICK,
        [
            on(
                control(Role.BUTTON, "Next"),
                nearby=("$ 12.00", "Blue shoes"),
                app="Chromium",
                title="Buy blue shoes online - Shop",
            )
        ],
    ),
    (
        "mail list",
        CLICK,
        [
            on(
                control(Role.LIST_ITEM, "Ann: please send the report, delete the draft"),
                app="thunderbird",
                title="Inbox",
            )
        ],
    ),
    ("settings list", CLICK, [on(control(Role.LIST_ITEM, "Wi-Fi"), app="gnome-control-center", title="Settings")]),
    ("slack blank", CLICK, [on(Control(knowledge=TextKnowledge.READ), app="slack", title="x", read=True)]),
    ("cells", pressed("delete"), [on(control(Role.CELL, "12"), app="libreoffice-calc", title="x")]),
    ("arrow", pressed("down"), [on(control(Role.MENU_ITEM, "Delete"), app="thunar")]),
    ("ctrl+enter code", pressed("ctrl+enter"), [PolicyContext(app="Code", title="x")]),
    (
        "attach? prose",
        TypeText(text="Open Settings > Privacy and click Delete."),
        [on(control(Role.TEXT_FIELD, "Text", states=WRITING), app="mousepad")],
    ),
    ("cancel", CLICK, both("Cancel", app="polkit-gnome-authentication-agent-1", title="Authenticate")),
    ("path link", CLICK, [on(control(Role.LINK, "Orders", link="https://shop.example/orders"), **WEB)]),
    (
        "other buttons of dialogs",
        CLICK,
        [
            on(control(Role.BUTTON, "Keep", dialog=asking("Question", "Delete 4 files?"))),
            on(control(Role.BUTTON, "Options…", dialog=asking("Question", "Delete 4 files?"))),
            on(drawn("Edit"), nearby=("Back", "Delete", "Copy"), **WEB),
        ],
    ),
    (
        "pages about money",
        CLICK,
        [
            on(control(Role.BUTTON, "Next"), app="Chromium", title="Statement", nearby=("12.00 €",)),
            on(control(Role.BUTTON, "Filter"), app="Chromium", title="Payments", nearby=("12 €", "13 €")),
            on(control(Role.BUTTON, "Edit"), app="Chromium", title="Users"),
        ],
    ),
    ("permissions to look at", CLICK, [on(control(Role.LINK, "Permissions", link="https://x.example/p"), **WEB)]),
]


def _ids(rows: list[Any]) -> list[str]:
    return [f"{name} {index}" for name, _, contexts, *_ in rows for index in range(len(contexts))]


@pytest.mark.parametrize(
    ("action", "context", "category"),
    [(action, context, category) for _, action, contexts, category in RISKY for context in contexts],
    ids=_ids(RISKY),
)
def test_what_was_judged_too_low_is_asked(action: Action, context: PolicyContext, category: Category | None) -> None:
    found = assess(action, context)
    assert found.risk >= RiskClass.C3, found
    assert category is None or category in found.categories, found


@pytest.mark.parametrize(
    ("action", "context"),
    [(action, context) for _, action, contexts in HARMLESS for context in contexts],
    ids=_ids(HARMLESS),
)
def test_what_was_asked_although_harmless_runs(action: Action, context: PolicyContext) -> None:
    found = assess(action, context)
    assert found.risk < RiskClass.C3, found
