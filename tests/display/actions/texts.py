"""The texts, layouts and locks of the round-trip tests."""

from __future__ import annotations

from dataclasses import dataclass

from tests.display.rig.xkb_locks import CAPS, NUM, Locks

TEXTS = {
    "lone letter": "ς",
    "ascii": "The quick brown Fox 0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "polish": "Zażółć gęślą jaźń; PCHNĄĆ W TĘ ŁÓDŹ — „tak”",
    "german": "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich: ÄÖÜ ẞ €",
    "french": "Dès Noël où un zéphyr haï me vêt de glaçons würmiens « Œuvre » À Ç É",
    "russian": "Съешь же ещё этих мягких французских булок, ДА ВЫПЕЙ чаю № 5",
    "greek": "Ξεσκεπάζω τους ψυχοφθόρους· ΌΛΟΥΣ, ΜΊΑ ΆΈΉ ΐ ΰ ς",
    "odd letters": "ß ı İ ŉ ǆ ǅ Ǆ ﬁ ĸ ſ µ Ω K Å ǰ ᾳ ᾼ ა Ა Ꭰ ꭰ ⅰ Ⅰ ⓐ",
    "hebrew": "דג סקרן שט בים מאוכזב ולפתע מצא חברה 123 (א)",
    "arabic": "نص حكيم له سر قاطع ١٢٣ وذو شأن، أليس كذلك؟",
    "cjk": "你好，世界。日本語のテスト カタカナ 한국어",
    "emoji": "𠮷 👍🏽 👩‍👩‍👧 🏳️‍🌈 🇵🇱 ❤️ 5️⃣",
    "combining": "e\u0301 a\u0308\u0323 n\u0303 Z\u0335 क्षि ที่",
    "lines": "first line\nsecond żółw\n\nfourth 行",
    "tabs": "\tindented\nthird\t\tcolumn",
}  # fmt: skip
KEYS_OF_LINES = frozenset("\n\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A keyboard layout in setxkbmap's terms."""

    name: str
    layout: str
    variant: str = ""

    def arguments(self, *, second: bool) -> tuple[str, ...]:
        """The arguments for setxkbmap; `second`: as the second of two groups."""
        if not second:
            return "-layout", self.layout, "-variant", self.variant
        first = "us" if self.layout == "ru" else "ru"
        return "-layout", f"{first},{self.layout}", "-variant", f",{self.variant}"


LAYOUTS = (
    Layout(name="us", layout="us"),
    Layout(name="de", layout="de"),
    Layout(name="fr", layout="fr"),
    Layout(name="pl", layout="pl"),
    Layout(name="ru", layout="ru"),
    Layout(name="dvorak", layout="us", variant="dvorak"),
)
LOCKS = {
    "plain": Locks(),
    "caps": Locks(modifiers=CAPS),
    "num": Locks(modifiers=NUM),
    "second group": Locks(group=1),
}
