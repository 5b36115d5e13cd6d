"""Secrets are known wherever they are typed: by the name before them, by their shape, by what is beside the field."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Launch, Navigate, Search, TypeText
from operator_console.domain.elements import ElementState, Role
from operator_console.domain.risk import Category
from operator_console.policy import PolicyContext, assess
from operator_console.policy.secrets_in_text import is_random
from operator_console.policy.text_content import personal_data
from tests.policy.control_examples import PAGE, asking, categories, control, on

NOTES = on(
    control(Role.TEXT_FIELD, "", states=(ElementState.EDITABLE, ElementState.MULTI_LINE)),
    app="Mousepad",
    title="notes.txt",
)
TOKEN = "npm_" + "v7Qe2LkfXz0sTbW9uHdR4mYc"
RANDOM = "v7Qe2LkfXz0sTbW9uHdR4mYc"


def typed(text: str, context: PolicyContext = NOTES) -> set[Category]:
    return set(assess(TypeText(text=text), context).categories)


@pytest.mark.parametrize(
    "line",
    [
        "SMTP_PASSWORD=heron-Quay-7719", "DB_PASS=herons",
        "export DB_PASSWORD='heron-Quay-7719'", '"client_secret": "heron-Quay-7719",',
        "The wifi password is: heron-Quay-7719.", "Hello, PIN: 4711", "Passwort für den Router: Reiher-77-Kai",
        "Mot de passe du routeur : Heron-77-quai", "Contraseña del router: Garza-77-muelle",
        "Password del router: Airone-77-molo", "Senha do roteador: Garca-77-cais",
        "Wachtwoord van de router: Reiger-77-kade",
        "Hasło do routera: Czapla-77-nabrzeze", "Heslo k routeru: Volavka-77-molo",
        "Пароль от роутера: Tsaplya-77-prichal",
        "Пароль від роутера: Chaplya-77-pirs", "Yönlendirici parolası: Balikcil-77-iskele",
        "كلمة مرور الموجه: Heron-77-quay",
        "ルーターのパスワード：Heron-77-quay", "공유기 비밀번호: Heron-77-quay", "路由器密码：Heron-77-quay",
    ],
)  # fmt: skip
def test_a_line_with_the_name_of_a_secret_and_a_value_is_asked_about(line: str) -> None:
    assert Category.CREDENTIALS in typed(f"Router: 192.168.1.1\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "Password length: 8-64", "password: str", "Password reset: https://shop.example/Reset-1a2B",
        "Username: Anna-77-Quay",
        "Password changed: 12.03.2026", "Passwort: siehe Tresor", "Contact about passwords: Anna.Meier2@firma.example",
        "token_count = 128000", "DB_PASSWORD=$PASSWORD",
        "Recovery key: ask Anna", "Meeting: Room-4B-north", "Пароль: у директора", "password field = $('#Login-1')",
        "PIN pad height: 1042", "密码：问小王",
    ],
)  # fmt: skip
def test_a_line_about_a_secret_without_one_is_not(line: str) -> None:
    assert typed(f"{line}\n") == set()


@pytest.mark.parametrize(
    "text",
    [
        "the guest password is Heron-77-quay", "password for the router at home is Heron-77-quay",
        "Please use Heron-77-quay as the password", "Heron-77-quay (password of the router)",
        "Das Passwort lautet Reiher-77-Kai", "Passwort für den Router Reiher-77-Kai", "Reiher-77-Kai ist das Passwort",
        "le mot de passe est Heron-77-quai", "Heron-77-quai comme mot de passe", "mdp: Heron-77-quai",
        "la contraseña es Garza-77-muelle", "contraseña del router Garza-77-muelle",
        "la password è Airone-77-molo", "password del router Airone-77-molo",
        "Banco: usuario financeiro, senha Ip3-Amarelo-19", "a senha é Garca-77-cais",
        "het wachtwoord is Reiger-77-kade", "wachtwoord van de router Reiger-77-kade",
        "hasło to Czapla-77-molo", "hasło do routera Czapla-77-molo", "heslo je Volavka-77-molo",
        "пароль от почты Tsaplya-77-prichal", "Wi-Fi офіс: гість, пароль Kalyna-5508-Most",
        "Kalyna-5508-Most - пароль від Wi-Fi", "wifi şifresi Balikcil-77-iskele", "كلمة المرور هي Heron-77-quay",
        "パスワードはHeron-77-quayです", "비밀번호는 Heron-77-quay 입니다", "密码是Heron-77-quay。",
        "PIN 4711", "the PIN is 4711", "the password is sommer2024", "user anna, pw: heron-77",
        "Wi-Fi password\nHeron-77-quay", "Пароль:\n- Kalyna-5508-Most",
        "seed phrase: ocean lamp river stone maple tiger cloud brush eagle honey frost panda",
        "Authorization: Basic YW5uYTpoZXJvbi03Nw==", "sk_live_9f3kX27ab0Qm41",
        f"the key for the server: it is {RANDOM} as of today",
    ],
)  # fmt: skip
def test_a_sentence_that_tells_a_secret_is_asked_about(text: str) -> None:
    assert Category.CREDENTIALS in typed(text)
    assert Category.CREDENTIALS in typed(f"Hello Anna! {text}", on(control(Role.TEXT_FIELD, "Message"), **PAGE))


@pytest.mark.parametrize(
    "text",
    [
        "Reset your password on iPhone-15-Pro", "Forgot password? Visit Shop-24-Example", "Password policy v2.3-Beta",
        "The PIN pad is in Room-4B-north", "Secretary 4711", "Secretary: Room-4B-12", "Passwords 2024",
        "My password manager is KeePass-2.57", "Das Passwort steht im Ordner Reisen-2024-Mai", "see password.txt",
        "E-Mail-Adresse und Passwort", "Passwort E-Mail-Konto", "Meeting in Room-4B-north", "the pin number",
        "Wi-Fi password\n\nAsk Anna in Room-4B-north", "Пароль у директора", "密码请问小王", "tan 45",
        "recovery phrase: please never write these words down, not even for a friend of yours or your bank",
    ],
)  # fmt: skip
def test_a_sentence_about_secrets_is_not(text: str) -> None:
    assert typed(text) == set()


@pytest.mark.parametrize(
    ("stands", "value"),
    [
        ("Office Router password:", "Heron-77-quay"), ("Zugänge Das Passwort lautet", "Reiher-77-Kai"),
        ("Accès Le mot de passe est", "Heron-77-quai"), ("Доступи Пошта: буh@firma.example Пароль:", "Kalyna-5508"),
        ("アクセス パスワード：", "Heron-77-quay"), ("접속 정보 비밀번호:", "Heron-77-quay"),
        ("门禁 密码：", "Heron-77-quay"), ("Alarm PIN", "4711"),
    ],
)  # fmt: skip
def test_a_value_that_is_typed_behind_the_name_of_a_secret_that_stands_there_is_one(stands: str, value: str) -> None:
    page = replace(NOTES.control, text=stands)
    assert Category.CREDENTIALS in typed(value, on(page, app="Mousepad", title="notes.txt"))
    assert typed("ask Anna", on(page, app="Mousepad", title="notes.txt")) == set()
    assert typed(value, on(replace(page, text="Shopping list"), app="Mousepad", title="notes.txt")) == set()


ADDRESSES = [
    "http://admin:Winter-Otter24@nas.example/cgi/login", "https://anna:heron@192.168.1.1/", "ftp://anna:x7@files.example",
    "postgres://shop:heron@db:5432/shop", "redis://:heron77@cache:6379", "smb://anna:heron77@nas/share",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_with_a_password_is_asked_about_wherever_it_goes(address: str) -> None:
    opened: list[Action] = [
        Navigate(url=address),
        Search(query=address),
        Launch(app=f"firefox {address}"),
        Launch(url=address),
    ]
    for action in opened:
        assert Category.CREDENTIALS in assess(action, PolicyContext(app="Chromium")).categories, action
    assert Category.CREDENTIALS in typed(f"It is at {address} now")
    link = control(Role.LINK, "Open the page", link=address)
    assert Category.CREDENTIALS in categories(on(link, **PAGE))


@pytest.mark.parametrize(
    "address",
    ["https://anna@nas.example/", "https://shop.example:443@evil.example/", "https://nas.example:8443/a:b@c",
     "https://medium.example/@anna:12"],
)  # fmt: skip
def test_an_address_without_one_is_not(address: str) -> None:
    assert Category.CREDENTIALS not in assess(Navigate(url=address), PolicyContext(app="Chromium")).categories
    assert typed(f"see {address}") == set()


@pytest.mark.parametrize(
    "title",
    ["passwords.txt", "Passwörter.odt", "mots de passe.txt", "contraseñas.txt", "senhas.txt", "hasła.txt", "паролі.txt",
     "пароли.txt", "密码.txt", "パスワード.txt", "*/home/anna/my own papers/of_this_year/passwords.txt",
     "passwords.txt (~/my papers/of this year)"],
)  # fmt: skip
def test_in_a_document_that_is_named_after_secrets_a_mixed_word_is_one(title: str) -> None:
    page = on(NOTES.control, app="Mousepad", title=f"{title} - Mousepad")
    assert Category.CREDENTIALS in typed("mail anna Heron-77-quay", page)
    assert typed("mail anna, ask at the desk", page) == set()


@pytest.mark.parametrize("name", ["", "Value", "Wert", "Valeur", "값", "値", "Значение"])
def test_a_token_is_asked_about_in_whatever_field_it_is_typed(name: str) -> None:
    field = on(control(Role.TEXT_FIELD, name), **PAGE)
    assert Category.CREDENTIALS in typed(TOKEN, field)
    assert Category.CREDENTIALS in typed(RANDOM, field)


def test_a_value_beside_the_name_of_a_secret_variable_is_asked_about() -> None:
    field = on(control(Role.TEXT_FIELD, "Value"), **PAGE, nearby=("Key", "SMTP_PASSWORD"))
    assert Category.CREDENTIALS in typed("heron-quay", field)
    assert typed("heron-quay", on(control(Role.TEXT_FIELD, "Value"), **PAGE, nearby=("Key", "APP_LANGUAGE"))) == set()


@pytest.mark.parametrize("title", ["Add secret", "Neues Geheimnis", "Nouveau mot de passe", "添加密码"])
def test_a_value_that_may_be_a_password_is_one_where_the_dialog_names_a_secret(title: str) -> None:
    def field(name: str) -> PolicyContext:
        return on(control(Role.TEXT_FIELD, name, dialog=asking(title)), **PAGE)

    assert Category.CREDENTIALS in typed("heron-Quay-7719", field("Value"))
    assert typed("heron quay", field("Note")) == set()
    assert typed("anna.meier@firma.example", field("Owner")) == set()


@pytest.mark.parametrize(
    "text",
    [
        "getElementByIdOrThrowIfMissing2", "DE89370400440532013001X", "1Z999AA10123456784", "Order-2026-11-23-AB-12345",
        "550e8400-e29b-41d4-a716-446655440000", "TeamMeetingNotes2026Final",
        "release_2026_11_23_Final_Version_For_Anna",
        "8c5c1ee7a1b2c3d4e5f60718293a4b5c6d7e8f90", "npm_config_registry_of_the_company",
    ],
)  # fmt: skip
def test_names_numbers_and_hashes_are_no_tokens(text: str) -> None:
    assert not is_random(text)
    assert typed(text, on(control(Role.TEXT_FIELD, "Name"), **PAGE)) == set()


def test_a_long_text_of_names_and_values_is_looked_through_quickly() -> None:
    text = "".join(f"field_{number}: Value-{number}-abc\n" for number in range(20_000))
    before = time.process_time()
    assert personal_data(text) == ()
    assert time.process_time() - before < 5


CHOOSE = {
    "en": "Choose an account", "de": "Konto auswählen", "fr": "Choisissez un compte", "es": "Elige una cuenta",
    "it": "Scegli un account", "pt": "Escolha uma conta", "nl": "Kies een account", "pl": "Wybierz konto",
    "cs": "Vyberte účet", "ru": "Выберите аккаунт", "uk": "Виберіть обліковий запис", "tr": "Bir hesap seçin",
    "ar": "اختر حسابًا", "ja": "アカウントの選択", "ko": "계정 선택", "zh": "选择帐号",
}  # fmt: skip


@pytest.mark.parametrize("title", CHOOSE.values(), ids=CHOOSE.keys())
@pytest.mark.parametrize("role", [Role.LINK, Role.LIST_ITEM, Role.BUTTON])
@pytest.mark.parametrize("link", ["", "/signin?authuser=1"])
def test_an_entry_with_an_address_of_mail_signs_in_where_an_account_is_chosen(
    title: str, role: Role, link: str
) -> None:
    entry = control(role, "Giulia Ferri giulia.ferri@posta.example", link=link)
    assert Category.LOGIN in categories(on(entry, app="Chromium", title=f"{title} - Chromium"))
    assert Category.LOGIN not in categories(on(entry, app="Chromium", title="Contacts - Chromium"))
