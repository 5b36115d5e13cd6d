"""Recognises paths and contents that would change what starts, who may enter, or this console, when they are saved, and
assesses saving by the file that the title of an editor names.

What starts is told by the last part of a path, by its ending, or by a folder above it. Everything is lower case.
Sources: githooks(5), systemd.unit(5), crontab(5), bash(1), zsh(1), pam.d(5), sudoers(5), udev(7), ld.so(8), X(7), npm's
scripts.

Paths are resolved as text only: `~`, `$HOME`, `..`, repeated slashes, percent escapes and `file:` addresses. Nothing on
the disk is looked at, so a link that leads elsewhere is not seen.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser, names_this_console
from operator_console.policy.control_kinds import content_of, is_multi_line
from operator_console.policy.findings import Finding, PolicyContext, categorised, search
from operator_console.policy.web_addresses import percent_decoded

_LONGEST_PATH = 4_096
_HOME = re.compile(r"^(?:~[\w.\-]*|\$\{?HOME\}?|%userprofile%|/home/[^/]+|/root|/users/[^/]+)(?=$|/)", re.IGNORECASE)
_KEYS = re.compile(
    r"(?:^|/)\.?ssh/|(?:^|/)(?:authorized_keys2?|known_hosts|id_(?:rsa|dsa|ecdsa|ed25519)\w*|\.netrc|\.pgpass|\.git-credentials|"
    r"\.htpasswd|login data|logins\.json|key[34]\.db|cookies\.sqlite|shadow|sudoers)$|"
    r"(?:^|/)(?:\.gnupg|\.ssh|\.aws|\.kube|\.password-store|keyrings|\.docker|gcloud|sudoers\.d|\.pki)(?:/|$)|"
    r"\.(?:pem|kdbx|ppk|pfx|p12)$"
)
_SYSTEM = re.compile(r"^/(?:etc|boot|bin|sbin|lib\w*|dev|proc|sys|usr/(?:local/)?(?:s?bin|lib\w*))(?:/|$)")
_SETTINGS_OF_CONSOLE = re.compile(r"^[ \t]*(?:\[hotkeys\][ \t]*$|autonomy[ \t]*=[ \t]*[\"']auto)", re.MULTILINE)
_STARTS_PROGRAMS = re.compile(
    r"\[Desktop Entry\]|^[ \t]*Exec(?:Start|StartPre|StartPost|Stop|Reload|Condition)?=[^\s]|"
    r"^[ \t]*@(?:reboot|hourly|daily)[ \t]|"
    r"^[ \t]*(?=[^\n]{0,80}\*)(?:[*\d/,\-]{1,20}[ \t]{1,4}){5}[\w.~$]{0,40}/",
    re.MULTILINE,
)
# Lines of scripts and settings: what is fetched and run, loaded into every program, run by udev, packages, networks.
_RUNS = re.compile(
    r"\A\s*#![ \t]*/|\bLD_(?:PRELOAD|LIBRARY_PATH|AUDIT)=|\bRUN\+?=[\"']|\bProxyCommand[ \t]|\bPROMPT_COMMAND=|"
    r"[\"'](?:pre|post)?(?:install|publish|pack)[\"'][ \t]*:|\beval[ \t]+[\"']?[$`]|\b(?:ba|z|da)?sh[ \t]+-c[ \t]|"
    r"\b(?:curl|wget|fetch|iwr)\b[^\n|;]{0,200}\|[ \t]*(?:sudo[ \t]+)?(?:\w*sh|python\d?|perl|node)\b|"
    r"^[ \t]*(?:pre|post)-(?:up|down)[ \t]|^[ \t]*alias[ \t]+[\w.\-]+=|"
    r"\bExec(?:Start|Stop)?\w*=[^\s]|\bnc[ \t]+\S+[ \t]+\d{2,5}\b",
    re.MULTILINE,
)
_LETS_IN = re.compile(
    r"\bNOPASSWD\b|\bALL[ \t]*=[ \t]*\(|\bpam_permit\.so|\bPasswordAuthentication[ \t]+yes|"
    r"\bPermit(?:RootLogin|EmptyPasswords)[ \t]+(?:yes|without|prohibit)|\bStrictHostKeyChecking[ \t]+no",
    re.IGNORECASE,
)
_DESTROYS = re.compile(
    r"(?:^|[\s;&|(`\"'])(?:rm[ \t]+-\w*[rRf]\w*[ \t]|mkfs\.\w+[ \t]|dd[ \t]+if=|shred[ \t]+-|"
    r"rsync\b[^\n]{0,80} --delete)|"
    r"\b(?:shutil\.rmtree|os\.(?:remove|unlink|system|popen)|subprocess\.\w+|fs\.(?:rm|unlink)\w*)\(",
    re.MULTILINE,
)
_ACCESS_KEY = re.compile(
    r"(?:^|[\s\"'])(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-ssh-\S+)[ \t]+AAAA[\w+/=]{20,}"
)
_HARMLESS = re.compile(r"(?:~|/tmp|/var/tmp|/media|/mnt|/run/media|/dev/shm)(?=/|$)")
"""Folders of documents. What stands in the home folder and is not hidden, and folders for temporary files and removable
media (Filesystem Hierarchy Standard 3.0); settings, start-up files and programs of a user are in hidden folders (XDG
Base Directory Specification)."""
_HIDDEN = re.compile(r"(?:^|/)\.[^./][^/]*")
_LOOKS_LIKE_PATH = re.compile(r"^(?:~|\$\{?HOME|/|\.{1,2}/|file:|[\w.\-]+/|\.\w)", re.IGNORECASE)
_PROGRAM_FILE = re.compile(
    r"\.(desktop|sh|bash|run|bin|appimage|exe|msi|bat|cmd|ps1|jar|py|pl|rb|js|vbs|scr|com|deb|rpm|flatpakref|pkg)$",
    re.IGNORECASE,
)

# Within a line, only endings that are no ends of addresses.
_NAMED_PROGRAM = re.compile(
    r"\w\.(?:desktop|sh|run|bin|appimage|exe|msi|bat|cmd|ps1|jar|vbs|scr|deb|rpm|flatpakref|pkg|apk|dmg)(?=[\s,;)\]”»])",
    re.IGNORECASE,
)

_SHELL_FILES = frozenset((
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bash_functions", ".bash_env",
    ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".shrc", ".cshrc",
    ".tcshrc", ".login", ".logout", ".inputrc", ".envrc", ".direnvrc", ".bash_completion", "config.fish", "bashrc",
    "bash.bashrc", "zshrc", "zshenv", "zprofile", "zlogin", "csh.cshrc", "csh.login",
    "microsoft.powershell_profile.ps1", "config.nu", "env.nu", ".xonshrc", ".aliases", ".tmux.conf", "tmux.conf",
    ".screenrc",
))  # fmt: skip
_SESSION_FILES = frozenset((
    ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".xserverrc", ".xbindkeysrc", ".pam_environment",
    "xinitrc", "xsession", ".dmrc", "sxhkdrc", "mimeapps.list", "user-dirs.dirs", ".mailcap", ".forward",
    ".procmailrc", ".fetchmailrc",
))  # fmt: skip
_GIT_HOOKS = frozenset((
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
    "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive",
    "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
    "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist",
    "p4-post-changelist", "p4-pre-submit", "post-index-change",
))  # fmt: skip
_TOOL_FILES = frozenset((
    ".gitconfig", ".gitmodules", ".pre-commit-config.yaml", "lefthook.yml", ".lintstagedrc", ".npmrc", ".yarnrc",
    ".yarnrc.yml", ".pypirc", ".vimrc", ".gvimrc", ".exrc", "init.vim", "init.lua", ".emacs", "init.el",
    ".dir-locals.el", ".gdbinit", ".lldbinit", ".pythonrc", ".pythonrc.py", "sitecustomize.py", "usercustomize.py",
    "conftest.py", "setup.py", ".irbrc", ".rprofile", ".psqlrc", ".sqliterc", ".curlrc", ".wgetrc", "pip.conf",
    "pip.ini", ".condarc", ".gemrc", "bunfig.toml", "tasks.json", "launch.json", "devcontainer.json", "init.gradle",
    "policies.json", "user.js", "autoconfig.js", "mozilla.cfg", "autoexec.bat", "startup.nsh",
))  # fmt: skip
_BUILD_FILES = frozenset((
    "makefile", "gnumakefile", "justfile", "rakefile", "jenkinsfile", "vagrantfile", "procfile", "dockerfile",
    "containerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "gulpfile.js",
    "gruntfile.js", "taskfile.yml", "build.gradle", "build.gradle.kts", ".gitlab-ci.yml", ".travis.yml",
    ".drone.yml", ".woodpecker.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml",
    "cloudbuild.yaml", "buildspec.yml", "user-data", "cloud-init.yaml", "cloud-config.yaml", "playbook.yml",
    "site.yml",
))  # fmt: skip
_SYSTEM_FILES = frozenset((
    "cron.allow", "cron.deny", "at.allow", "at.deny", "crypttab", "rc.conf", "hosts", "hosts.allow", "hosts.deny",
    "resolv.conf", "nsswitch.conf", "ld.so.conf", "sysctl.conf", "limits.conf", "login.defs", "securetty", "passwd",
    "gshadow", "sudo.conf", "pam.conf", "common-auth", "common-account", "common-password", "common-session",
    "system-auth", "sshd_config", "ssh_config", "inetd.conf", "xinetd.conf", "grub.cfg", "40_custom",
    "mkinitcpio.conf", "logrotate.conf", "pacman.conf", "dnf.conf", "apt.conf", "wpa_supplicant.conf",
    "dhclient-exit-hooks", "nftables.conf", "iptables.rules", "rules.v4", "rules.v6", "ufw.conf", "smb.conf",
    "httpd.conf", "nginx.conf", ".htaccess", "my.cnf", "postgresql.conf", "pg_hba.conf", "named.conf",
    "dnsmasq.conf", "haproxy.cfg", "squid.conf", "main.cf", "master.cf", "monitrc", "supervisord.conf",
    "incron.allow", "loader.conf",
))  # fmt: skip
_JOBS = frozenset(("crontab", "anacrontab", "fstab", "inittab", "rc.local", "ld.so.preload", "sources.list"))
_NAMES = _SHELL_FILES | _SESSION_FILES | _GIT_HOOKS | _TOOL_FILES | _BUILD_FILES | _JOBS
_FOLDERS = frozenset((
    "autostart", "autostart-scripts", "environment.d", "init.d", "rc.d", "profile.d", "cron", "crons", "crontab",
    "crontabs", "xsession.d", "xinitrc.d", "pam.d", "polkit-1", "rules.d", "modprobe.d", "modules-load.d",
    "ld.so.conf.d", "sysctl.d", "tmpfiles.d", "sysusers.d", "binfmt.d", "dispatcher.d", "apt.conf.d",
    "sources.list.d", "logrotate.d", "grub.d", "update-motd.d", "bash_completion.d", "sudoers.d", "xinetd.d",
    "skel", ".husky", ".vscode", ".devcontainer", ".circleci", "nativemessaginghosts", "native-messaging-hosts",
    "dbus-1", "thumbnailers", "kservices5", "initramfs-tools", "if-up.d", "if-down.d", "network.d",
))  # fmt: skip
_FOLDER_PAIRS = frozenset((
    ("systemd", "user"), ("systemd", "system"), ("plasma-workspace", "env"), ("fish", "conf.d"), (".github",
    "workflows"), (".local", "bin"), ("~", "bin"), ("share", "applications"), ("share", "systemd"), ("openbox",
    "autostart"), ("openbox", "environment"), ("openbox", "rc.xml"), ("i3", "config"), ("sway", "config"), ("hypr",
    "hyprland.conf"), (".git", "config"), (".cargo", "config.toml"),
))  # fmt: skip
_ENDINGS = frozenset((
    ".desktop", ".service", ".timer", ".path", ".socket", ".mount", ".automount", ".target", ".rules", ".pkla",
    ".policy", ".nmconnection", ".netdev", ".thumbnailer", ".pth", ".reg", ".plist", ".crontab", ".cron", ".pol",
    ".hta", ".wsf", ".applescript", ".mobileconfig", ".ovpn",
))  # fmt: skip
_CRON_FOLDER = re.compile(r"cron\.\w+")


_DOCUMENTS = frozenset((".txt", ".md", ".rst", ".org", ".odt", ".tex", ".html", ".csv", ".rtf", ".docx", ".svg"))

_TITLE_PARTS = re.compile(r"\s[-–—:|·]\s")
_FOLDER = re.compile(r"\(([^()]{1,400})\)\s*$")
_UNSAVED = re.compile(r"^[\s*•●+]+|[\s*•●+]+$")
_LONGEST_TITLE = 500


def resolved(text: str) -> str:
    """The path that a text names, with the home folder as `~`; "" if it is no single path."""
    path = text.strip().strip("\"'`")
    if not path or len(path) > _LONGEST_PATH or "\n" in path:
        return ""
    if path[:5].lower() == "file:":
        path = percent_decoded(re.sub(r"^file:(?://(?:localhost)?)?", "", path, flags=re.IGNORECASE)) or "/"
    path = path.replace("\\ ", " ").replace("\\", "/") if "\\" in path else path
    path = posixpath.normpath(re.sub(r"/{2,}", "/", _HOME.sub("~", path)))
    # A path may leave the home folder and come back to it.
    return _HOME.sub("~", path)


def is_path(text: str) -> bool:
    """Whether the whole text reads as a path, wherever it is typed."""
    stripped = text.strip().strip("\"'`")
    return 0 < len(stripped) <= _LONGEST_PATH and "\n" not in stripped and bool(_LOOKS_LIKE_PATH.match(stripped))


def is_program_file(name: str) -> bool:
    """Whether a file with this name is started as a program when it is opened."""
    return bool(_PROGRAM_FILE.search(name))


def is_shell_script(name: str) -> bool:
    """Whether a file with this name holds lines that a shell runs."""
    return bool(re.search(r"\.(?:sh|bash|zsh|fish|bat|cmd|ps1|command)$", name, re.IGNORECASE))


def names_program_file(text: str) -> bool:
    """Whether a line of a list, such as “setup.exe - 24 MB - Finished”, names a file that is started as a program."""
    return is_program_file(text) or bool(_NAMED_PROGRAM.search(text))


def path_findings(text: str, own_folders: tuple[str, ...] = ()) -> Iterator[Finding]:
    """Findings for a path that a file dialog, an address bar or an editor is given.

    Args:
        text: the path, or a file name.
        own_folders: this console's folders, where they are not named after it.
    """
    path = resolved(text)
    if not path:
        return
    lower = path.lower()
    own = tuple(resolved(folder).lower() for folder in own_folders)
    if names_this_console(path) or any(folder and (lower + "/").startswith(folder + "/") for folder in own):
        yield categorised(Category.SECURITY, "names-this-console")
    if _KEYS.search(lower):
        yield categorised(Category.SECURITY, "path-of-keys", path)
    if runs_later(lower):
        yield categorised(Category.SECURITY, "path-of-startup", path)
    if _SYSTEM.search(lower):
        yield categorised(Category.SYSTEM, "system-file")


def written_findings(path: str, own_folders: tuple[str, ...] = ()) -> Iterator[Finding]:
    """Findings for a file that is written at a path; one without a folder is judged only by whether it is hidden."""
    if found := tuple(path_findings(path, own_folders)):
        yield from found
        return
    whole = resolved(path)
    if not whole or " " in whole.split("/", 1)[0]:
        return
    named = is_path(path) and whole.startswith(("/", "~"))
    if is_hidden(whole) or (named and not _HARMLESS.match(whole)):
        yield categorised(Category.SYSTEM, "outside-documents", whole)


def is_hidden(path: str) -> bool:
    """Whether the file, or a folder above it, is hidden."""
    return bool(_HIDDEN.search(path))


def file_content_findings(text: str) -> Iterator[Finding]:
    """Findings for a text that, saved in the right place, starts programs, lets somebody in or sets up this console."""
    if search(_SETTINGS_OF_CONSOLE, text):
        yield categorised(Category.SECURITY, "settings-of-console")
    if search(_STARTS_PROGRAMS, text):
        yield categorised(Category.SECURITY, "content-starts-programs")
    if search(_ACCESS_KEY, text):
        yield categorised(Category.SECURITY, "content-lets-in")


def script_content_findings(text: str) -> Iterator[Finding]:
    """Findings for lines of scripts and settings that would run something, destroy something or let somebody in."""
    if search(_RUNS, text):
        yield categorised(Category.SECURITY, "content-starts-programs")
    if search(_LETS_IN, text):
        yield categorised(Category.SECURITY, "content-lets-in")
    if search(_DESTROYS, text):
        yield categorised(Category.DELETE, "command-deletes")


def is_document(name: str) -> bool:
    """Whether a file with this name is read by people rather than run."""
    return posixpath.splitext(name.lower())[1] in _DOCUMENTS


def runs_later(path: str) -> bool:
    """Whether the system, a session or a tool runs or obeys a file with this resolved path later."""
    parts = path.lower().split("/")
    name = parts[-1]
    # In /etc they are known by their folder.
    if len(parts) == 1 and name in _SYSTEM_FILES:
        return True
    if name in _NAMES or posixpath.splitext(name)[1] in _ENDINGS:
        return True
    if any(part in _FOLDERS or _CRON_FOLDER.fullmatch(part) for part in parts):
        return True
    return any(
        (above, part) in _FOLDER_PAIRS or (part == "hooks" and above.endswith(".git"))
        for above, part in itertools.pairwise(parts)
    )


def saved_file_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for saving the file that the title names, whatever was typed into it."""
    if is_browser(context.app):
        return
    for name in named_files(context.title):
        judge = written_findings if "/" in name else path_findings
        yield from (found for found in judge(name, context.own_folders) if found.category is not None)
        if is_shell_script(name):
            yield categorised(Category.TERMINAL, "saves-script", name)
    control = context.control
    if is_multi_line(control) and not names_document(context.title):
        content = content_of(control)
        yield from file_content_findings(content)
        yield from script_content_findings(content)


def names_document(title: str) -> bool:
    """Whether a part of the title is the name of a text for people, in which a command is only told of."""
    return any(map(is_document, named_files(title)))


def named_files(title: str) -> Iterator[str]:
    """The names of files in the title of an editor, with their folder where it stands in parentheses: “*notes.txt
    (~/plans) - Editor”. Other parts of the title are among them."""
    for part in _TITLE_PARTS.split(title[:_LONGEST_TITLE]):
        folder = _FOLDER.search(part)
        name = _UNSAVED.sub("", part[: folder.start()] if folder else part).strip()
        if name:
            yield posixpath.join(folder.group(1), name) if folder else name
