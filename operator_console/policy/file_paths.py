"""Recognises paths and contents that would change what starts, who may enter, or this console, when they are saved.

Paths are resolved as text only: `~`, `$HOME`, `..`, repeated slashes, percent escapes and `file:` addresses. Nothing on
the disk is looked at, so a link that leads elsewhere is not seen.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.applications import names_this_console
from operator_console.policy.rules import Finding, categorised, search
from operator_console.policy.startup_files import runs_later
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
