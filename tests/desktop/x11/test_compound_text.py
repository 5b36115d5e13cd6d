"""Texts as libX11 encodes them (Xutf8TextListToTextProperty with XCompoundTextStyle, libX11 1.8)."""

from __future__ import annotations

import pytest

from operator_console.desktop.x11.display import compound_text


@pytest.mark.parametrize(
    ("encoded", "text"),
    [
        (b"plain", "plain"),
        (b"d\xe9j\xe0", "déjà"),
        (b"ssh \x1b%G\xe2\x80\x93\x1b%@ c\xf3pia", "ssh – cópia"),
        (b"\x1b-B\xbf\x1b-A\xf3\x1b-B\xb3w \xa3\x1b-A\xf3d\x1b-B\xbc", "żółw Łódź"),
        (b"t\xfcrk\xe7e \x1b-B\xba\x1b-C\xbb\xb9", "türkçe şğı"),
        (b"\x1b-L\xbf\xe0\xd8\xd2\xf6\xe2 \xf7\xd6\xd0\xda", "Привіт їжак"),
        (b"\x1b-F\xc5\xeb\xeb\xe7\xed\xe9\xea\xdc", "Ελληνικά"),
        (b"\x1b$(BF|K\\8l%F%9%H", "日本語テスト"),
        (b"\x1b$(BH>3Q\x1b)I\xb6\xc5", "半角ｶﾅ"),
        (b"\x1b$(BCfJ8\x1b$(A2bJT<r\x1b$(BBN", "中文测试简体"),
        (b"\x1b$(BHKqsCfJ8B,;n", "繁體中文測試"),
        (b"\x1b$(CGQ19>n\x1b(B \x1b$(C=CGh", "한국어 시험"),
        (b"\x1b%G\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\x1b%@", "שלום"),
        (b"emoji \x1b%G\xf0\x9f\x98\x80\x1b%@ x", "emoji 😀 x"),
        (b"\x1b-Y\xb4quotes\xa1", "“quotes”"),
    ],
)
def test_a_title_is_decoded(encoded: bytes, text: str) -> None:
    assert compound_text(encoded) == text


@pytest.mark.parametrize(
    ("encoded", "text"),
    [
        (b"a \x1b$(H!!\x1b(B b", "a \ufffd b"),
        (b"\x1b-z\xe1\xe2\x1b-Bok", "\ufffdok"),
        (b"\x1b%G\xff\x1b%@x", "\ufffdx"),
        (b"\x1b$(B!", "\ufffd"),
        (b"\x1b", "\x1b"),
        (b"", ""),
    ],
)
def test_what_is_not_known_is_replaced(encoded: bytes, text: str) -> None:
    assert compound_text(encoded) == text
