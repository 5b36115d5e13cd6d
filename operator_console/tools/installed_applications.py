"""Finds applications by name, and their command lines, from the desktop entries on this computer.

Sources: Desktop Entry Specification 1.5 (keys, field codes of Exec) and MIME Applications 1.0 (defaults). pyxdg parses
the entries. Folders are searched here, because they depend on the given environment; and so are defaults, which pyxdg
does not read.

What appeared or changed since a given time is left out: a session must not start what it wrote. A file's change time
(st_ctime) tells; unlike the modification time, programs cannot set it, and renaming changes it too.
"""

from __future__ import annotations

import configparser
import difflib
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdg.DesktopEntry import DesktopEntry
from xdg.Exceptions import Error as XdgError

from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode

MOST_SIMILAR_NAMES = 3
_DEFAULTS = "Default Applications"
_TERMINAL = "x-terminal-emulator"
_BROWSERS = ("x-www-browser", "sensible-browser")


class NoSuchApplication(LookupError):
    """There is no such application. `text` lists similar names."""

    def __init__(self, text: NoticeText) -> None:
        super().__init__(text)
        self.text = text


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An application.

    Attributes:
        name: Its name for people.
        words: The words of its Exec key, with field codes.
        terminal: Whether it runs in a terminal.
        window_class: The class of its windows; "" if unknown.
    """

    name: str
    words: tuple[str, ...]
    terminal: bool = False
    window_class: str = ""

    def window_names(self) -> frozenset[str]:
        """Classes that its windows may have, in lower case; empty for programs in a terminal."""
        program = shutil.which(self.words[0]) or self.words[0]
        paths = (self.words[0], program, os.path.realpath(program))
        names = {self.window_class, self.name, *(Path(path).name for path in paths)}
        return frozenset(name.casefold() for name in names if name) if not self.terminal else frozenset()

    def command(self, url: str = "") -> tuple[str, ...]:
        """The argument list, with the URL at its field code or at the end."""
        made: list[str] = [_TERMINAL, "-e"] if self.terminal else []
        placed = not url
        for word in self.words:
            if word in {"%u", "%U", "%f", "%F"}:
                made += [url] if url and not placed else []
                placed = True
            elif word == "%c":
                made.append(self.name)
            elif not (len(word) == 2 and word.startswith("%") and word != "%%"):
                made.append(word.replace("%%", "%"))
        return (*made, *(() if placed else (url,)))


class Applications:
    """The applications in an environment. Files are read at each call.

    Args:
        environment: Supplies XDG_DATA_HOME, XDG_DATA_DIRS, XDG_CONFIG_HOME, HOME and PATH.
        installed_by_ns: time.time_ns() by which an application must have been installed; None: any time.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, installed_by_ns: int | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._installed_by_ns = installed_by_ns

    def find(self, wanted: str) -> Application:
        """Find an application by its name, file name or program, or a program on PATH, ignoring case.

        Raises:
            NoSuchApplication: There is none with this name that was installed in time.
        """
        name = " ".join(wanted.split()).casefold()
        known = self._known(self._installed_by_ns)
        if name in known:
            return known[name]
        program = wanted.strip()
        if program and "/" not in program and self._which(program):
            return Application(name=program, words=(program,))
        if self._installed_by_ns is not None and name in self._known(None):
            raise NoSuchApplication(notice(NoticeCode.NOT_INSTALLED_WHEN_SESSION_BEGAN, name=program))
        near = difflib.get_close_matches(name, known, n=MOST_SIMILAR_NAMES, cutoff=0.5)
        hint = notice(NoticeCode.SIMILAR_APPLICATIONS, names=", ".join(near)) if near else ""
        raise NoSuchApplication(joined(notice(NoticeCode.NO_SUCH_APPLICATION, name=program), hint))

    def names(self) -> tuple[str, ...]:
        """The names of all of them for people, each once, in alphabetical order."""
        entries = self._entries(self._installed_by_ns)
        return tuple(sorted({application.name for _, application in entries}, key=str.casefold))

    def browser(self) -> Application:
        """The default browser. Raises NoSuchApplication."""
        entries = dict(self._entries(self._installed_by_ns))
        for wanted in self._defaults("x-scheme-handler/https", "x-scheme-handler/http", "text/html"):
            application = entries.get(wanted.removesuffix(".desktop").casefold())
            if application is not None:
                return application
        for program in _BROWSERS:
            if self._which(program):
                return Application(name="the browser", words=(program,))
        raise NoSuchApplication(notice(NoticeCode.NO_BROWSER_INSTALLED))

    def changed(self, command: Sequence[str]) -> str:
        """The first program or file of a command that appeared or changed since `installed_by_ns`; "" if none did."""
        if self._installed_by_ns is None:
            return ""
        program = self._which(command[0])
        files = [*([Path(program)] if program else []), *(Path(word) for word in command[1:] if word.startswith("/"))]
        return next((str(file) for file in files if _changed(file, self._installed_by_ns)), "")

    def _known(self, installed_by_ns: int | None) -> dict[str, Application]:
        """The applications by their names, in lower case; the first of a name is the one that is meant."""
        entries = list(self._entries(installed_by_ns))
        # The last part of the file name ("mousepad" in "org.xfce.mousepad") and the program are names in use, too.
        aliases: tuple[Callable[[str, Application], str], ...] = (
            lambda _, application: application.name.casefold(),
            lambda key, _: key,
            lambda key, _: key.rpartition(".")[2],
            lambda _, application: Path(application.words[0]).name.casefold(),
        )
        known: dict[str, Application] = {}
        for alias in aliases:
            for key, application in entries:
                known.setdefault(alias(key, application), application)
        return known

    def _entries(self, installed_by_ns: int | None) -> Iterator[tuple[str, Application]]:
        """File names without suffix, in lower case, with their applications; those of the user first."""
        for folder in self._data_folders():
            for file in sorted((folder / "applications").glob("*.desktop")):
                if installed_by_ns is not None and _changed(file, installed_by_ns):
                    continue
                application = self._read(file)
                if application is not None:
                    yield file.stem.casefold(), application

    def _read(self, file: Path) -> Application | None:
        try:
            entry = DesktopEntry(str(file))
            words = tuple(shlex.split(entry.getExec()))
        except (OSError, XdgError, ValueError):
            return None  # invalid entries are ignored
        hidden = entry.getHidden() or entry.getType() not in {"", "Application"}
        if hidden or not words or not self._which(entry.getTryExec() or words[0]):
            return None
        # The name without localisation, which models know.
        name = entry.get("Name", locale=False) or file.stem
        return Application(name=name, words=words, terminal=entry.getTerminal(), window_class=entry.getStartupWMClass())

    def _defaults(self, *types: str) -> Iterator[str]:
        home = Path(self._environment.get("HOME", "/"))
        config = Path(self._environment.get("XDG_CONFIG_HOME") or home / ".config")
        for folder in (config, *(data / "applications" for data in self._data_folders())):
            parser = configparser.RawConfigParser(strict=False, delimiters=("=",))
            if self._installed_by_ns is not None and _changed(folder / "mimeapps.list", self._installed_by_ns):
                continue
            try:
                parser.read(folder / "mimeapps.list", encoding="utf-8")
            except (configparser.Error, UnicodeDecodeError):
                continue
            for kind in types:
                if parser.has_option(_DEFAULTS, kind):
                    yield from (each for each in parser.get(_DEFAULTS, kind).split(";") if each)

    def _data_folders(self) -> list[Path]:
        home = Path(self._environment.get("HOME", "/"))
        own = self._environment.get("XDG_DATA_HOME") or str(home / ".local/share")
        shared = self._environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
        return [Path(folder) for folder in (own, *shared.split(":")) if folder]

    def _which(self, program: str) -> str | None:
        return shutil.which(program, path=self._environment.get("PATH"))


def _changed(file: Path, since_ns: int) -> bool:
    """Whether a file, or the link that leads to it, appeared or changed since then; False if there is none."""
    try:
        return max(file.lstat().st_ctime_ns, file.stat().st_ctime_ns) >= since_ns
    except OSError:
        return False
