"""Recognises kinds of application by name, class and window title.

The kinds are terminals, code editors, browsers, file managers, mail and chat, system tools and security tools.
"""

from __future__ import annotations

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
    # Run dialogs: Enter starts a command line here too.
    "krunner", "xfce4 appfinder", "application finder", "gmrun", "rofi", "dmenu", "wofi", "bemenu", "fuzzel", "tofi",
    "ulauncher", "albert", "synapse", "kupfer", "run dialog",
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
_MESSENGERS = re.compile(
    r"\b(thunderbird|evolution|geary|kmail|mailspring|outlook|gmail|proton ?mail|claws mail|sylpheed|slack|discord|"
    r"telegram( ?desktop)?|whatsapp|signal|element|teams|skype|messenger|messages|zoom|mattermost|rocket ?chat|"
    r"hexchat|pidgin|wechat|viber|mastodon|twitter|tweetdeck|x\.com|reddit|facebook|instagram|linkedin|weixin)\b"
)
_SYSTEM_TOOLS = re.compile(
    r"\b(gnome control center|org\.gnome\.settings|systemsettings|system settings|system preferences|xfce4 settings\w*|"
    r"xfce4 settings manager|unity control center|cinnamon settings|mate control center|lxqt config|lxappearance|"
    r"control panel|control\.exe|gparted|gnome disks|disk utility|users admin|users and groups|regedit|"
    r"registry editor|device manager|task manager|services\.msc|timeshift|ustawienia systemu|systemeinstellungen)\b"
)
_SECURITY_TOOLS = re.compile(
    r"\b(seahorse|passwords and keys|keepass\w*|bitwarden|1password|kwalletmanager\w*|gnome keyring|gcr prompter|"
    r"polkit\w*|pkexec|authentication required|authenticate|lxqt sudo|gksu|kdesu|uac|user account control|"
    r"firewall config|gufw|firewalld|windows security|"
    r"windows defender\w*|virus|kleopatra|gpa|ssh askpass|pinentry\w*)\b"
)
_THIS_CONSOLE = re.compile(r"operator[\s_.\-]*console|ocsession")
_SHELL_TITLE = re.compile(r"^[\w.\-]+@[\w.\-]+:\s?[~/]")


def is_terminal(app: str, title: str) -> bool:
    """Whether it is a terminal emulator or a run dialog, or its title is a shell prompt."""
    name = fold(app)
    # Application IDs are reverse domain names: org.gnome.Ptyxis, com.mitchellh.ghostty.
    names = {name, name.removeprefix("org "), name.rpartition(".")[2]}
    return bool(names & _TERMINALS) or bool(_NAMED_TERMINAL.search(name)) or bool(_SHELL_TITLE.match(title.strip()))


def is_code_editor(app: str) -> bool:
    """Whether it is a code editor, which may contain a terminal."""
    return bool(_CODE_EDITORS.search(fold(app)))


def is_browser(app: str) -> bool:
    """Whether it is a web browser."""
    return bool(_BROWSERS.search(fold(app)))


def is_file_manager(app: str) -> bool:
    """Whether it is a file manager or the desktop icons."""
    return bool(_FILE_MANAGERS.search(fold(app)))


def is_messenger(app: str, title: str) -> bool:
    """Whether it is mail, chat or a social network, as an application or as a page in a browser."""
    return bool(_MESSENGERS.search(fold(app))) or (is_browser(app) and bool(_MESSENGERS.search(fold(title))))


def is_system_tool(app: str, title: str) -> bool:
    """Whether it changes settings of the system, its users, disks or services."""
    return bool(_SYSTEM_TOOLS.search(fold(app))) or bool(_SYSTEM_TOOLS.fullmatch(fold(title)))


def is_security_tool(app: str, title: str) -> bool:
    """Whether it manages keys, passwords or firewalls, or is a permission prompt."""
    return bool(_SECURITY_TOOLS.search(fold(app))) or bool(_SECURITY_TOOLS.fullmatch(fold(title)))


def names_this_console(text: str) -> bool:
    """Whether a command, path or window name refers to this program or its session files."""
    return bool(_THIS_CONSOLE.search(text.casefold()))


def is_dialog_title(title: str, app: str) -> bool:
    """Whether the title can be a question: not "document - application", or the title of a page in a browser."""
    return is_browser(app) or not re.search(r"\s[-–—]\s", title)
