"""Names of files that something runs or obeys later without being asked: hooks, jobs, units, profiles, rules.

Told by the last part of a path, by its ending, or by a folder above it. Everything is lower case. Sources: githooks(5),
systemd.unit(5), crontab(5), bash(1), zsh(1), pam.d(5), sudoers(5), udev(7), ld.so(8), X(7), npm's scripts.
"""

from __future__ import annotations

import itertools
import posixpath
import re

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
