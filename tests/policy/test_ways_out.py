"""Buttons that leave things as they are, and those that look like them and do not."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Click
from operator_console.domain.elements import Control, ControlSource, Dialog, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import RiskClass
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import asks, button

CANCEL_STAY = ("Cancel your stay?", "A fee of £84 applies.")
NO_SUBJECT = ("No subject", "Your message has no subject. Send it anyway?")
WIZARD = "This wizard helps you. Nothing is installed before the last step."


def risk(name: str, title: str = "", text: str = "", *, nearby: tuple[str, ...] = ()) -> RiskClass:
    dialog = Dialog(title=title, text=text) if title or text else None
    control = Control(
        source=ControlSource.ACCESSIBLE,
        knowledge=TextKnowledge.READ,
        role=Role.BUTTON,
        name=name,
        text=name,
        extent=Rect(40, 40, 120, 30),
        dialog=dialog,
    )
    context = PolicyContext(app="Chromium", title="Your trip", label=name, read=True, control=control, nearby=nearby)
    return assess(Click(at=NativePoint(60, 50)), context).risk


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("Keep my booking", *CANCEL_STAY),
        ("Conserver ma réservation", "Annuler votre séjour à Annecy ?", "84 € de frais."),
        ("Aboneliğimi sürdür", "Aboneliği iptal etmek istediğinize emin misiniz?", "4 Mart’tan sonra izleyemezsiniz."),
        ("Buchung beibehalten", "Buchung stornieren?", "20 € Gebühr."),
        ("保留订阅", "确定要取消订阅吗？", "将无法观看。"),
        ("Сохранить подписку", "Отменить подписку?", "Доступ закончится."),
        ("멤버십 유지하기", "멤버십을 해지하시겠습니까?", ""),
        ("Cancel sending", *NO_SUBJECT),
        ("Cancelar envio", "Lembrete", "Sua mensagem está sem assunto. Deseja enviar mesmo assim?"),
        ("Annuler l’envoi", "Objet manquant", "Le message n’a pas d’objet. L’envoyer quand même ?"),
        ("送信をやめる", "件名なし", "件名がありません。送信しますか？"),
        ("إلغاء الإرسال", "بلا موضوع", "هل تريد إرسالها؟"),
        ("Göndermeyi iptal et", "Konu yok", "Yine de gönderilsin mi?"),
    ],
)
def test_the_no_to_what_is_asked_needs_no_answer(name: str, title: str, text: str) -> None:
    assert risk(name, title, text) < RiskClass.C3


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("Cancel booking", *CANCEL_STAY),
        ("Cancel subscription", "Subscription", "Premium, renews on 4 March"),
        ("Keep booking and pay", *CANCEL_STAY),
        ("Continue", "Question", "Remove the account “Anna” and all its files?"),
        ("Continue erasing", "Question", "Stop and erase the disk?"),
        ("Continue payment", "Payment", "Cancel the payment?"),
        ("Continue installation", "Setup", "Cancel the installation?"),
        ("Keep Premium", "Your trial ends today", "£9.99 a month"),
        ("Continue membership", "Your trial has ended", "$9.99 a month"),
        ("Send", *NO_SUBJECT),
        ("Keep mine and cancel the others", *CANCEL_STAY),
        ("Cancel account", "Account", "Do you want to delete your account?"),
        ("取消订阅", "确定要取消订阅吗？", "将无法观看。"),
        ("Aboneliği sürdür", "Aboneliğiniz bitiyor", "Aylık 99 TL"),
    ],
)
def test_the_yes_to_what_is_asked_needs_an_answer(name: str, title: str, text: str) -> None:
    assert risk(name, title, text) >= RiskClass.C3


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (WIZARD, False),
        ("Rien ne sera installé avant la dernière étape.", False),
        ("The driver is installed now. Nothing will be installed twice.", True),
        ("The driver is installed now.", True),
    ],
)
def test_next_is_harmless_while_every_sentence_puts_the_act_off(text: str, asked: bool) -> None:
    assert (risk("Next >", "Printer setup", text) >= RiskClass.C3) is asked


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Update quantity", False),
        ("Aantal bijwerken", False),
        ("Mettre à jour la quantité", False),
        ("数量を更新", False),
        ("Update and check out", True),
        ("Buy cart", True),
        ("Submit basket", True),
        ("Update £96.00 basket", True),
    ],
)
def test_a_basket_may_be_changed_but_not_paid(name: str, asked: bool) -> None:
    assert (risk(name, nearby=("Lamp £48.00", "Checkout")) >= RiskClass.C3) is asked


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Don’t Erase", "Erase disk?"),
        ("暂不删除", "要删除此照片吗？"),
        ("退会しない", "退会しますか？"),
        ("Не удалять", "Удалить?"),
        ("Keep editing", "Discard draft?"),
        ("Revenir au document", "Quitter sans enregistrer ?"),
        ("متابعة التحرير", "تجاهل التغييرات؟"),
        ("계속 작성", "작성을 그만두시겠어요?"),
        ("Yüklemeyi iptal et", "Yükleme durdurulsun mu?"),
        ("Cancel upload", "Stop the upload?"),
        ("Continue download", "Stop the download?"),
        ("Leave on", "Turn off Find My Device?"),
        ("Pozostaw włączoną", "Wyłączyć zaporę?"),
        ("Skip this version", "Software update"),
    ],
)
def test_refusing_going_back_stopping_and_leaving_on_need_no_answer(name: str, title: str) -> None:
    assert risk(name, title, "It will be lost.") < RiskClass.C3


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Don’t save", "Save changes?"),
        ("Nie Usuń", "Usunąć?"),  # two buttons read as one
        ("不可恢复地删除", "删除？"),
        ("No, delete", "Keep the file?"),
        ("Cancel order", "Your order"),
        ("Stop antivirus", "Antivirus"),
        ("Discard edits", "Keep editing?"),
        ("On", "Turn on remote access?"),
    ],
)
def test_what_looks_like_a_refusal_needs_an_answer(name: str, title: str) -> None:
    assert risk(name, title, "It will be lost.") >= RiskClass.C3


OFFERS = [
    "Skip for now", "Vorerst überspringen", "Passer pour l'instant", "Omitir por ahora", "Salta per ora",
    "Ignorar por agora", "Voorlopig overslaan", "Pomiń na razie", "Prozatím přeskočit", "Пока пропустить",
    "Поки пропустити", "Şimdilik atla", "تخطي الآن", "今回はスキップ", "일단 건너뛰기", "暂时跳过",
    "Continue without adding",
    "No thanks, allocate seats randomly", "No thanks, I'll choose my seats later", "Not now, show me the list",
    "Nein danke, Plätze zufällig zuteilen", "Non merci, attribuer les places au hasard", "No gracias, elegir al azar",
    "No grazie, scegli un posto a caso", "Não obrigado, escolher ao acaso", "Nee bedankt, wijs willekeurig toe",
    "Nie dziękuję, przydziel losowo", "Ne děkuji, vybrat náhodně", "Нет, спасибо, выбрать случайные места",
    "Ні, дякую, обрати випадкові місця", "Hayır teşekkürler, rastgele yer ver", "لا شكرا، اختر عشوائيا",
    "不用了，随机分配座位",
]  # fmt: skip


@pytest.mark.parametrize("name", OFFERS)
def test_a_no_to_an_offer_may_say_what_is_done_without_it(name: str) -> None:
    assert not asks(button(name, title="Your booking - Chromium", nearby=("Seat from €9.00", "Continue to payment")))


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("No thanks, pay now", "Your booking"), ("No thanks, delete it", "Your booking"),
        ("No thanks, complete my order", "Your booking"), ("No thanks, continue", "Cancel your subscription"),
        ("No thanks, I want to leave", "Cancel your subscription"), ("Nein danke, jetzt kaufen", "Buchung"),
        ("No, remove the seats", "Your booking"), ("Non merci, payer maintenant", "Réservation"),
        ("No thanks, turn it off", "Protection"),
    ],
)  # fmt: skip
def test_a_no_to_an_offer_that_does_something_else_is_asked_about(name: str, title: str) -> None:
    assert asks(button(name, title=f"{title} - Chromium", nearby=("Seat from €9.00", "Continue to payment")))
