"""Where the parts of a dialog are: inside it and inside the page, whatever the page says."""

from __future__ import annotations

import pytest

from operator_console.browser.dialog_layout import PartKind, lay_out
from operator_console.domain.geometry import Size
from operator_console.domain.pages import DialogKind, PageDialog

MESSAGES = ["", "Saved.", "word " * 400, "長" * 500, "x" * 3000, "\n" * 50, "a\n\n\nb", "مرحبا " * 90, "👍" * 300]


def dialog(kind: DialogKind, message: str = "", files: tuple[str, ...] = ()) -> PageDialog:
    return PageDialog(dialog_id="1", kind=kind, message=message, origin="https://a.org", values=("",) * 2, files=files)


@pytest.mark.parametrize("kind", [kind for kind in DialogKind if kind is not DialogKind.LIST])
@pytest.mark.parametrize(("size", "scale"), [(Size(1440, 900), 1.0), (Size(2880, 1800), 2.0), (Size(750, 1334), 2.0)])
def test_all_parts_lie_in_the_dialog_and_it_lies_in_the_page(kind: DialogKind, size: Size, scale: float) -> None:
    for message in MESSAGES:
        found = lay_out(dialog(kind, message, tuple(f"{number}.pdf" for number in range(40))), size, scale)
        for box in (found.title_box, *(box for _, box in found.lines), *(part.box for part in found.parts)):
            assert found.box.intersect(box) == box, message
        assert found.box.bottom <= size.height, message
        assert found.box.right <= size.width, message
        assert [part.kind for part in found.parts].count(PartKind.ACCEPT) == 1, message


def test_a_click_finds_each_part_and_nothing_beside_them() -> None:
    found = lay_out(dialog(DialogKind.CHOOSE_FILE, files=("a", "b")), Size(800, 600), 1.0)
    for part in found.parts:
        assert found.part_at(*part.box.centre) == part
    assert found.part_at(found.box.x + 1, found.box.y + 1) is None


def test_chinese_text_is_cut_at_half_as_many_letters() -> None:
    lines = {
        letter: lay_out(dialog(DialogKind.ALERT, letter * 200), Size(800, 600), 1.0).lines[0][0] for letter in "x長"
    }
    assert len(lines["x"]) == 2 * len(lines["長"])


def test_nothing_of_a_message_is_lost_between_its_lines() -> None:
    message = "one two  three " + "y" * 90 + " four"
    lines = [text for text, _ in lay_out(dialog(DialogKind.ALERT, message), Size(800, 600), 1.0).lines]
    assert "".join("".join(lines).split()) == "".join(message.split())
