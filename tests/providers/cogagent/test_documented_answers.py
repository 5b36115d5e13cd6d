"""The samples of CogAgent's documentation, word for word, and what they must be understood as."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import (
    Action,
    AskModel,
    Button,
    Chord,
    Click,
    Finish,
    Launch,
    Move,
    QuoteClipboard,
    QuoteText,
    Scroll,
    TypeText,
)
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.keys import Key
from operator_console.providers.cogagent.answer import ReadAnswer, read_answer
from operator_console.providers.cogagent.options import AnswerFormat, Platform
from tests.providers.conftest import geometry

GEOMETRY = geometry(Size(1000, 1000))  # one grid unit is one pixel
VALUES = {"TechnicalReport": "It is fast.", "x": "17.00"}

_STATUS = (
    "Status: 当前处于邮箱界面[[0, 2, 998, 905]]，左侧是邮箱分类[[1, 216, 144, 570]]，"
    "中间是收件箱[[144, 216, 998, 903]]，已经点击“全部标为已读”按钮[[223, 178, 311, 210]]。"
)
_CLICK = "Grounded Operation: CLICK(box=[[219,186,311,207]], element_type='可点击文本', element_info='全部标为已读')"
SAMPLES = {
    "Action-Operation-Sensitive": (
        "Action: 点击页面顶部工具栏中的“全部标为已读”按钮，将所有邮件标记为已读。\n" + _CLICK + "\n<<一般操作>>",
        Click(at=NativePoint(265, 196)),
        False,
    ),
    "Status-Plan-Action-Operation": (
        (
            f"{_STATUS}\nPlan: 未来需要: 1. 点击“全部标记为已读”按钮；2. 任务结束。\n"
            f"Action: 点击收件箱页面顶部中间的“全部标记为已读”按钮，将所有邮件标记为已读。\n{_CLICK}"
        ),
        Click(at=NativePoint(265, 196)),
        True,
    ),
    "Status-Action-Operation-Sensitive": (
        f"{_STATUS}\nAction: 点击页面顶部工具栏中的“全部标为已读”按钮，将所有邮件标记为已读。\n{_CLICK}\n<<一般操作>>",
        Click(at=NativePoint(265, 196)),
        False,
    ),
    "Status-Action-Operation": (
        f"{_STATUS}\nAction: 在收件箱页面顶部，点击“全部标记为已读”按钮，将所有邮件标记为已读。\n{_CLICK}",
        Click(at=NativePoint(265, 196)),
        True,
    ),
    "Action-Operation": (
        (
            "Action: 在左侧邮件列表中，右键单击第一封邮件，以打开操作菜单。\n"
            "Grounded Operation: RIGHT_CLICK(box=[[154,275,343,341]], element_info='[AXCell]')"
        ),
        Click(at=NativePoint(248, 308), button=Button.RIGHT),
        True,
    ),
}

OPERATIONS: list[tuple[str, tuple[Action, ...]]] = [
    (
        "CLICK(box=[[387,248,727,317]], element_type='Clickable text', element_info='Click to add Title')",
        (Click(at=NativePoint(557, 282)),),
    ),
    ("DOUBLE_CLICK(box=[[000,000,010,020]])", (Click(at=NativePoint(5, 10), count=2),)),
    ("HOVER(box=[[990,990,999,999]])", (Move(at=NativePoint(994, 994)),)),
    (
        "TYPE(box=[[387,249,727,317]], text='CogAgent', element_type='Text input box', element_info='CogAgent')",
        (TypeText(text="CogAgent", at=NativePoint(557, 283)),),
    ),
    (
        "TYPE(box=[[387,249,727,317]], text='Price: __CogName_x__!')",
        (TypeText(text="Price: 17.00!", at=NativePoint(557, 283)),),
    ),
    (
        "SCROLL_DOWN(box=[[000,086,999,932]], element_type='Scroll', element_info='Scroll', step_count=5)",
        (Scroll(at=NativePoint(499, 509), dy=5),),
    ),
    ("SCROLL_UP(box=[[0,209,998,952]], step_count=2)", (Scroll(at=NativePoint(499, 580), dy=-2),)),
    ("SCROLL_LEFT(box=[[0,209,998,952]], step_count=1)", (Scroll(at=NativePoint(499, 580), dx=-1),)),
    ("SCROLL_RIGHT(box=[[0,209,998,952]], step_count=3)", (Scroll(at=NativePoint(499, 580), dx=3),)),
    ("KEY_PRESS(key='F11')", (Chord(keys=(Key("f11"),)),)),
    ("KEY_PRESS(key='Return')", (Chord(keys=(Key("enter"),)),)),
    ("KEY_PRESS(key='A')", (Chord(keys=(Key("a"),)),)),
    ("KEY_PRESS(key='Right Command')", (Chord(keys=(Key("super_r"),)),)),
    ("KEY_PRESS(key='Up Arrow')", (Chord(keys=(Key("up"),)),)),
    ("KEY_PRESS(key='Lmenu')", (Chord(keys=(Key("alt"),)),)),
    (
        "GESTURE(actions=[KEY_DOWN(key='Lcontrol'), KEY_PRESS(key='A'), KEY_UP(key='Lcontrol')])",
        (Chord(keys=(Key("ctrl"), Key("a"))),),
    ),
    ("LAUNCH(app='Settings', url='None')", (Launch(app="Settings"),)),
    ("LAUNCH(app='None', url='baidu.com')", (Launch(url="baidu.com"),)),
    ("LAUNCH(app='Browser', url='`baidu.com`')", (Launch(url="baidu.com"),)),
    (
        (
            "QUOTE_TEXT(box=[[387,249,727,317]], element_type='Text', element_info='Price after coupon: 17.00', "
            "output='__CogName_ProductPrice__', result='17.00')"
        ),
        (QuoteText(region=Rect(387, 249, 341, 69), variable="ProductPrice"),),
    ),
    (
        (
            "QUOTE_TEXT(box=[[000,086,999,932]], auto_scroll=True, element_type='Window', "
            "element_info='CogAgent Technical Report Blog', output='__CogName_TechnicalReport__')"
        ),
        (QuoteText(region=Rect(0, 86, 1000, 847), variable="TechnicalReport", auto_scroll=True),),
    ),
    (
        (
            "LLM(prompt='Summarize the following content: __CogName_TechnicalReport__', "
            "output='__CogName_TechnicalReportSummary__')"
        ),
        (AskModel(prompt="Summarize the following content: It is fast.", variable="TechnicalReportSummary"),),
    ),
    (
        (
            "QUOTE_CLIPBOARD(output='__CogName_QuickSortCode__', "
            r"result='def quick_sort(arr):\n\tif len(arr) <= 1:\n\t\treturn arr\n\t...')"
        ),
        (QuoteClipboard(variable="QuickSortCode"),),
    ),
    ("QUOTE_CLIPBORAD(output='__CogName_变量__')", (QuoteClipboard(variable="变量"),)),
    ("END()", (Finish(message="Do it."),)),
    ("END", (Finish(message="Do it."),)),
    # The steps of the documented history.
    ("CLICK(box=[[352,102,786,139]], element_info='Search')", (Click(at=NativePoint(569, 120)),)),
    (
        "TYPE(box=[[352,102,786,139]], text='doors', element_info='Search')",
        (TypeText(text="doors", at=NativePoint(569, 120)),),
    ),
    (
        "SCROLL_DOWN(box=[[0,209,998,952]], step_count=5, element_info='[None]')",
        (Scroll(at=NativePoint(499, 580), dy=5),),
    ),
]


def read(text: str) -> ReadAnswer:
    """What an answer is understood as."""
    return read_answer(text, GEOMETRY, VALUES)


@pytest.mark.parametrize("form", SAMPLES)
def test_each_format(form: str) -> None:
    text, action, asks = SAMPLES[form]
    answer = read(text)
    (call,) = answer.calls
    assert call.action == action
    assert (call.safety is not None) is asks
    assert call.box is not None
    assert isinstance(call.action, Click)
    assert call.action.at is not None
    assert call.box.contains(call.action.at.x, call.action.at.y)
    assert not call.box.contains(223, 178), "a box of the status"
    assert ("当前处于邮箱界面" in answer.thoughts) is form.startswith("Status")
    assert call.intent
    assert AnswerFormat(form)


@pytest.mark.parametrize(("operation", "actions"), OPERATIONS, ids=lambda value: str(value)[:40])
def test_each_operation(operation: str, actions: tuple[Action, ...]) -> None:
    answer = read(f"Action: Do it.\nGrounded Operation: {operation}\n<<一般操作>>")
    assert [call.error for call in answer.calls] == [""] * len(actions)
    assert tuple(call.action for call in answer.calls) == actions
    assert [call.safety for call in answer.calls] == [None] * len(actions)
    assert answer.operation == operation


def test_the_words_of_the_documentation_are_those_of_the_options() -> None:
    assert {each.value for each in Platform} == {"WIN", "Mac", "Mobile"}
    assert {*SAMPLES} < {each.value for each in AnswerFormat}
