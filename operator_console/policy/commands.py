"""Assesses command lines by the program names and options in them.

This is not a shell parser and not complete. Any command submitted in a terminal is at least `terminal` (C3) and
needs an answer; these rules add further categories and find those that must always be asked about (C4).
"""

from __future__ import annotations

import re

from operator_console.domain.decisions import SUBMITTED_COMMAND
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import names_this_console
from operator_console.policy.findings import WINDOW, Finding, categorised, search

_START = r"(?:^|[\s;&|(`'\"/\\]|\$\()"
_END = r"(?=$|[\s;&|)`'\"])"


def _command(words: str) -> re.Pattern[str]:
    return re.compile(_START + rf"(?:{words})" + _END)


_RULES: tuple[tuple[Category, str, re.Pattern[str]], ...] = (
    (Category.DELETE, "command-deletes", _command(
        r"rm|rmdir|unlink|shred|srm|trash(-put)?|del|erase|rd|remove-item|ri|truncate|git\s+(clean|rm|reset\s+--hard)|"
        r"docker\s+(rm|rmi|system\s+prune|volume\s+rm)|kubectl\s+delete|find\s.*-delete|drop\s+(table|database)|"
        r"gh\s+\w+\s+delete|aws\s.*\s(rm|delete\S*)")),
    (Category.SYSTEM, "command-changes-system", _command(
        r"shutdown|reboot|poweroff|halt|init\s+[06]|systemctl|service|launchctl|useradd|userdel|usermod|adduser|deluser|"
        r"groupadd|mkfs(\.\w+)?|fdisk|parted|dd|mount|umount|sysctl|modprobe|insmod|rmmod|crontab|at|nmcli|ip\s+link|"
        r"ifconfig|hostnamectl|timedatectl|localectl|gsettings|dconf|reg(\s+add|\s+delete)|sc|schtasks|net\s+user|"
        r"update-grub|grub-install|swapoff|xrandr|setxkbmap|loginctl|diskpart|format|bcdedit")),
    (Category.SECURITY, "command-changes-security",
        _command(
        r"chmod|chown|chgrp|chattr|setfacl|passwd|chpasswd|visudo|sudo|su|doas|pkexec|runas|ssh-keygen|ssh-add|"
        r"ssh-copy-id|gpg|gpg2|openssl|keytool|certutil|security|iptables|ip6tables|nft|ufw|firewall-cmd|netsh|"
        r"setenforce|semanage|aa-\w+|apparmor_parser|kill|pkill|killall|xkill|taskkill|stop-process|xdotool|ydotool|"
        r"xtest|secret-tool|pass|bw|op|set-executionpolicy|takeown|icacls|visudo|usermod\s.*sudo|gpasswd")),
    (Category.SECURITY, "command-touches-keys", re.compile(
        r"authorized_keys|\.ssh/|id_rsa|id_ed25519|\.gnupg|/etc/(passwd|shadow|sudoers)|\.netrc|\.aws/credentials|"
        r"\.kube/config|\.bashrc|\.zshrc|\.profile|\.bash_profile|autostart/|/proc/\S*/(mem|environ)|keyring")),
    (Category.DOWNLOAD_RUN, "command-downloads", _command(
        r"curl|wget|aria2c|axel|fetch|invoke-webrequest|iwr|invoke-expression|iex|start-bitstransfer|certutil\s+-urlcache|"
        r"git\s+clone|bash\s+<\(.*|sh\s+-c\s.*(curl|wget).*|npx|uvx|pipx\s+run|docker\s+run|docker\s+pull|eval|"
        r"base64\s+(-d|--decode|-di).*|mshta|rundll32|regsvr32")),
    (Category.INSTALL, "command-installs", _command(
        r"(apt|apt-get|aptitude|dnf|yum|zypper|pacman|apk|snap|flatpak|brew|port|choco|winget|scoop|nix-env|emerge|"
        r"pip|pip3|pipx|conda|mamba|uv|npm|pnpm|yarn|cargo|gem|go|cpan|luarocks|composer|dotnet)\s.*"
        r"(install|add|remove|uninstall|purge|upgrade|update|-s\S*|-r\S*|-u\S*|i|get|require|tool)|"
        r"dpkg\s+-[irP]|rpm\s+-[iUe]\S*|msiexec|make\s+install|setup\.py\s+install|installer")),
    (Category.UPLOAD, "command-uploads", _command(
        r"scp|sftp|ftp|rsync\s.*:.*|rclone|nc|ncat|netcat|socat|telnet|curl\s.*(-t|-d|-f|--data\S*|--upload-file|--form|"
        r"-x\s*(post|put)).*|git\s+push|gh\s+(gist|release)\s.*|aws\s+s3\s+(cp|sync).*|gsutil\s+cp.*|croc|wormhole|"
        r"twine\s+upload|npm\s+publish|docker\s+push|cargo\s+publish")),
    (Category.SEND, "command-sends", _command(
        r"mail|mailx|sendmail|mutt|neomutt|msmtp|swaks|write|wall|telegram-send|signal-cli")),
    (Category.LOGIN, "command-logs-in", _command(
        r"ssh|mosh|login|docker\s+login|npm\s+login|gh\s+auth|aws\s+configure|gcloud\s+auth|az\s+login|kinit|rlogin")),
)  # fmt: skip


_PROGRAMS = _command(
    r"ls|cd|pwd|cat|less|head|tail|echo|cp|mv|ln|mkdir|touch|grep|find|sed|awk|xargs|tee|tar|zip|unzip|make|cmake|ninja|"
    r"git|gh|svn|hg|python\d?(\.\d+)?|pip\d?|node|npm|npx|yarn|pnpm|deno|bun|cargo|rustc|go|java|javac|mvn|gradle|gcc|"
    r"g\+\+|clang|dotnet|ruby|gem|perl|php|composer|docker|podman|kubectl|helm|terraform|ansible\S*|aws|gcloud|az|env|"
    r"export|source|exec|nohup|time|watch|bash|sh|zsh|fish|pwsh|code|vi|vim|nano|top|htop|ps|jobs|fg|bg|man|which"
)
_SHELL_SIGNS = re.compile(r"^\s*(?:\./|~/|/\w|\$\s)|\s(?:&&|\|\||\||>>?)\s|\s--?[a-z]")


def looks_like_command(line: str) -> bool:
    """Whether a line reads as a shell command rather than as program text."""
    text = line.strip()[:WINDOW].casefold()
    if re.search(r"[=;{}]\s*$|^\w+\s*=\s|^(?:import|from|def|class|if|for|return|const|let|var)\b|\w\(", text):
        return False
    first = text.split(None, 1)[0] if text else ""
    known = _PROGRAMS.fullmatch(first) is not None or any(pattern.search(first) for _, _, pattern in _RULES)
    return known or bool(_SHELL_SIGNS.search(text))


def command_findings(command: str) -> tuple[Finding, ...]:
    """Findings for a command line, without `terminal`. Quoting, abbreviations and wrapper programs are not resolved."""
    folded = command.casefold().replace("\\\n", " ")
    # Quotes and backslashes can hide a program name (r""m, r\m), so the text without them is searched as well.
    plain = re.sub(r"(?<=\w)(?:['\"]{2}|\\)(?=\w)", "", folded)
    found = [
        categorised(category, rule)
        for category, rule, pattern in _RULES
        if search(pattern, folded) or search(pattern, plain)
    ]
    if len(command) > WINDOW:
        found.append(categorised(Category.SECURITY, "command-too-long"))
    if names_this_console(folded) or names_this_console(plain):
        found.insert(0, categorised(Category.SECURITY, "names-this-console"))
    return tuple(found)


def submission_findings(command: str, *, known: bool = True) -> tuple[Finding, ...]:
    """Findings for a command line submitted to a shell: `terminal`, and those of `command_findings`.

    Args:
        command: what was typed of it.
        known: whether that is the whole line. A line that history, completion or a paste may have changed, or of which
            nothing is known, is asked about whatever is allowed.
    """
    typed = command.strip()
    found = [categorised(Category.TERMINAL, SUBMITTED_COMMAND, typed)] if typed else []
    if not typed or not known:
        rule = "terminal-command-changed" if typed else "terminal-command-unknown"
        found.append(categorised(Category.TERMINAL, rule))
        found.append(Finding(risk=RiskClass.C3, rule="command-not-known"))
    return (*found, *command_findings(command))
