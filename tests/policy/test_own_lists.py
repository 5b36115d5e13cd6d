"""Adding to lists of one's own, replying to a message that is read, and going on with a payment."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Click
from operator_console.domain.elements import Control, ControlSource, Dialog, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import RiskClass
from operator_console.policy import PolicyContext, assess


def asked(name: str, *, title: str = "Home", dialog: Dialog | None = None, nearby: tuple[str, ...] = ()) -> bool:
    control = Control(
        source=ControlSource.ACCESSIBLE,
        knowledge=TextKnowledge.READ,
        role=Role.BUTTON,
        name=name,
        text=name,
        extent=Rect(40, 40, 120, 30),
        dialog=dialog,
    )
    context = PolicyContext(app="Chromium", title=title, label=name, read=True, control=control, nearby=nearby)
    return assess(Click(at=NativePoint(60, 50)), context).risk >= RiskClass.C3


@pytest.mark.parametrize(
    "name",
    [
        "Add exercise", "Übung hinzufügen", "Ajouter un ingrédient", "Añadir producto", "Aggiungi spesa",
        "Taak toevoegen", "Adicionar série", "Dodaj składnik", "Přidat jídlo", "Alt görev ekle", "Добавить задачу",
        "Додати пісню", "재료 추가", "料理を追加", "添加任务", "إضافة مهمة",
    ],
)  # fmt: skip
def test_what_is_added_to_a_list_of_ones_own_is_not_asked_about(name: str) -> None:
    assert not asked(name, title="Plan", nearby=("Delete list",))


@pytest.mark.parametrize(
    "name", ["Add user", "Add payment card", "Add exercise and pay", "Add key", "Create topic", "Benutzer hinzufügen"]
)
def test_what_is_added_elsewhere_is_asked_about(name: str) -> None:
    assert asked(name)


@pytest.mark.parametrize("sender", ["From: School", "Von: Schule", "差出人：学校", "Od: Szkoła"])
def test_a_reply_to_a_message_that_is_read_only_opens(sender: str) -> None:
    assert not asked("Reply all", title="Inbox", nearby=("Delete", sender))
    assert not asked("Odpowiedz wszystkim", title="Inbox", nearby=("Delete", sender))
    assert asked("Reply all", title="Re: Invoice", nearby=("Discard draft",))


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Continue with payment", "Cancel the payment?"),
        ("Seguir con el pago", "¿Cancelar el pago?"),
        ("Zahlung fortsetzen", "Zahlung abbrechen?"),
        ("Doorgaan met betalen", "Betaling annuleren?"),
        ("Ödemeye devam et", "Ödeme iptal edilsin mi?"),
        ("Продолжить оплату", "Отменить платёж?"),
        ("支払いを続ける", "お支払いを中止しますか？"),
    ],
)
def test_going_on_with_a_payment_is_asked_about(name: str, question: str) -> None:
    assert asked(name, dialog=Dialog(title=question, text="£40.00"), nearby=("Cancel", "£40.00"))


@pytest.mark.parametrize("name", ["Join today", "Get more storage"])
def test_a_harmless_word_beside_an_unknown_verb_is_not_enough(name: str) -> None:
    assert asked(name, nearby=("£29.99 monthly",))


@pytest.mark.parametrize("name", ["Turn off subtitles", "Disattiva audio", "Включить субтитры", "开启字幕"])
def test_what_is_only_looked_at_or_listened_to_is_switched_without_a_question(name: str) -> None:
    assert not asked(name)


@pytest.mark.parametrize("name", ["Turn off microphone protection", "Disattiva firewall", "Turn on sharing"])
def test_other_switches_are_asked_about(name: str) -> None:
    assert asked(name)


@pytest.mark.parametrize("name", ["Открыть вклад", "Otwórz lokatę", "Sparplan anlegen"])
def test_a_contract_that_is_concluded_beside_an_amount_is_asked_about(name: str) -> None:
    assert asked(name, nearby=("50 000 ₽",))
