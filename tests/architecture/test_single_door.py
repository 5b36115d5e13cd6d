"""Only the injector, the guard's release and probe, and the operator's own hand can send input.

There is no other door. The hand carries what the person does in the preview, and only while the person has taken over.

The import contracts keep pyautogui in injector and pynput in guard; this looks at the calls themselves.
"""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.source import called, calls, imported, modules, nodes, tree_of

# Exactly these files send events. A new one is a change to the safety case: say so in its review.
DOORS = {
    "injector/input_sender.py": "acts, with a grant",
    "injector/xtest_connection.py": "sends keys and buttons for input_sender",
    "injector/input_method/ibus_engine_process.py": "commits text to an input method, on the injector's request",
    "injector/accessibility/element_actions.py": "uses accessible elements, with a grant",
    "injector/browser/page_input.py": "acts in a page, with a grant",
    "injector/vnc/machine_input.py": "acts on a machine over VNC, with a grant",
    "guard/machine_release.py": "releases what is held on such a machine",
    "guard/x11/display.py": "releases what is held",
    "guard/x11/probe.py": "proves that the stop is heard",
    "injector/browser/backend.py": "goes from page to page, with a grant",
    "computers/browser/operator_input.py": "carries the operator's own input, only while the operator has taken over",
    "computers/far_input.py": "carries it on a machine over VNC, only while the operator has taken over",
    "desktop/x11/started_desktop_input.py": "carries it on an isolated desktop, and on no other display",
    "browser/host/open_lists.py": "sends nothing: notices the input that may open a list",
    "browser/host/roles.py": "says which side may send what to the browser",
    "browser/host/browser_host.py": "carries out what a side may send",
    "browser/host/input_queue.py": "forwards it one by one, and releases what is held",
}

_SENDING_CALLS = {"fake_input", "FakeInput", "warp_pointer", "WarpPointer", "xtest_fake_input", "fake_device_input"}
_SENDING_IMPORTS = (
    "operator_console.rfb.input_line",
    "Xlib.ext.xtest",
    "xcffib.xtest",
    "pynput.keyboard.Controller",
    "pynput.mouse.Controller",
    "evdev.UInput",
    "uinput",
)
_SENDING_PROGRAMS = {"xdotool", "xte", "xvkbd", "ydotool", "wtype", "dotool", "cliclick"}
# Signals of an input method's engine that the focused application takes for a person's typing.
_SENDING_SIGNALS = {"CommitText", "ForwardKeyEvent", "ProcessKeyEvent"}
# Methods of AT-SPI2 that change something in the application: as good as a press, a key or a text.
_SENDING_METHODS = {
    "DoAction", "GrabFocus", "SelectChild", "DeselectChild", "DeselectSelectedChild", "SelectAll", "ClearSelection",
    "SetTextContents", "InsertText", "DeleteText", "CopyText", "CutText", "PasteText", "SetCaretOffset", "SetSelection",
    "AddSelection", "RemoveSelection", "SetCurrentValue", "ScrollTo", "ScrollToPoint", "ScrollSubstringTo",
    "ScrollSubstringToPoint", "SetExtents", "SetPosition", "SetSize", "GenerateKeyboardEvent", "GenerateMouseEvent",
    "AddRowSelection", "AddColumnSelection", "RemoveRowSelection", "RemoveColumnSelection",
}  # fmt: skip
# Commands of the browser and its host that change the page, or show another.
_SENDING_COMMANDS = {
    "Operator.dialog", "Operator.navigate", "Operator.history", "Operator.openTab", "Operator.showTab",
    "Operator.closeTab", "Page.navigate", "Page.handleJavaScriptDialog", "DOM.setFileInputFiles",
}  # fmt: skip
# Commands of the DevTools protocol. The library's typed ones are attributes: `send.Input.dispatchKeyEvent(...)`.
_SENDING_COMMAND = re.compile(r"Input\.(?!dragIntercepted$)\w+$")
# Policy starts no process (an import contract); its tables may name these programs.
_NAMES_PROGRAMS = ("policy",)


def doors(tree: ast.AST, *, room: str = "") -> list[str]:
    """Every way of sending input that a module holds, with its line."""
    found = [f"{line}: imports {name}" for name, line in imported(tree) if name.startswith(_SENDING_IMPORTS)]
    for call in calls(tree):
        owner, name = called(call)
        if name in _SENDING_CALLS or name.startswith("XTestFake"):
            found.append(f"{call.lineno}: calls {name}")
        elif "pyautogui" in owner.lower():
            found.append(f"{call.lineno}: calls pyautogui.{name}")
        elif name == "query_extension" and any(ast.unparse(each) == "'XTEST'" for each in call.args):
            found.append(f"{call.lineno}: opens XTEST")
        elif owner.rpartition(".")[2] == "Input":
            found.append(f"{call.lineno}: calls Input.{name}")
        elif name == "Controller" or owner == "Controller":
            found.append(f"{call.lineno}: makes a Controller")
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and room not in _NAMES_PROGRAMS:
            told = _SENDING_SIGNALS | _SENDING_METHODS | _SENDING_COMMANDS
            if node.value in told or _SENDING_COMMAND.match(node.value):
                found.append(f"{node.lineno}: names {node.value}")
            first = node.value.split(" ")[0].rpartition("/")[2]
            if first in _SENDING_PROGRAMS:
                found.append(f"{node.lineno}: names the program {first}")
    return found


def test_no_other_file_sends_input() -> None:
    found = {m: doors(tree_of(m), room=m.partition("/")[0]) for m in modules() if m not in DOORS}
    assert {module: ways for module, ways in found.items() if ways} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from Xlib.ext import xtest",
        "from operator_console.rfb.input_line import InputLine",
        "import xcffib.xtest",
        "display.xtest_fake_input(2, 38)",
        "opcode = display.query_extension('XTEST').major_opcode",
        "xtest.fake_input(d, 2, 38)",
        "conn(xt.key).FakeInput(2, 38, 0, 0, 0, 0, 0)",
        "root.warp_pointer(1, 2)",
        "from pynput.keyboard import Controller",
        "keyboard.Controller().press('a')",
        "self._pyautogui.click()",
        "libxtst.XTestFakeKeyEvent(d, 38, 1, 0)",
        "subprocess.run(['xdotool', 'key', 'a'])",
        "run('/usr/bin/xdotool key a')",
        "new_signal(place, 'CommitText', 'v', (text,))",
        "new_method_call(place, 'DoAction', 'i', (0,))",
        "tree.call(Call(*ref, COMPONENT, 'GrabFocus'))",
        "look.send_raw('Input.dispatchMouseEvent', {})",
        "look.send_raw('Operator.dialog', {'do': 'accept'})",
        "await browser.send_raw('Input.insertText', {'text': 'a'}, session)",
        "await self._browser.send.Input.dispatchMouseEvent(params, session)",
    ],
)
def test_a_second_door_would_be_seen(source: str) -> None:
    assert doors(ast.parse(source))


def test_harmless_code_is_no_door() -> None:
    assert not doors(ast.parse("import pynput.keyboard\nlistener = keyboard.Listener(on_press=print)\nx = 'xtest'"))


@pytest.mark.parametrize("module", sorted(DOORS))
def test_every_door_that_is_named_is_one(module: str) -> None:
    assert doors(tree_of(module)), f"{module} sends nothing: take it off the list"


def test_the_operators_own_door_is_opened_in_one_place() -> None:
    naming = {
        module
        for module in modules()
        if any(isinstance(node, ast.Attribute) and ast.unparse(node) == "Role.HAND" for node in nodes(tree_of(module)))
    }
    assert naming == {"browser/host/roles.py", "computers/browser/computer.py"}


def test_the_operators_hand_on_a_desktop_is_opened_by_the_started_desktop_alone() -> None:
    """So the model, whose actions go through the injector, has no way to it, and no other display can be named."""
    importing = {
        module
        for module in modules()
        if any(
            name.startswith("operator_console.desktop.x11.started_desktop_input")
            for name, _ in imported(tree_of(module))
        )
    }
    assert importing == {"desktop/x11/virtual_desktop.py"}
    asking = {
        module
        for module in modules()
        if any(isinstance(node, ast.Attribute) and node.attr == "open_input" for node in nodes(tree_of(module)))
    }
    assert asking == {"computers/targets.py"}
