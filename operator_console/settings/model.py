"""The settings with their types, defaults and limits. API keys are not settings."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, create_model, model_validator

from operator_console.domain.hotkeys import DEFAULT_HOTKEYS
from operator_console.domain.requests import DEFAULT_LEAD_TIME_S, DEFAULT_MAX_MINUTES, DEFAULT_MAX_STEPS
from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category
from operator_console.domain.tools import SandboxTool
from operator_console.loopback import is_loopback
from operator_console.settings.addresses import check_address, is_encrypted
from operator_console.settings.profiles import Profile, ProfileName
from operator_console.settings.section import Section

_NAMED = re.compile(r"<[a-z][a-z0-9_]*>")
_MODIFIERS = frozenset(("<ctrl>", "<alt>", "<shift>", "<cmd>", "<alt_gr>"))


def _hotkey(text: str) -> str:
    """Validate a chord in the notation of pynput: one or more modifiers and a key (`<ctrl>+<alt>+x`)."""
    lowered = text.strip().lower()
    body = f"{lowered[:-2]}+plus" if lowered.endswith("++") else lowered
    *modifiers, key = body.split("+")
    key = "+" if lowered.endswith("++") else key
    if not modifiers or any(part not in _MODIFIERS for part in modifiers):
        raise ValueError(f"begin with one or more of {', '.join(sorted(_MODIFIERS))}, joined by +")
    if key in _MODIFIERS or not (len(key) == 1 or _NAMED.fullmatch(key)):
        raise ValueError("end with one key: a character, or a name such as <enter> or <f12>")
    if len(set(modifiers)) != len(modifiers):
        raise ValueError("name each key once")
    return "+".join((*modifiers, key))


def _allowed(category: Category) -> Category:
    if category in ALWAYS_ASKED:
        raise ValueError(f"{category.value} always needs confirmation and cannot be allowed")
    return category


Hotkey = Annotated[str, AfterValidator(_hotkey)]
Allowed = Annotated[Category, AfterValidator(_allowed)]


class Hotkeys(Section):
    """Global hotkeys. `approve` works only while the card shows a question."""

    stop: Hotkey = DEFAULT_HOTKEYS.stop
    pause: Hotkey = DEFAULT_HOTKEYS.pause
    approve: Hotkey = DEFAULT_HOTKEYS.approve

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        chords = [frozenset(chord.split("+")) for chord in (self.stop, self.pause, self.approve)]
        if len(set(chords)) != len(chords):
            raise ValueError("stop, pause and approve must be three different chords")
        return self


class Theme(StrEnum):
    """Colour scheme of the window."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Contrast(StrEnum):
    """Contrast of the window."""

    SYSTEM = "system"
    NORMAL = "normal"
    HIGH = "high"


class Appearance(Section):
    """Appearance of the window, and whether the target of a session is framed on the real desktop.

    `text_size` multiplies the system's text size.
    """

    theme: Theme = Theme.SYSTEM
    contrast: Contrast = Contrast.SYSTEM
    text_size: Annotated[float, Field(ge=0.8, le=2)] = 1.0
    reduced_motion: bool = False
    loupe: bool = True
    target_frame: bool = True


class Timing(Section):
    """Times in seconds. The lead time is how long the target is shown before an action that needs no confirmation."""

    lead_time_app_s: Annotated[float, Field(ge=0, le=60)] = DEFAULT_LEAD_TIME_S
    lead_time_run_s: Annotated[float, Field(ge=0, le=60)] = 0.0
    typing_delay_s: Annotated[float, Field(ge=0, le=1)] = 0.0


class Paste(StrEnum):
    """Which texts are pasted from the clipboard instead of typed."""

    NEVER = "never"
    LONG = "long"


class Typing(Section):
    """How text is typed.

    With `paste = "long"`, long texts with more distinct characters than there are spare keys are pasted with Ctrl+V;
    never into terminals, and never secrets or personal data.
    """

    paste: Paste = Paste.NEVER


class Accessibility(Section):
    """The accessibility service, by which applications describe their controls.

    With `switch_on`, it is switched on while a session runs.
    """

    switch_on: bool = True


class SessionDefaults(Section):
    """Defaults for new sessions. `allow` applies only with autonomy auto."""

    target: str = "monitor:1"
    provider: str = ""
    model: str = ""
    profile: str = ""
    autonomy: Autonomy = Autonomy.GUARDED
    allow: tuple[Allowed, ...] = ()
    max_steps: Annotated[int, Field(ge=1)] = DEFAULT_MAX_STEPS
    max_minutes: Annotated[float, Field(gt=0)] = DEFAULT_MAX_MINUTES


def _function(path: str) -> str:
    """Validate the path of a Python function: package.module:function."""
    module, colon, name = path.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
        raise ValueError("write each as package.module:function")
    return path


class Functions(Section):
    """Python functions of the operator that the model may call. Each call needs confirmation."""

    enabled: tuple[Annotated[str, AfterValidator(_function)], ...] = ()
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0


_KEY_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_KEY_NAMES = re.compile(r"authorization|cookie|(?:^|[-_])(?:key|token|secret|password|credentials)$", re.IGNORECASE)


def key_references(text: str) -> tuple[str, ...]:
    """The keys that a value of an MCP server names, each as ${NAME}."""
    return tuple(_KEY_REFERENCE.findall(text))


def with_keys(text: str, keys: Mapping[str, str]) -> str:
    """The value with its keys in place of their names."""
    return _KEY_REFERENCE.sub(lambda found: keys[found[1]], text)


class McpServerOptions(Section):
    """An MCP server: a program on this computer (`command`), or a service (`url`, streamable HTTP).

    Values of `env` and `headers` may name keys as ${NAME}, which are read from the environment or else the keyring.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    tools: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    required: bool = False
    start_timeout_s: Annotated[float, Field(gt=0, le=600)] = 30.0
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give it either a command or a url")
        if self.url and (self.args or self.env or self.cwd):
            raise ValueError("args, env and cwd belong to a server with a command")
        if self.command and self.headers:
            raise ValueError("headers belong to a server with a url")
        for name, value in (*self.env.items(), *self.headers.items()):
            if _KEY_NAMES.search(name) and value and not key_references(value):
                raise ValueError(f"write the value of {name} as ${{NAME}}, and keep the key in the keyring")
        if self.url:
            self._check_address()
        return self

    def _check_address(self) -> None:
        check_address(self.url)
        named = any(key_references(value) for value in self.headers.values())
        if named and not is_encrypted(self.url) and not is_loopback(self.url):
            raise ValueError("a key would be sent unencrypted; use https")


def _server_name(name: str) -> str:
    if name == "none" or not re.fullmatch(r"[a-z][a-z0-9_]{0,23}", name):
        raise ValueError("name a server in lower-case letters, digits and underscores, at most 24")
    return name


ServerName = Annotated[str, AfterValidator(_server_name)]


class Mcp(Section):
    """MCP servers whose tools the model may call. Each call needs confirmation unless a server's `unasked` names it.

    `enabled` names those that new sessions use.
    """

    enabled: tuple[ServerName, ...] = ()
    servers: dict[ServerName, McpServerOptions] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> Self:
        if unknown := [name for name in self.enabled if name not in self.servers]:
            raise ValueError(f"there is no section [mcp.servers.{unknown[0]}]")
        return self


class Sandbox(Section):
    """The tools bash and text editor, which work in a sandbox. Each command and edit needs confirmation.

    Without `folder`, each session has a new working folder.
    """

    tools: tuple[SandboxTool, ...] = ()
    folder: str = ""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0
    processes: Annotated[int, Field(ge=16, le=10_000)] = 256
    memory_mb: Annotated[int, Field(ge=64)] = 2000
    file_mb: Annotated[int, Field(ge=1)] = 1000


_VIEWPORT = re.compile(r"([1-9][0-9]{2,3})x([1-9][0-9]{2,3})")
_SITE = re.compile(r"(?:\*\.)?[^\s/:*@]+(?::[0-9]{1,5})?|\[[0-9a-fA-F:.]+\](?::[0-9]{1,5})?")


def _viewport(text: str) -> str:
    if not _VIEWPORT.fullmatch(text):
        raise ValueError("write it as WIDTHxHEIGHT, in CSS pixels")
    return text


def check_site(text: str) -> str:
    """Validate a site: a host, `*.host` for its subdomains, either with `:port`. Raises ValueError."""
    if not _SITE.fullmatch(text):
        raise ValueError("write a site as host, *.host or host:port")
    return text


Site = Annotated[str, AfterValidator(check_site)]


class Browser(Section):
    """The browser that the console starts for the target `browser`.

    With `headless` it has no window. `viewport` is the size of the page in CSS pixels, `scale` the device scale factor.
    Nothing but `allowed_sites` is reached unless they are empty, and never `blocked_sites`. Files for upload come from
    `upload_folder` only; without it, none is uploaded. `program` names the browser; without it, an installed one is
    found. `profile` names what is kept, encrypted, from session to session; without it, nothing is. With `har`, the
    requests of a session are written beside its file.
    """

    program: str = ""
    headless: bool = False
    viewport: Annotated[str, AfterValidator(_viewport)] = "1440x900"
    scale: Annotated[float, Field(ge=0.5, le=4)] = 1.0
    mobile: bool = False
    allowed_sites: tuple[Site, ...] = ()
    blocked_sites: tuple[Site, ...] = ()
    upload_folder: str = ""
    profile: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9_-]{0,23})?$")] = ""
    har: bool = False


class Virtual(Section):
    """The isolated desktop of the target `virtual`.

    `programs` are started with it, by the names that a model may start them by. Without `network`, its programs reach
    none, which needs a sandbox. `keep` names a home folder that is kept from session to session; without it, each
    session has a new one.
    """

    programs: tuple[str, ...] = ()
    network: bool = True
    keep: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9_-]{0,23})?$")] = ""


_LAYOUT = re.compile(r"([a-z][a-z0-9_]{1,15}(\([a-zA-Z0-9_-]{1,40}\))?)?")


def _layout(name: str) -> str:
    if not _LAYOUT.fullmatch(name):
        raise ValueError("write it by its name in XKB, such as de or de(nodeadkeys)")
    return name


class Vnc(Section):
    """Machines over VNC, where they have no section of their own in `[machines]`.

    `layout` is their keyboard layout by its name in XKB ("de", "de(nodeadkeys)"): characters without a key in it are
    refused before anything is typed. With `paste`, such text goes through the machine's clipboard and Ctrl+V; never
    into terminals, and never secrets or personal data.
    """

    layout: Annotated[str, Field(min_length=1), AfterValidator(_layout)] = "us"
    paste: bool = False


_MACHINE = re.compile(r"vnc:\S+:[0-9]{1,5}|vm:\S.*")


def _machine_name(name: str) -> str:
    if not _MACHINE.fullmatch(name):
        raise ValueError('name a machine as "vnc:HOST:PORT" or "vm:NAME"')
    return name


def _socket(path: str) -> str:
    if path and not path.startswith("/"):
        raise ValueError("write the socket's whole path, beginning with /")
    return path


class Machine(Section):
    """One machine. What it does not set is as for all machines.

    `layout` is its keyboard layout by its name in XKB ("de", "de(nodeadkeys)"), `qmp` the path of the Unix socket of
    QEMU's QMP monitor.
    """

    layout: Annotated[str, AfterValidator(_layout)] = ""
    paste: bool | None = None
    qmp: Annotated[str, AfterValidator(_socket)] = ""


MachineName = Annotated[str, AfterValidator(_machine_name)]


class Notices(Section):
    """Notices that the operator has seen: of providers, of sessions interrupted by a crash, and the start page."""

    seen: tuple[str, ...] = ()


class Settings(Section):
    """All settings. `with_sections` adds the sections of providers."""

    hotkeys: Hotkeys = Hotkeys()
    appearance: Appearance = Appearance()
    timing: Timing = Timing()
    typing: Typing = Typing()
    accessibility: Accessibility = Accessibility()
    session: SessionDefaults = SessionDefaults()
    functions: Functions = Functions()
    mcp: Mcp = Mcp()
    sandbox: Sandbox = Sandbox()
    browser: Browser = Browser()
    virtual: Virtual = Virtual()
    vnc: Vnc = Vnc()
    machines: dict[MachineName, Machine] = Field(default_factory=dict)
    profiles: dict[ProfileName, Profile] = Field(default_factory=dict)
    notices: Notices = Notices()

    def section(self, provider: str) -> BaseModel | None:
        """The options of a provider; None if the file has no section for it."""
        found = getattr(self, provider, None) if provider not in Settings.model_fields else None
        return found if isinstance(found, BaseModel) else None

    def machine(self, name: str) -> Machine:
        """What holds for a machine, "vnc:HOST:PORT" or "vm:NAME".

        `paste` is not None. `layout` is "" where a VM has none of its own: that of this computer.
        """
        own = self.machines.get(name, Machine())
        layout = own.layout or (self.vnc.layout if name.startswith("vnc:") else "")
        return Machine(layout=layout, paste=self.vnc.paste if own.paste is None else own.paste, qmp=own.qmp)


def with_sections(sections: Mapping[str, type[BaseModel]]) -> type[Settings]:
    """The model of the settings with additional sections for providers."""
    return _extended(tuple(sorted(sections.items(), key=lambda each: each[0]))) if sections else Settings


@functools.cache
def _extended(sections: tuple[tuple[str, type[BaseModel]], ...]) -> type[Settings]:
    fields: dict[str, Any] = {name: (options, options()) for name, options in sections}
    return create_model("SettingsWithProviders", __base__=Settings, **fields)
