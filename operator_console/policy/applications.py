"""Recognises kinds of application by name, class and window title.

The kinds are terminals, remote viewers, code editors, browsers, file managers, image viewers, mail, chat, banks and
shops, software stores, system tools and security tools. A page in a browser counts by its title and address.
"""

from __future__ import annotations

import functools
import re

from operator_console.policy.word_tables import fold

_TERMINALS = frozenset((
    "xterm", "uxterm", "urxvt", "rxvt", "gnome terminal", "gnome terminal server", "kgx", "ptyxis", "konsole",
    "yakuake", "alacritty", "kitty", "tilix", "terminator", "terminology", "xfce4 terminal", "mate terminal",
    "lxterminal", "qterminal", "guake", "tilda", "cool retro term", "ghostty", "hyper", "wezterm", "wezterm gui",
    "foot", "st", "st 256color", "sakura", "roxterm", "deepin terminal", "pantheon terminal", "io.elementary.terminal",
    "warp", "tabby", "terminal", "iterm2", "windowsterminal", "windows terminal", "powershell", "pwsh", "cmd",
    "command prompt", "conhost", "mintty", "putty", "kitty portable", "xshell", "mobaxterm", "tmux", "zellij",
    "eterm", "aterm", "mlterm", "blackbox", "contour", "rio", "extraterm", "termite", "lilyterm", "console",
    # Further providers of Debian's x-terminal-emulator and their like, without "term" at the end of their names.
    "zutty", "termit", "tym", "havoc", "evilvte", "altyo", "mrxvt", "xvt", "waveterm", "wave", "kermit",
    # Run dialogs: Enter starts a command line here too.
    "krunner", "xfce4 appfinder", "application finder", "gmrun", "rofi", "dmenu", "wofi", "bemenu", "fuzzel", "tofi",
    "ulauncher", "albert", "synapse", "kupfer", "run dialog",
))  # fmt: skip
_PASTE_BY_RIGHT_CLICK = frozenset((
    "putty", "kitty portable", "windowsterminal", "windows terminal", "conhost", "cmd", "command prompt", "powershell",
    "pwsh", "mobaxterm",
))  # fmt: skip
_NAMED_TERMINAL = re.compile(r"term(inal)?\b")  # those that no list knows yet: FooTerm, My Terminal
_CODE_EDITORS = re.compile(
    r"\b(code|code oss|vscodium|codium|cursor|windsurf|zed|jetbrains \w+|idea|pycharm|webstorm|clion|goland|rider|"
    r"android studio|eclipse|emacs|kate|kdevelop|gnome builder|sublime text|geany|theia|positron|rstudio|spyder)\b"
)
_BROWSERS = re.compile(
    r"\b(chrom(e|ium)|firefox|navigator|mozilla|librewolf|brave|opera|vivaldi|microsoft edge|msedge|safari|epiphany|"
    r"falkon|midori|qutebrowser|konqueror|min|waterfox|iceweasel|tor browser|surf)\b"
)
_FILE_MANAGERS = re.compile(
    r"\b(nautilus|thunar|dolphin|pcmanfm|pcmanfm qt|caja|nemo|konqueror|krusader|doublecmd|spacefm|rox filer|"
    r"explorer|finder|pantheon files|org\.gnome\.files|files|xfdesktop|double commander|mc)\b"
)
_REMOTE_VIEWERS = re.compile(
    r"\b(virt viewer|remote viewer|virt manager|virtual machine manager|virtualbox\w*|virtual box|vboxsdl|vmware\w*|"
    r"vmplayer|remmina|x?freerdp\d?|wlfreerdp|rdesktop|mstsc|remote desktop\w*|vncviewer|xtightvncviewer|tigervnc\w*|"
    r"realvnc|vinagre|krdc|spicy|spice gtk|gnome boxes|org\.gnome\.boxes|org\.gnome\.connections|gnome connections|"
    r"connections|qemu\w*|x2goclient|nxplayer|nomachine|anydesk|teamviewer|rustdesk|parsec|"
    r"looking glass|gvncviewer|turbovnc|ssvnc\w*|wlvncc|"
    # Servers and compositors in a window of another, and what shows their windows (Debian's xserver-xephyr, xnest,
    # xwayland, xpra, weston, and the windows of wlroots).
    r"xephyr|xnest|xwayland|xpra|nxagent|weston\w*|wlroots)\b"
)
# Pages that hold a shell or a remote screen, by what their titles and addresses say.
_WEB_TERMINAL_TITLES = re.compile(
    r"\b(ttyd|shell ?in ?a ?box|shellinabox|wetty|gotty|butterfly terminal|cloud ?shell|cloudshell|web ?terminal|"
    r"web ?ssh|webssh2|code server terminal|hterm|secure shell app)\b"
)
_WEB_VIEWER_TITLES = re.compile(r"\b(no ?vnc|guacamole|kasm(vnc| workspaces)?|webvnc|proxmox console|spice html5)\b")
_WEB_TERMINAL_ADDRESSES = re.compile(
    r"^\w+://(shell\.cloud\.google\.|ssh\.cloud\.google\.|shell\.azure\.|[^/]*cloudshell\.)|/terminals?/\d*(?:$|[/?#])|"
    r"/(ttyd|wetty|gotty|shellinabox|webssh|cloudshell|terminal|xterm|ssh/host)(?:$|[/?#])|:7681(?:$|[/?#])"
)
_WEB_VIEWER_ADDRESSES = re.compile(
    r"/(vnc(_lite|_auto)?\.html|novnc|guacamole|kasmvnc)(?:$|[/?#])|[?&]console=(kvm|lxc|shell)"
)
_WEB_EDITOR_ADDRESSES = re.compile(r"^\w+://([^/]*\.(github|gitpod)\.(dev|io)|github\.dev|vscode\.dev|idx\.google\.)")
_TERMINAL_INPUT = re.compile(
    r"\bterminal (input|\d+)|^terminal\b.{0,40}\b(bash|zsh|fish|sh|pwsh|powershell|cmd)\b|\bxterm\b|"
    # Cells of notebooks, and consoles of databases and of servers: what is submitted there is run.
    r"^(code cell|code|(command|shell|sql|repl|console|script|powershell|bash|python|redis|mongo|psql|mysql|rcon)"
    r"( (line|input|console|command|query|editor|prompt|shell|cell))*)$"
)
# The prompt that names a cell of a notebook: “In [12]:”.
_CELL_PROMPT = re.compile(r"^\W*(?:in|code)? ?\[[\d* ]*\]\W*$", re.IGNORECASE)
_NOTEBOOKS = re.compile(
    r"\.ipynb\b|\b(?:jupyter(?:lab)?|colab(?:oratory)?|kaggle|zeppelin|databricks|sagemaker|deepnote)\b"
)
_MAIL = re.compile(
    r"\b(thunderbird|evolution|geary|kmail2?|mailspring|outlook|gmail|proton ?mail|claws mail|sylpheed|betterbird|"
    r"roundcube|webmail|fastmail|tutanota|zimbra|horde|mutt|yahoo mail|gmx|trojita|mail|correo|correio|poczta|"
    r"почта|пошта|courriel|posta|eposta)\b|メール|邮件|邮箱|郵件|메일|البريد"
)
_CHATS = re.compile(
    r"\b(slack|discord|telegram( ?desktop)?|whatsapp|signal|element|teams|skype|messenger|messages|zoom|mattermost|"
    r"rocket ?chat|hexchat|pidgin|wechat|viber|mastodon|twitter|tweetdeck|x\.com|reddit|facebook|instagram|linkedin|"
    r"weixin|google chat|jitsi|zulip|irc|matrix|fractal|dino|gajim|polari|konversation|chatty|bluesky|threads|chat|"
    r"line|kakaotalk|телеграмм?|вотсап|ватсап|ваибер|месенджер|мессенджер)\b|"
    r"카카오톡|텔레그램|왓츠앱|메신저|微信|企业微信|钉钉|釘釘|飞书|メッセンジャー|واتساب|تيليجرام|تلغرام"
)
_MONEY = re.compile(
    r"\b(bank\w*|\w*bank|banking|sparkasse|volksbank|banque|banco|banca|paypal|wise|revolut|stripe|klarna|venmo|checkout|"
    r"payment\w*|billing|transfer\w*|bonifico|overboeking|afrekenen|betaling\w*|kasse|caisse|caja|pagamento|pagos?|platba|"
    r"odeme|havale|paiement|kassa|przelew\w*|uberweisung|virement|transferencia|zahlung|paiement|pago|platnosc\w*|"
    r"банк\w*|сбербанк|платеж\w*|оплата|перевод|wallet|coinbase|binance|kraken|metamask|gnucash|electrum)\b|"
    r"银行|銀行|付款|支付|转账|轉帳|振込|支払|은행|결제|송금|بنك|الدفع"
)
_SHOPS = re.compile(
    r"\b(shop|store|cart|basket|warenkorb|panier|carrito|koszyk|amazon|ebay|allegro|etsy|aliexpress|zalando|booking|"
    r"airbnb|ticket\w*|order|bestellung|commande|pedido|zamowienie|корзина|заказ)\b|购物|購物|カート|注文|장바구니|주문"
)
_STORES = re.compile(
    r"\b(gnome software|org\.gnome\.software|plasma discover|discover|snap store|software center|software centre|"
    r"ubuntu software|app center|pamac\w*|octopi|synaptic\w*|mintinstall|appstore|app store|microsoft store|muon|"
    r"bazaar|warehouse|chrome web store|add ons for firefox|package manager|software updat\w*|app installer|"
    r"paketverwaltung|softwareaktualisierung|gestionnaire de paquets|logitheque|gestor de paquetes|gestore pacchetti|"
    r"menedzer pakietow|gerenciador de pacotes|pakketbeheer|менеджер пакетов|диспетчер пакетов|spravce balicku|"
    r"paket yoneticisi|aktualizacja oprogramowania|mise a jour logicielle|aggiornamento software)\b|"
    r"软件包|软件商店|应用商店|パッケージマネージャ|ソフトウェアの更新|패키지 관리자|앱 스토어|مدير الحزم"
)
_IMAGE_VIEWERS = re.compile(
    r"\b(eog|eye of gnome|org\.gnome\.eog|loupe|org\.gnome\.loupe|gwenview|ristretto|gpicview|lximage\w*|nomacs|qview|"
    r"xviewer|feh|sxiv|nsxiv|geeqie|gthumb|shotwell|digikam|darktable|f ?spot|gnome photos|koko|image viewer|photos|"
    r"eom|viewnior|imv|phototonic|showfoto|swayimg)\b"
)
_SYSTEM_TOOLS = re.compile(
    r"\b(gnome control center|org\.gnome\.settings|systemsettings|system settings|system preferences|xfce4 settings\w*|"
    r"xfce4 settings manager|unity control center|cinnamon settings|mate control center|lxqt config|lxappearance|"
    r"control panel|control\.exe|gparted|gnome disks|disk utility|users admin|users and groups|regedit|"
    r"registry editor|device manager|task manager|services\.msc|timeshift|ustawienia systemu|systemeinstellungen|"
    r"nm connection editor|network connections|system config printer|lightdm gtk greeter settings|xfce4 session logout|"
    r"users|user accounts|users groups|date time|network|partitions|services|disks|printers|bluetooth|firmware|"
    r"lxsession logout|lxqt leave|mate session save|cinnamon session quit|wlogout)\b"
)
_SECURITY_TOOLS = re.compile(
    r"\b(seahorse|passwords and keys|keepass\w*|bitwarden|1password|kwalletmanager\w*|gnome keyring|gcr prompter|"
    r"polkit\w*|pkexec|authentication required|authenticate|lxqt sudo|gksu|kdesu|uac|user account control|"
    r"firewall|virenschutz|antivirus|virus threat protection|pare feu|zapora|брандмауэр|"
    r"firewall config|gufw|firewalld|windows security|"
    r"windows defender\w*|virus|kleopatra|gpa|ssh askpass|pinentry\w*)\b"
)
_PLAYERS = re.compile(
    r"player|\b(music|vlc|mpv|totem|rhythmbox|spotify|musik|musique|musica|muzyka|hudba|muziek|muzik|podcasts?|radio|"
    r"lecteur|reproductor|lettore|reprodutor|speler|odtwarzacz|prehravac|oynatici|музыка|музика|плеер|плеєр|"
    r"проигрыватель|програвач|мултимедиа)\b|音乐|播放器|音楽|プレーヤー|음악|플레이어|مشغل|موسيقي|الموسيقي"
)
_CALCULATORS = re.compile(
    r"\b(calculat\w*|kcalc|qalculate\w*|taschenrechner|rechner|calculatrice|calculette|calculadora|calcolatrice|kalkulator|"
    r"rekenmachine|kalkulacka|hesap makinesi|калькулятор)\b|计算器|計算機|電卓|계산기|حاسبه"
)
_TIMERS = re.compile(
    r"(?:stop ?watch|timers?|stoppuhr|kurzzeitwecker|eieruhr|kuchenwecker|chronometre|chrono|minuteur|minuterie|"
    r"cronometro|temporizador|timer da cucina|contaminuti|temporizzatore|kookwekker|minutnik|stoper|stopky|casovac|"
    r"minutka|kronometre|zamanlayici|geri sayim|секундомер|таимер|секундом[иі]р|pomodoro|秒表|计时器|倒计时|"
    r"ストップウォッチ|タイマー|스톱워치|타이머|الم[ؤو]قت|م[ؤو]قت|ساع[ةه] ال[إا]يقاف)"
)
_DATING = re.compile(
    r"\b(?:dating|tinder|bumble|hinge|okcupid|badoo|grindr|singles?|partnersuche|rencontres?|citas|incontri|randki|"
    r"encontros|namoro|relatiesite|знакомств\w*|seznamka|seznameni|tanisma\w*)\b|"
    r"만남|소개팅|交友|相亲|相親|マッチング|婚活|恋活|مواعده|تعارف"
)
_SHEETS = re.compile(
    r"\b(calc|excel|gnumeric|spreadsheets?|sheets?|tabelle\w*|tabellenkalkulation|tableur|feuille de calcul|"
    r"hoja de calculo|foglio di calcolo|arkusz\w*|planilha|folha de calculo|rekenblad|"
    r"таблиц\w+|tabulka|hesap tablosu)\b|\.(xlsx?|ods|csv)\b|电子表格|表格|スプレッドシート|스프레드시트|جدول بيانات"
)
_PORTAL = re.compile(r"\b(?:xdg desktop portal|portal[. ]desktop)\b")  # what shows dialogs for other programs
_FILE_TRANSFERS = re.compile(r"\b(?:sftp|ftps?|webdavs?|scp|s3)://|\b(?:filezilla|winscp|cyberduck|file transfer)\b")
_CHANNEL = re.compile(r"^[\s*•●(\d)]*[#@][^\W\d_]")  # a title such as "#help - Chat"
_PROMPT = re.compile(
    r"(?:^|\s|\[)[\w.\-]+@[\w.\-]+[: ][~/]?[^\s$#%>]{0,60}\]?\s?[#$%>]|\bPS [A-Z]:\\[^>]{0,80}>|^[$#] "
)
_CONSOLES = re.compile(
    r"\b(web|serial|vnc|kvm|server|recovery|rescue)? ?(console|konsole|webkonsole|terminal|consola|terminale|konsola|"
    r"konzole|konsol|uc?birim|консоль|терминал|термінал|console web|consola web)|"
    r"控制台|终端|終端機|コンソール|端末|ターミナル|콘솔|터미널|"
    r"وحده التحكم|طرفيه"
)
_THIS_CONSOLE = re.compile(r"operator[\s_.\-]*console|ocsession")
# The last part of a file manager's title, in the languages of the word tables.
_FILE_MANAGER_TITLES = re.compile(
    r"\b(files|file manager|file browser|dolphin|thunar|nautilus|nemo|caja|pcmanfm|krusader|konqueror|dateien|"
    r"dateimanager|fichiers|gestionnaire de fichiers|archivos|pliki|menedzer plikow|фаилы|фаили|bestanden|arquivos|"
    r"explorateur|explorador|verkenner|dateiverwaltung|проводник|провідник|"
    r"pruzkumnik|dosya gezgini|esplora file|gestor de archivos|gerenciador de arquivos|bestandsbeheer|"
    r"ficheiros|soubory|dosyalar|file|gestore file)\b|ファイル|文件|파일|الملفات"
)
_TITLE_PARTS = re.compile(r"\s[-–—]\s|[|·•:()]")
_MOST_WORDS_OF_A_NAME = 2
_LONGEST_NAME = 500  # characters of a name, title or address that are looked at
_SHELL_TITLE = re.compile(r"^[\w.\-]+@[\w.\-]+:\s?[~/]")


def is_terminal(app: str, title: str) -> bool:
    """Whether it is a terminal emulator or a run dialog, or its title is a shell prompt."""
    name = _folded(app)
    # Application IDs are reverse domain names: org.gnome.Ptyxis, com.mitchellh.ghostty.
    names = {name, name.removeprefix("org "), name.rpartition(".")[2]}
    return bool(names & _TERMINALS) or bool(_NAMED_TERMINAL.search(name)) or bool(_SHELL_TITLE.match(title.strip()))


def pastes_by_right_click(app: str) -> bool:
    """Whether it is a terminal in which a right click pastes instead of opening a menu."""
    return _folded(app) in _PASTE_BY_RIGHT_CLICK


def is_code_editor(app: str) -> bool:
    """Whether it is a code editor, which may contain a terminal."""
    return bool(_CODE_EDITORS.search(_folded(app)))


def is_browser(app: str) -> bool:
    """Whether it is a web browser."""
    return bool(_BROWSERS.search(_folded(app)))


def is_dialog_of_browser(app: str, title: str, *, page: str) -> bool:
    """Whether a browser's window that stands over that of a page is a dialog of it: its title does not end in the name
    of the browser, as the title of that does."""
    return is_browser(app) and bool(title) and _last_part(title) != _last_part(page)


def is_file_manager(app: str, title: str = "") -> bool:
    """Whether it is a file manager or the desktop icons, by its name or the end of its title."""
    if _FILE_MANAGERS.search(_folded(app)):
        return True
    return not is_browser(app) and bool(_FILE_MANAGER_TITLES.fullmatch(_last_part(title)))


def is_portal(app: str) -> bool:
    """Whether it is the desktop's own process that shows choosers of files for other programs (XDG Desktop Portal)."""
    return bool(_PORTAL.search(_folded(app)))


def is_mail(app: str, title: str, url: str = "") -> bool:
    """Whether it is mail, as an application or as a page in a browser."""
    return _application_or_page(_MAIL, app, title, url)


def is_chat(app: str, title: str, url: str = "") -> bool:
    """Whether it is chat or a social network, where Enter sends, as an application or as a page in a browser."""
    channel = not is_browser(app) or bool(re.search(r"\s[-–—|]\s", title))
    return (channel and bool(_CHANNEL.match(title))) or _application_or_page(_CHATS, app, title, url)


def is_messenger(app: str, title: str, url: str = "") -> bool:
    """Whether it is mail, chat or a social network."""
    return is_mail(app, title, url) or is_chat(app, title, url)


def is_player(app: str, title: str) -> bool:
    """Whether it plays music or videos."""
    return bool(_PLAYERS.search(_folded(app)) or _PLAYERS.search(_folded(title)))


def is_calculator(app: str, title: str) -> bool:
    """Whether it is a calculator, whose buttons only calculate."""
    return bool(_CALCULATORS.search(_folded(app)) or _CALCULATORS.fullmatch(_folded(title)))


def is_timer(app: str, title: str) -> bool:
    """Whether it measures or counts down time, by all of its name or the first part of its title."""
    first = re.split(r"\s[-–—|]\s", title, maxsplit=1)[0]
    return any(_TIMERS.fullmatch(_folded(name).strip()) for name in (app, first))


def is_dating(app: str, title: str) -> bool:
    """Whether people are met there, who are told whom somebody likes."""
    return bool(_DATING.search(_folded(app)) or _DATING.search(_folded(title)))


def is_sheet(app: str, title: str) -> bool:
    """Whether it is a spreadsheet, in which the Delete key clears cells."""
    return bool(_SHEETS.search(_folded(app)) or _SHEETS.search(_folded(title)))


def is_file_transfer(app: str, title: str) -> bool:
    """Whether it moves files to another machine."""
    named = f"{app} {title}"[:_LONGEST_NAME].lower()
    return bool(_FILE_TRANSFERS.search(named))


def shows_prompt(text: str) -> bool:
    """Whether the text ends or begins as a shell's prompt does: “root@web-1:~#”."""
    return bool(_PROMPT.search(text[-_LONGEST_NAME:]))


def names_console(title: str) -> bool:
    """Whether a part of a page's title is the word for a machine's console and nothing else."""
    parts = (_folded(part) for part in _TITLE_PARTS.split(title[:_LONGEST_NAME]))
    return any(_CONSOLES.fullmatch(part) for part in parts)


def names_money(text: str) -> bool:
    """Whether a title or a question speaks of moving money."""
    return bool(_MONEY.search(_folded(text)))


def is_money_place(app: str, title: str, url: str) -> bool:
    """Whether money may be moved there: a bank, a wallet, the payment step of a shop."""
    return _application_or_page(_MONEY, app, title) or bool(_MONEY.search(_folded(_spoken(url))))


def is_shop(app: str, title: str, url: str) -> bool:
    """Whether it is a shop, as a page in a browser."""
    return is_browser(app) and bool(_SHOPS.search(_folded(title)) or _SHOPS.search(_folded(_spoken(url))))


def is_software_store(app: str, title: str) -> bool:
    """Whether programs or extensions are installed there."""
    return _application_or_page(_STORES, app, title)


def is_image_viewer(app: str, title: str = "") -> bool:
    """Whether it shows pictures of a folder, which its Delete key deletes."""
    return bool(_IMAGE_VIEWERS.search(_folded(app)) or _IMAGE_VIEWERS.fullmatch(_last_part(title)))


def is_remote_viewer(app: str, title: str, url: str) -> bool:
    """Whether it shows the screen of another machine, as an application or as a page in a browser."""
    if _REMOTE_VIEWERS.search(_folded(app)):
        return True
    return is_browser(app) and bool(
        _WEB_VIEWER_TITLES.search(_folded(title)) or _WEB_VIEWER_ADDRESSES.search(url[:_LONGEST_NAME].lower())
    )


def is_web_terminal(app: str, title: str, url: str) -> bool:
    """Whether it is a page in a browser that holds a shell."""
    found = _WEB_TERMINAL_TITLES.search(_folded(title)) or _WEB_TERMINAL_ADDRESSES.search(url[:_LONGEST_NAME].lower())
    return is_browser(app) and (bool(found) or bool(_SHELL_TITLE.match(title.strip())))


def is_web_editor(url: str) -> bool:
    """Whether the address is that of a code editor in a browser, which may contain a terminal."""
    return bool(_WEB_EDITOR_ADDRESSES.search(url[:_LONGEST_NAME].lower()))


def names_terminal_input(text: str) -> bool:
    """Whether it is the accessible name of a terminal's input inside another application."""
    return bool(_TERMINAL_INPUT.search(_folded(text)))


def is_notebook_cell(title: str, names: tuple[str, ...]) -> bool:
    """Whether a field with several lines and these names is a cell of a notebook, which runs what is in it."""
    if any(_CELL_PROMPT.match(name) for name in names):
        return True
    return bool(_NOTEBOOKS.search(title[:_LONGEST_NAME].lower()))


def _application_or_page(kind: re.Pattern[str], app: str, title: str, url: str = "") -> bool:
    """Whether the application is of the kind, or a part of the page's title or its host names one."""
    if kind.search(_folded(app)):
        return True
    parts = [_folded(part) for part in _TITLE_PARTS.split(title[:_LONGEST_NAME])]
    if not is_browser(app):
        parts = parts[-1:]  # "document - application"
    # A part may hold one more word: "Microsoft Teams", "Team chat". "How to write mail" is no mail page.
    named = any(kind.search(part) and len(part.split()) <= _MOST_WORDS_OF_A_NAME for part in parts)
    if not is_browser(app):
        return named
    return named or bool(kind.search(_folded(_spoken("/".join(url.split("/")[:3])))))


def _last_part(title: str) -> str:
    parts = _TITLE_PARTS.split(title[:_LONGEST_NAME])
    return _folded(parts[-1]) if len(parts) > 1 else ""


@functools.lru_cache(maxsize=1024)
def _folded(text: str) -> str:
    return fold(text[:_LONGEST_NAME])


def _spoken(url: str) -> str:
    """Host and path of an address as words."""
    return re.sub(r"[./\-_]+", " ", url.partition("?")[0].partition("#")[0])[:500]


def is_system_tool(app: str, title: str) -> bool:
    """Whether it changes settings of the system, its users, disks or services."""
    if _SYSTEM_TOOLS.search(_folded(app)):
        return True
    # A page may have any title.
    return not is_browser(app) and bool(_SYSTEM_TOOLS.fullmatch(_folded(title)))


def is_security_tool(app: str, title: str) -> bool:
    """Whether it manages keys, passwords or firewalls, or is a permission prompt."""
    if _SECURITY_TOOLS.search(_folded(app)):
        return True
    # A page may have any title.
    return not is_browser(app) and bool(_SECURITY_TOOLS.fullmatch(_folded(title)))


def names_this_console(text: str) -> bool:
    """Whether a command, path or window name refers to this program or its session files."""
    return bool(_THIS_CONSOLE.search(text.casefold()))


def is_dialog_title(title: str, app: str) -> bool:
    """Whether the title can be a question: not "document - application", or the title of a page in a browser."""
    return is_browser(app) or not re.search(r"\s[-–—]\s", title)
