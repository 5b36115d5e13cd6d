"""Each language recognises what real applications say on buttons, in menus and in questions, and no list contradicts
another.

The strings are those of localised GNOME, KDE, Windows, Firefox, Chrome, web mail, shops and banks.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from operator_console.domain.risk import Category
from operator_console.policy.phrases import PhrasePattern
from operator_console.policy.word_tables import GROUPS, INDEXED, _pattern, fold, tables
from operator_console.resource_files import resource_path

LANGUAGES = sorted(file.stem for file in resource_path("policy").glob("*.toml"))
RISKY_LISTS = ("words", "labels")
FEWEST_STRINGS = 20

RISKY = {
    "ar": {
        Category.SEND: "إرسال|أرسل الآن|الرد على الكل|إعادة توجيه",
        Category.POST: "نشر|مشاركة|إضافة تعليق",
        Category.DELETE: "حذف|احذف|حذف نهائي|أفرِغ المهملات|إفراغ سلة المهملات|والحذف|إزالة",
        Category.INSTALL: "تثبيت|ثبّت|إلغاء التثبيت",
        Category.DOWNLOAD_RUN: "تنزيل|نزّل|السماح بالتنزيل",
        Category.UPLOAD: "إرفاق ملف|رفع ملف|مشاركة الشاشة",
        Category.LOGIN: "تسجيل الدخول|إنشاء حساب",
        Category.SYSTEM: "إيقاف التشغيل|أعد التشغيل|تسجيل الخروج|أضف مستخدمًا",
        Category.PAY: "ادفع الآن|شراء الآن|إتمام الطلب|تبرّع|للدفع",
        Category.CREDENTIALS: "إظهار كلمة المرور|حفظ كلمة السر",
        Category.SECURITY: "السماح|السماح بالوصول|الأذونات|تغيير كلمة المرور",
        Category.LEGAL: "أوافق|قبول الكل|الشروط والأحكام",
    },
    "cs": {
        Category.SEND: "Odeslat|Odeslat zprávu|Odpovědět všem|Přeposlat|Pozvat",
        Category.POST: "Zveřejnit|Sdílet|Přidat komentář",
        Category.DELETE: "Smazat|Odstranit|Odstranit soubor|Vyprázdnit koš|Přesunout do koše|Smazat trvale|Zahodit",
        Category.INSTALL: "Instalovat|Nainstalovat|Odinstalovat",
        Category.DOWNLOAD_RUN: "Stáhnout|Spustit",
        Category.UPLOAD: "Nahrát soubor|Přiložit soubor|Vybrat soubor",
        Category.LOGIN: "Přihlásit se|Vytvořit účet|Zaregistrovat se",
        Category.SYSTEM: "Vypnout|Restartovat|Odhlásit se|Odebrat uživatele",
        Category.PAY: "Zaplatit|Objednat s povinností platby|Koupit|Přejít k platbě",
        Category.CREDENTIALS: "Zobrazit heslo|Uložená hesla",
        Category.SECURITY: "Povolit|Odemknout|Změnit heslo|Nejsem robot",
        Category.LEGAL: "Souhlasím|Přijmout vše|Obchodní podmínky",
    },
    "de": {
        Category.SEND: "Senden|Absenden|Allen antworten|Weiterleiten",
        Category.POST: "Veröffentlichen|Teilen|Kommentieren",
        Category.DELETE: "Löschen|Endgültig löschen|In den Papierkorb verschieben|Papierkorb leeren|Nicht speichern",
        Category.INSTALL: "Installieren|Deinstallieren|Zu Chrome hinzufügen",
        Category.DOWNLOAD_RUN: "Herunterladen|Ausführen",
        Category.UPLOAD: "Hochladen|Dateien anhängen",
        Category.LOGIN: "Anmelden|Konto erstellen",
        Category.SYSTEM: "Herunterfahren|Ausschalten|Neu starten|Abmelden",
        Category.PAY: "Zahlungspflichtig bestellen|Jetzt kaufen|Zur Kasse|Zahlen|Überweisung freigeben",
        Category.CREDENTIALS: "Passwort anzeigen|Kennwort speichern",
        Category.SECURITY: "Zulassen|Entsperren|Passwort zurücksetzen|Zugriffsrechte",
        Category.LEGAL: "Alle akzeptieren|Ich stimme zu|Einverstanden",
    },
    "en": {
        Category.SEND: "Send|Send Now|Reply All|Forward Message",
        Category.POST: "Publish|Post|Submit review",
        Category.DELETE: "Delete|Delete Permanently|Empty Trash|Move to Trash|Don’t Save|Discard",
        Category.INSTALL: "Install|Uninstall|Add to Chrome|Update All",
        Category.DOWNLOAD_RUN: "Download|Run anyway",
        Category.UPLOAD: "Upload|Attach files|Choose File",
        Category.LOGIN: "Log In|Sign in|Create account",
        Category.SYSTEM: "Shut Down|Restart Now|Log Out|Power Off",
        Category.PAY: "Pay now|Buy|Place your order|Donate",
        Category.CREDENTIALS: "Show password|Copy password",
        Category.SECURITY: "Allow|Unlock|Change Password|I'm not a robot",
        Category.LEGAL: "I Agree|Accept|Accept all cookies",
    },
    "es": {
        Category.SEND: "Enviar|Enviar mensaje|Responder a todos|Reenviar",
        Category.POST: "Publicar|Compartir|Comentar",
        Category.DELETE: "Eliminar|Borrar|Vaciar la papelera|Mover a la papelera|Descartar|No guardar",
        Category.INSTALL: "Instalar|Desinstalar|Añadir a Chrome",
        Category.DOWNLOAD_RUN: "Descargar|Ejecutar",
        Category.UPLOAD: "Subir archivo|Adjuntar archivos|Seleccionar archivo",
        Category.LOGIN: "Iniciar sesión|Crear cuenta|Registrarse",
        Category.SYSTEM: "Apagar|Reiniciar|Cerrar sesión",
        Category.PAY: "Pagar ahora|Comprar ya|Tramitar pedido|Realizar el pago|Donar",
        Category.CREDENTIALS: "Mostrar contraseña|Guardar contraseña",
        Category.SECURITY: "Permitir|Desbloquear|Cambiar contraseña|No soy un robot",
        Category.LEGAL: "Aceptar todas|Acepto|Aceptar las cookies",
    },
    "fr": {
        Category.SEND: "Envoyer|Répondre à tous|Inviter|Transférer",
        Category.POST: "Publier|Partager|Commenter",
        Category.DELETE: "Supprimer|Effacer|Vider la corbeille|Mettre à la corbeille|Ne pas enregistrer|Abandonner",
        Category.INSTALL: "Installer|Désinstaller|Ajouter à Chrome",
        Category.DOWNLOAD_RUN: "Télécharger|Exécuter",
        Category.UPLOAD: "Téléverser|Joindre un fichier|Choisir un fichier",
        Category.LOGIN: "Se connecter|Créer un compte|S’inscrire",
        Category.SYSTEM: "Éteindre|Redémarrer|Se déconnecter",
        Category.PAY: "Payer|Acheter maintenant|Passer la commande|Valider ma commande|Faire un don",
        Category.CREDENTIALS: "Afficher le mot de passe|Enregistrer le mot de passe",
        Category.SECURITY: "Autoriser|Déverrouiller|Changer le mot de passe",
        Category.LEGAL: "Tout accepter|J’accepte|Accepter et continuer",
    },
    "it": {
        Category.SEND: "Invia|Invia messaggio|Rispondi a tutti|Inoltra|Spedisci ora",
        Category.POST: "Pubblica|Condividi|Commenta",
        Category.DELETE: "Elimina|Elimina definitivamente|Cancella|Svuota il cestino|Sposta nel cestino|Rimuovi|Scarta",
        Category.INSTALL: "Installa|Disinstalla|Riavvia e aggiorna",
        Category.DOWNLOAD_RUN: "Scarica|Esegui|Consenti download",
        Category.UPLOAD: "Carica un file|Allega file…|Scegli file",
        Category.LOGIN: "Accedi|Registrati|Crea account",
        Category.SYSTEM: "Spegni|Riavvia|Termina sessione|Aggiungi utente",
        Category.PAY: "Paga ora|Acquista ora|Procedi all’ordine e paga|Effettua ordine|Fai una donazione",
        Category.CREDENTIALS: "Mostra password|Salva password",
        Category.SECURITY: "Consenti|Sblocca|Cambia password|Non sono un robot",
        Category.LEGAL: "Accetta tutto|Accetto|Accetta",
    },
    "ja": {
        Category.SEND: "送信|全員に返信|送信(S)",
        Category.POST: "投稿する|共有|ツイート",
        Category.DELETE: "削除|削除(D)|ゴミ箱を空にする|ゴミ箱に入れる|保存しない|破棄",
        Category.INSTALL: "インストール|アンインストール|すべてアップデート",
        Category.DOWNLOAD_RUN: "ダウンロード|実行",
        Category.UPLOAD: "アップロード|ファイルを添付|ファイルを選択",
        Category.LOGIN: "ログイン|サインイン|アカウントを作成",
        Category.SYSTEM: "シャットダウン|再起動|ログアウト",
        Category.PAY: "注文を確定する|今すぐ買う|お支払い|購入手続きへ|振込",
        Category.CREDENTIALS: "パスワードを表示|パスワードを保存",
        Category.SECURITY: "許可|許可(A)|ロックを解除|パスワードを変更",
        Category.LEGAL: "同意する|すべて受け入れる|同意して続行",
    },
    "ko": {
        Category.SEND: "보내기|메일 보내기|지금 보내기|전송|전체 답장",
        Category.POST: "게시|게시하기|공유|댓글 등록",
        Category.DELETE: "삭제|삭제하기|삭제(D)|파일삭제|영구 삭제|휴지통 비우기|휴지통으로 이동|버리기",
        Category.INSTALL: "설치|설치하기|설치 제거|모두 업데이트",
        Category.DOWNLOAD_RUN: "다운로드|실행|다운로드 허용",
        Category.UPLOAD: "업로드|파일 첨부|파일 선택",
        Category.LOGIN: "로그인|회원가입|계정 만들기",
        Category.SYSTEM: "시스템 종료|전원 끄기|다시 시작|로그아웃",
        Category.PAY: "결제하기|구매하기|주문하기|송금|바로구매",
        Category.CREDENTIALS: "비밀번호 표시|비밀번호 저장",
        Category.SECURITY: "허용|허용(A)|잠금 해제|비밀번호 변경|권한",
        Category.LEGAL: "동의합니다|모두 동의|동의하고 계속",
    },
    "nl": {
        Category.SEND: "Verzenden|Versturen|Allen beantwoorden|Doorsturen|Uitnodigen",
        Category.POST: "Publiceren|Plaatsen|Delen",
        Category.DELETE: "Verwijderen|Definitief verwijderen|Prullenbak legen|Verplaatsen naar prullenbak|Wissen",
        Category.INSTALL: "Installeren|Toevoegen aan Chrome|Alles bijwerken",
        Category.DOWNLOAD_RUN: "Downloaden|Uitvoeren",
        Category.UPLOAD: "Uploaden|Bijlage toevoegen…|Bestand kiezen",
        Category.LOGIN: "Aanmelden|Inloggen|Account aanmaken",
        Category.SYSTEM: "Uitschakelen|Herstarten|Afmelden|Gebruiker toevoegen",
        Category.PAY: "Betalen|Nu kopen|Bestelling plaatsen|Afrekenen|Doneren",
        Category.CREDENTIALS: "Wachtwoord tonen|Opgeslagen wachtwoorden",
        Category.SECURITY: "Toestaan|Ontgrendelen|Wachtwoord wijzigen",
        Category.LEGAL: "Alles accepteren|Akkoord|Ik ga akkoord",
    },
    "pl": {
        Category.SEND: "Wyślij|Odpowiedz wszystkim|Prześlij dalej",
        Category.POST: "Opublikuj|Udostępnij|Skomentuj",
        Category.DELETE: "Usuń|Usuń trwale|Opróżnij kosz|Przenieś do kosza|Nie zapisuj",
        Category.INSTALL: "Zainstaluj|Odinstaluj|Dodaj do Chrome",
        Category.DOWNLOAD_RUN: "Pobierz|Uruchom",
        Category.UPLOAD: "Prześlij plik|Załącz plik|Wybierz plik",
        Category.LOGIN: "Zaloguj się|Utwórz konto|Zarejestruj się",
        Category.SYSTEM: "Wyłącz komputer|Uruchom ponownie|Wyloguj się",
        Category.PAY: "Zapłać|Kup teraz|Zamawiam i płacę|Potwierdź przelew",
        Category.CREDENTIALS: "Pokaż hasło|Zapisz hasło",
        Category.SECURITY: "Zezwól|Odblokuj|Zmień hasło|Nie jestem robotem",
        Category.LEGAL: "Akceptuję|Zaakceptuj wszystkie|Wyrażam zgodę",
    },
    "pt": {
        Category.SEND: "Enviar|Enviar mensagem|Responder a todos|Encaminhar|Reencaminhar",
        Category.POST: "Publicar|Partilhar|Compartilhar",
        Category.DELETE: "Eliminar|Excluir|Apagar|Esvaziar o lixo|Mover para a lixeira|Descartar|Não guardar",
        Category.INSTALL: "Instalar|Desinstalar|Usar no Chrome",
        Category.DOWNLOAD_RUN: "Baixar|Descarregar|Executar",
        Category.UPLOAD: "Enviar um ficheiro|Fazer upload|Anexar arquivo|Escolher ficheiro",
        Category.LOGIN: "Iniciar sessão|Fazer login|Criar conta|Entrar",
        Category.SYSTEM: "Desligar|Reiniciar|Terminar sessão|Adicionar usuário",
        Category.PAY: "Pagar|Comprar agora|Finalizar compra|Fazer pedido|Transferir",
        Category.CREDENTIALS: "Mostrar senha|Guardar palavra-passe",
        Category.SECURITY: "Permitir|Desbloquear|Alterar senha|Não sou um robô",
        Category.LEGAL: "Aceitar todos|Concordo|Aceitar",
    },
    "ru": {
        Category.SEND: "Отправить|Ответить всем|Переслать",
        Category.POST: "Опубликовать|Поделиться|Оставить комментарий",
        Category.DELETE: "Удалить|Удалить навсегда|Очистить корзину|Переместить в корзину|Не сохранять",
        Category.INSTALL: "Установить|Обновить всё|Добавить в Chrome",
        Category.DOWNLOAD_RUN: "Скачать|Запустить",
        Category.UPLOAD: "Прикрепить файл|Выберите файл",
        Category.LOGIN: "Войти|Зарегистрироваться|Создать аккаунт",
        Category.SYSTEM: "Выключить|Перезагрузить|Завершение работы",
        Category.PAY: "Оплатить|Купить|Оформить заказ|Перевести",
        Category.CREDENTIALS: "Показать пароль|Сохранить пароль",
        Category.SECURITY: "Разрешить|Разблокировать|Изменить пароль",
        Category.LEGAL: "Принять все|Согласен|Принимаю",
    },
    "tr": {
        Category.SEND: "Gönder|GÖNDER|Şimdi Gönder|Tümüne Yanıtla|Yönlendir",
        Category.POST: "Yayınla|Paylaş|Yorum yap",
        Category.DELETE: "Sil|SİL|Kalıcı Olarak Sil|Çöp Kutusunu Boşalt|Çöpe Taşı|Kaldır|Silinsin mi?",
        Category.INSTALL: "Kur|Yükle|Tümünü Güncelle",
        Category.DOWNLOAD_RUN: "İndir|INDIR|Çalıştır",
        Category.UPLOAD: "Dosya yükle|Dosya ekle…|Dosya Seç",
        Category.LOGIN: "Giriş yap|Oturum aç|Kaydol",
        Category.SYSTEM: "Yeniden Başlat|Oturumu Kapat|Askıya Al|Kullanıcı Ekle",
        Category.PAY: "Öde|Satın Al|Siparişi Onayla|Para gönder|Bağış Yap",
        Category.CREDENTIALS: "Şifreyi göster|Parolayı kaydet",
        Category.SECURITY: "İzin Ver|Kilidi Aç|Parola Değiştir|Ben robot değilim",
        Category.LEGAL: "Kabul ediyorum|Tümünü kabul et|Kabul Et",
    },
    "uk": {
        Category.SEND: "Надіслати|Відправити|Надіслати зараз|Відповісти всім|Переслати",
        Category.POST: "Опублікувати|Поділитися|Додати коментар",
        Category.DELETE: "Видалити|Вилучити|Вилучити остаточно|Спорожнити смітник|Очистити кошик|Не зберігати",
        Category.INSTALL: "Встановити|Установити|Оновити все",
        Category.DOWNLOAD_RUN: "Завантажити|Звантажити|Запустити",
        Category.UPLOAD: "Вивантажити файл|Прикріпити файл|Вибрати файл",
        Category.LOGIN: "Увійти|Зареєструватися|Створити обліковий запис",
        Category.SYSTEM: "Вимкнути|Перезапустити|Завершити сеанс|Додати користувача",
        Category.PAY: "Оплатити|Купити|Оформити замовлення|Переказати",
        Category.CREDENTIALS: "Показати пароль|Збережені паролі",
        Category.SECURITY: "Дозволити|Розблокувати|Змінити пароль|Я не робот",
        Category.LEGAL: "Погоджуюся|Прийняти все|Прийняти",
    },
    "zh": {
        Category.SEND: "发送|傳送|全部回复",
        Category.POST: "发布|分享|發佈",
        Category.DELETE: "删除|刪除|清空废纸篓|移到废纸篓|清空回收站|不保存",
        Category.INSTALL: "安装|解除安裝|全部更新",
        Category.DOWNLOAD_RUN: "下载|下載|运行",
        Category.UPLOAD: "上传|上傳|选择文件",
        Category.LOGIN: "登录|登入|注册",
        Category.SYSTEM: "关机|重新启动|登出",
        Category.PAY: "立即购买|提交订单|付款|結帳|转账",
        Category.CREDENTIALS: "显示密码|保存密码",
        Category.SECURITY: "允许|解锁|更改密码",
        Category.LEGAL: "同意并继续|全部接受|我同意",
    },
}  # fmt: skip

HARMLESS = {
    "ar": "حفظ|احفظ|فتح|افتح|الإعدادات|ابحث|التالي|طباعة|مساعدة|نسخ|إلغاء|تحرير|مجلّد جديد|عرض|رجوع|إعادة التسمية",
    "cs": "Uložit|Otevřít|Nastavení|Hledat|Další|Tisk|Nápověda|Kopírovat|Zrušit|Upravit|Nová složka|Zobrazit|Zpět",
    "de": "Speichern|Öffnen|Einstellungen|Suchen|Weiter|Drucken|Hilfe|Kopieren|Abbrechen|Bearbeiten|Neuer Ordner",
    "en": "Save|Open|Settings|Search|Next|Print|Help|Copy|Cancel|Edit|New Folder|View|Rename|Back",
    "es": "Guardar|Abrir|Configuración|Buscar|Siguiente|Imprimir|Ayuda|Copiar|Cancelar|Aceptar|Nueva carpeta|Ver",
    "fr": "Enregistrer|Ouvrir|Paramètres|Rechercher|Suivant|Imprimer|Aide|Copier|Annuler|Modifier|Nouveau dossier",
    "it": "Salva|Apri|Impostazioni|Cerca|Avanti|Stampa|Aiuto|Copia|Annulla|Modifica|Nuova cartella|Ricarica|Ordina",
    "ja": "保存|開く|設定|検索|次へ|印刷|ヘルプ|コピー|キャンセル|編集|新しいフォルダー|表示|名前の変更",
    "ko": "저장|열기|설정|검색|다음|인쇄|도움말|복사|취소|편집|새 폴더|보기|내보내기|가져오기|이름 바꾸기",
    "nl": "Opslaan|Openen|Instellingen|Zoeken|Volgende|Afdrukken|Help|Kopiëren|Annuleren|Bewerken|Boeken en films",
    "pl": "Zapisz|Otwórz|Ustawienia|Szukaj|Dalej|Drukuj|Pomoc|Kopiuj|Anuluj|Edytuj|Nowy katalog|Widok|Zmień nazwę",
    "pt": "Guardar|Salvar|Abrir|Definições|Procurar|Seguinte|Imprimir|Ajuda|Copiar|Cancelar|Editar|Nova pasta|Ver",
    "ru": "Сохранить|Открыть|Настройки|Поиск|Далее|Печать|Справка|Копировать|Отмена|Правка|Новая папка|Вид",
    "tr": "Kaydet|Aç|Ayarlar|Ara|Sonraki|Yazdır|Yardım|Kopyala|İptal|Düzenle|Yeni Klasör|Görünüm|Yeniden Adlandır",
    "uk": "Зберегти|Відкрити|Налаштування|Пошук|Далі|Друк|Довідка|Копіювати|Скасувати|Змінити|Нова тека|Перегляд",
    "zh": "保存|儲存|打开|開啟|设置|設定|搜索|下一步|打印|列印|帮助|复制|取消|编辑|新建文件夹|查看|重命名",
}  # fmt: skip

ANSWERS = {
    "ar": ("موافق|نعم|متابعة", "إلغاء|لا|ليس الآن"), "cs": ("OK|Ano|Pokračovat", "Zrušit|Ne|Odmítnout"),
    "de": ("OK|Ja|Weiter", "Abbrechen|Nein|Nein, danke"), "en": ("OK|Yes|Continue", "Cancel|No|No, thanks"),
    "es": ("Aceptar|Sí|Continuar", "Cancelar|No|Ahora no"), "fr": ("OK|Oui|Continuer", "Annuler|Non|Non, merci"),
    "it": ("OK|Sì|Continua", "Annulla|No|No, grazie"), "ja": ("OK|はい|続行", "キャンセル|いいえ|キャンセル(C)"),
    "ko": ("확인|예|계속", "취소|아니요|취소(C)"), "nl": ("OK|Ja|Doorgaan", "Annuleren|Nee|Nee, bedankt"),
    "pl": ("OK|Tak|Kontynuuj", "Anuluj|Nie|Nie, dziękuję"), "pt": ("OK|Sim|Continuar", "Cancelar|Não|Agora não"),
    "ru": ("ОК|Да|Продолжить", "Отмена|Нет|Нет, спасибо"), "tr": ("TAMAM|Evet|DEVAM", "İPTAL|Hayır|Vazgeç"),
    "uk": ("Гаразд|Так|Продовжити", "Скасувати|Ні|Не зараз"), "zh": ("确定|是|继续", "取消|否|稍后"),
}  # fmt: skip

QUESTIONS = {
    "ar": "هل أنت متأكد من أنك تريد حذف هذا الملف نهائيًا؟", "cs": "Opravdu chcete soubor trvale odstranit?",
    "de": "Soll die Datei endgültig gelöscht werden?", "en": "Delete the file permanently?",
    "es": "¿Desea eliminar el archivo de forma permanente?", "fr": "Supprimer définitivement le fichier ?",
    "it": "Eliminare definitivamente il file?", "ja": "ファイルを完全に削除しますか？",
    "ko": "파일을 영구적으로 삭제하시겠습니까?",
    "nl": "Wilt u het bestand definitief verwijderen?", "pl": "Czy na pewno usunąć plik?",
    "pt": "Deseja eliminar o ficheiro permanentemente?", "ru": "Удалить файл безвозвратно?",
    "tr": "Dosya kalıcı olarak silinsin mi?", "uk": "Остаточно вилучити файл?", "zh": "确定要永久删除此文件吗？",
}  # fmt: skip

PASSWORD_FIELDS = {
    "ar": "كلمة المرور", "cs": "Heslo:", "de": "Passwort", "en": "Password", "es": "Contraseña", "fr": "Mot de passe",
    "it": "Password", "ja": "パスワード", "ko": "비밀번호", "nl": "Wachtwoord", "pl": "Hasło", "pt": "Palavra-passe",
    "ru": "Пароль", "tr": "Şifreniz", "uk": "Пароль", "zh": "密码",
}  # fmt: skip


@functools.cache
def table(language: str) -> dict[str, Any]:
    return tomllib.loads(resource_path("policy", f"{language}.toml").read_text("utf-8"))


def _risky() -> Iterator[tuple[str, Category, str]]:
    for language, categories in RISKY.items():
        for category, labels in categories.items():
            yield from ((language, category, label) for label in labels.split("|"))


def _phrases(language: str, section: str) -> Iterator[str]:
    for name in RISKY_LISTS:
        yield from table(language)[section].get(name, ())


def test_every_shipped_language_has_its_strings_here() -> None:
    for strings in (RISKY, HARMLESS, ANSWERS, QUESTIONS, PASSWORD_FIELDS):
        assert set(strings) == set(LANGUAGES)
    for language in LANGUAGES:
        assert sum(1 for risky in _risky() if risky[0] == language) >= FEWEST_STRINGS
    assert len(LANGUAGES) >= 12


@pytest.mark.parametrize("language", RISKY)
def test_a_risky_label_is_of_its_category(language: str) -> None:
    found = tables()
    risky = [(category, label) for each, category, label in _risky() if each == language]
    assert [(category, label) for category, label in risky if category not in dict(found.in_label(label))] == []


@pytest.mark.parametrize("language", HARMLESS)
def test_a_harmless_label_is_of_no_category_in_any_language(language: str) -> None:
    found = {label: tables().in_label(label) for label in HARMLESS[language].split("|")}
    assert {label: categories for label, categories in found.items() if categories} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_answers_of_a_dialog_are_known(language: str) -> None:
    confirms, refuses = ANSWERS[language]
    for label in confirms.split("|"):
        assert tables().is_exactly("confirm", label), label
    for label in refuses.split("|"):
        assert tables().is_exactly("safe", label), label


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_tells_what_it_asks_about(language: str) -> None:
    assert Category.DELETE in dict(tables().in_text(QUESTIONS[language]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_password_field_is_known_by_its_name(language: str) -> None:
    assert Category.CREDENTIALS in dict(tables().in_field(PASSWORD_FIELDS[language]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_of_a_language_is_a_risky_word_of_any(language: str) -> None:
    risky = {
        fold(phrase): (other, section)
        for other in LANGUAGES
        for section in table(other)
        if section not in GROUPS
        for phrase in _phrases(other, section)
    }
    for group in ("safe", "confirm"):
        clashes = {phrase: risky[fold(phrase)] for phrase in table(language)[group]["words"] if fold(phrase) in risky}
        assert not clashes, group


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_redundant(language: str) -> None:
    """No word that another of its list matches anyway; a base form may stand beside its stem with a star."""
    for section, lists in table(language).items():
        for name, phrases in lists.items():
            if name == "verbs" or section in INDEXED:
                # Spaces count in them, so that "log in" does not match "login".
                assert len(set(phrases)) == len(phrases)
                continue
            wider = lists.get("words", []) if name == "labels" else []
            others = [(p, _beginning(p)) for p in (*phrases, *wider) if not _is_tied(p, "=^$*")]
            for phrase in phrases:
                if _is_tied(phrase, "^$"):
                    continue
                folded = fold(phrase).strip("=*")
                found = [p for p, begins in others if p != phrase and begins in folded and _matches(p, folded)]
                assert found == [], (section, phrase)


def _beginning(phrase: str) -> str:
    """The letters that every text begins with that the phrase matches, apart from an Arabic prefix."""
    return fold(phrase).split(" ")[0].partition("*")[0]


def _matches(phrase: str, folded: str) -> bool:
    return _of(phrase).fullmatch(folded) is not None


@functools.cache
def _of(phrase: str) -> PhrasePattern:
    return _pattern([fold(phrase)])


def _is_tied(phrase: str, ties: str = "=^$") -> bool:
    """Whether it matches only the whole, the start or the end of a text."""
    return phrase[0] in ties or phrase[-1] in ties
