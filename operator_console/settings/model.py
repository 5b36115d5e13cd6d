"""The settings with their types, defaults and limits. API keys are not settings."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, create_model, model_validator

from operator_console.domain.api_keys import key_references, names_key
from operator_console.domain.errors import OperatorError
from operator_console.domain.hotkeys import DEFAULT_HOTKEYS
from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category
from operator_console.domain.session_request import (
    DEFAULT_LEAD_TIME_S,
    DEFAULT_MAX_MINUTES,
    DEFAULT_MAX_STEPS,
    MOST_OF_A_LIMIT,
)
from operator_console.domain.shutters import shutters_for
from operator_console.domain.tools import SandboxTool
from operator_console.loopback import is_loopback
from operator_console.settings.profiles import Profile, ProfileName
from operator_console.settings.section import Section, check_address, is_encrypted

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

    stop: Hotkey = Field(DEFAULT_HOTKEYS.stop, description="emergency stop; works in every keyboard layout")
    pause: Hotkey = Field(DEFAULT_HOTKEYS.pause, description="pause")
    approve: Hotkey = Field(
        DEFAULT_HOTKEYS.approve, description="approve the action on the card; never one that is asked in a dialog"
    )

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        chords = [frozenset(chord.split("+")) for chord in (self.stop, self.pause, self.approve)]
        if len(set(chords)) != len(chords):
            raise ValueError("stop, pause and approve need different keys")
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
    """Appearance of the window, and whether the target of a session is framed on the real desktop."""

    theme: Theme = Field(Theme.SYSTEM, description='`"system"`, `"light"` or `"dark"`')
    contrast: Contrast = Field(Contrast.SYSTEM, description='`"system"`, `"normal"` or `"high"`')
    text_size: float = Field(1.0, ge=0.8, le=2, description="times the text size of the system; 0.8 to 2")
    reduced_motion: bool = Field(
        False,
        description=(
            "no animation of the ring and of the progress line, and no loupe for actions that run by "
            "themselves; also where your desktop asks for reduced motion"
        ),
    )
    loupe: bool = Field(
        True, description="the target of the next action is shown enlarged while the preview is reduced"
    )
    target_frame: bool = Field(
        True,
        description="frame the target of a running session on your desktop, with a ring where the next action lands",
    )


class Timing(Section):
    """Times in seconds. The lead time is how long the target is shown before an ordinary action that needs no
    confirmation; it is doubled where the action is worth seeing (C2 and above)."""

    lead_time_app_s: float = Field(
        DEFAULT_LEAD_TIME_S,
        ge=0,
        le=60,
        description="how long the ring shows before an ordinary action (C1) runs without a question, in the window; "
        "twice as long before a riskier one; 0 to 60",
    )
    lead_time_run_s: float = Field(0.0, ge=0, le=60, description="the same in `run`")
    typing_delay_s: float = Field(
        0.0,
        ge=0,
        le=1,
        description="pause after each typed character, 0 to 1; with 0 as fast as the application takes the text",
    )
    press_time_s: float = Field(
        0.04,
        ge=0,
        le=0.5,
        description="how long the button of a click and the keys of a chord are held, 0 to 0.5: games, emulators and "
        "remote desktops look only once a frame, and miss what is shorter than that",
    )


class Approval(Section):
    """What counts as a yes of yours."""

    only_devices: bool = Field(
        True,
        description="Allow, Approve, Reset and Start count only from a mouse, keyboard, touch screen or screen reader, "
        "where the display tells such devices from programs; switch it off to work over a remote desktop that "
        "presses keys as a program does",
    )
    hold_key: str = Field(
        "pause",
        description="the key that is held while the model acts, with hold-to-run: one that does nothing by itself, as "
        "`pause` or `scroll_lock`",
    )
    resume_after_hand: bool = Field(
        False,
        description="a session that paused because you used mouse or keyboard while the model was acting goes on by "
        "itself after a second without them",
    )


class Paste(StrEnum):
    """Which texts are pasted from the clipboard instead of typed."""

    NEVER = "never"
    LONG = "long"


class Typing(Section):
    """How text is typed. Text is never pasted into terminals, and secrets and personal data never are."""

    paste: Paste = Field(Paste.NEVER, description='`"long"` pastes long texts that the keyboard has no keys for')


class Accessibility(Section):
    """The accessibility service, by which applications describe their controls."""

    switch_on: bool = Field(
        True, description="switch accessibility on in your desktop session while a console session runs"
    )


class RecordOptions(Section):
    """What is kept of sessions."""

    tombstones: bool = Field(
        False,
        description=(
            "whether a deleted session leaves a line: its name, when it was begun and deleted, how many events it had, "
            "and the hash of the last; `sessions list --deleted` prints them"
        ),
    )


def _hidden(text: str) -> str:
    """Validate what is hidden: a shutter, alone or behind a target."""
    try:
        shutters_for((text,), "")
    except OperatorError as error:
        raise ValueError(error.text) from error
    return text.strip()


class Privacy(Section):
    """What no picture shows: not the model's, nor the record's, nor the preview's."""

    hide_passwords: bool = Field(
        True, description="whether fields known as ones for passwords are black in what the model is shown"
    )
    hide: tuple[Annotated[str, AfterValidator(_hidden)], ...] = Field(
        (),
        description=(
            "[shutters](targets.md#what-the-model-does-not-see) of all sessions, each as `region:X,Y,WxH`, "
            "`window:TITLE` or `app:NAME`; behind a target and a space, such as "
            '`"monitor:1 region:0,0,400x40"`, of sessions on it'
        ),
    )


class SessionDefaults(Section):
    """Defaults for new sessions. `allow` applies only with autonomy auto."""

    target: str = Field("monitor:1", description="see [Targets](targets.md)")
    provider: str = Field("", description="empty: Gemini")
    model: str = Field("", description="empty: the provider's default")
    profile: str = Field("", description="the [model profile](#profiles) that was chosen last")
    autonomy: Autonomy = Field(Autonomy.GUARDED, description='`"observe"`, `"step"`, `"guarded"`, `"auto"` or `"hold"`')
    allow: tuple[Allowed, ...] = Field(
        (),
        description="[categories](safety.md#risk-classes) that *Auto* runs without asking; C4 categories are refused",
    )
    max_steps: int = Field(
        DEFAULT_MAX_STEPS, ge=1, le=MOST_OF_A_LIMIT, description="steps before the console asks whether to continue"
    )
    max_minutes: float = Field(
        DEFAULT_MAX_MINUTES,
        gt=0,
        le=MOST_OF_A_LIMIT,
        description="minutes of work before it asks; waiting for you does not count",
    )


def _function(path: str) -> str:
    """Validate the path of a Python function: package.module:function."""
    module, colon, name = path.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
        raise ValueError("write each as package.module:function")
    return path


class Functions(Section):
    """Python functions of the operator that the model may call. Each call needs confirmation."""

    enabled: tuple[Annotated[str, AfterValidator(_function)], ...] = Field(
        (), description='which functions, each as `"package.module:function"`'
    )
    timeout_s: float = Field(60.0, gt=0, le=3600, description="how many seconds one call may take")


class McpServerOptions(Section):
    """An MCP server: a program on this computer (`command`), or a service (`url`, streamable HTTP).

    Values of `env` and `headers` may name keys as ${NAME}, which are read from the environment or else the keyring.
    """

    command: str = Field("", description="a program that is the server (stdio)")
    args: tuple[str, ...] = Field((), description="its arguments")
    env: dict[str, str] = Field(
        default_factory=dict,
        description="its environment, besides `HOME`, `PATH`, `USER` and the like; it gets no others",
    )
    cwd: str = Field("", description="the folder it starts in; empty: your home folder")
    url: str = Field("", description="instead of a command: the address of a service (streamable HTTP)")
    headers: dict[str, str] = Field(default_factory=dict, description="headers of the requests to it")
    tools: tuple[str, ...] = Field((), description="the tools to offer to the model; empty: all")
    unasked: tuple[str, ...] = Field((), description="tools that run without a question, except at the autonomy *Step*")
    required: bool = Field(False, description="a session does not begin without this server")
    start_timeout_s: float = Field(
        30.0, gt=0, le=600, description="how many seconds starting it and listing its tools may take"
    )
    timeout_s: float = Field(60.0, gt=0, le=3600, description="how many seconds one call may take")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give it either a command or a url")
        if self.url and (self.args or self.env or self.cwd):
            raise ValueError("args, env and cwd belong to a server with a command")
        if self.command and self.headers:
            raise ValueError("headers belong to a server with a url")
        for name, value in (*self.env.items(), *self.headers.items()):
            if names_key(name) and value and not key_references(value):
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
    """MCP servers whose tools the model may call. Each call needs confirmation unless a server's `unasked` names it."""

    enabled: tuple[ServerName, ...] = Field(
        (), description="names of the servers that a session uses; `run --mcp NAME` chooses others"
    )
    servers: dict[ServerName, McpServerOptions] = Field(
        default_factory=dict, description="a section for each server, see below"
    )

    @model_validator(mode="after")
    def _known(self) -> Self:
        if unknown := [name for name in self.enabled if name not in self.servers]:
            raise ValueError(f"there is no section [mcp.servers.{unknown[0]}]")
        return self


class Sandbox(Section):
    """The tools bash and text editor, which work in a sandbox. Each command and edit needs confirmation."""

    tools: tuple[SandboxTool, ...] = Field((), description='`"bash"`, `"editor"` or both')
    folder: str = Field("", description="their working folder; empty: a new one for each session")
    timeout_s: float = Field(120.0, gt=0, le=3600, description="how many seconds one command may take")
    processes: int = Field(256, ge=16, le=10_000, description="how many processes and threads there may be at a time")
    memory_mb: int = Field(2000, ge=64, description="how much memory they may use together, in megabytes")
    file_mb: int = Field(
        1000, ge=1, description="how large a file may become, and all files in `/tmp` together, in megabytes"
    )


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
    """The browser that the console starts for the target `browser`."""

    program: str = Field("", description="the browser's program; empty: an installed Chromium or Chrome is found")
    headless: bool = Field(False, description="whether it has no window; always so where there is no display")
    viewport: Annotated[str, AfterValidator(_viewport)] = Field(
        "1440x900", description="size of the page in CSS pixels"
    )
    scale: float = Field(1.0, ge=0.5, le=4, description="device scale factor: pixels for each CSS pixel")
    mobile: bool = Field(False, description="whether pages are laid out as on a phone")
    allowed_sites: tuple[Site, ...] = Field(
        (),
        description=(
            "what it may reach, each a host, `*.host` for its subdomains, with or without `:port`; empty: everything"
        ),
    )
    blocked_sites: tuple[Site, ...] = Field(
        (), description="what it may not reach, written in the same way; this wins over `allowed_sites`"
    )
    upload_folder: str = Field("", description="the folder whose files may be uploaded; empty: none")
    profile: str = Field(
        "",
        pattern=r"^([a-z0-9][a-z0-9_-]{0,23})?$",
        description=(
            "the name of a profile that stays signed in from session to session, see "
            "[profiles](browser.md#profiles); empty: nothing is kept"
        ),
    )
    har: bool = Field(
        False, description="whether the requests of a session are written beside its file, as `.har` without bodies"
    )


class Virtual(Section):
    """The isolated desktop of the target `virtual`."""

    programs: tuple[str, ...] = Field(
        (),
        description=(
            'what is started with it, in this order, for instance `["mousepad", "chromium"]`: names of '
            "applications or programs of this computer"
        ),
    )
    network: bool = Field(True, description="whether its programs reach the network; `false` needs the sandbox")
    keep: str = Field(
        "",
        pattern=r"^([a-z0-9][a-z0-9_-]{0,23})?$",
        description=(
            "the name of a home folder that is kept from session to session, in "
            "`~/.local/share/operator-console/virtual-homes/`; empty: each session has a new one"
        ),
    )


_LAYOUT = re.compile(r"([a-z][a-z0-9_]{1,15}(\([a-zA-Z0-9_-]{1,40}\))?)?")


def _layout(name: str) -> str:
    if not _LAYOUT.fullmatch(name):
        raise ValueError("write it by its name in XKB, such as de or de(nodeadkeys)")
    return name


class Vnc(Section):
    """Machines over VNC, where they have no section of their own in `[machines]`."""

    layout: Annotated[str, Field(min_length=1), AfterValidator(_layout)] = Field(
        "us",
        description=(
            'the machine\'s keyboard layout by its name in XKB, for instance `"de"`, `"de(nodeadkeys)"` or'
            ' `"ru"`. Characters without a key in it are refused before anything is typed'
        ),
    )
    paste: bool = Field(
        False,
        description=(
            "whether such text goes through the machine's clipboard and `Ctrl+V`; never into terminals, "
            "and never secrets or personal data"
        ),
    )


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
    """One machine. What it does not set is as for all machines."""

    layout: Annotated[str, AfterValidator(_layout)] = Field(
        "",
        description=(
            'its keyboard layout, by its name in XKB, for instance `"de"` or `"de(nodeadkeys)"`; else '
            "that of `[vnc]`, and for a window that of this computer"
        ),
    )
    paste: bool | None = Field(None, description="as in `[vnc]`, for this machine")
    qmp: Annotated[str, AfterValidator(_socket)] = Field(
        "",
        description=(
            "the path of the socket of its QMP monitor, for a machine in QEMU: "
            "[snapshots](targets.md#settings-and-snapshots-of-a-machine), and whether it runs"
        ),
    )


MachineName = Annotated[str, AfterValidator(_machine_name)]


class Notices(Section):
    """Notices that the operator has seen: of providers, of sessions interrupted by a crash, and the start page."""

    seen: tuple[str, ...] = Field((), description="notices that you were shown already; the console fills it in")


class Settings(Section):
    """All settings. `with_sections` adds the sections of providers."""

    hotkeys: Hotkeys = Hotkeys()
    appearance: Appearance = Appearance()
    timing: Timing = Timing()
    typing: Typing = Typing()
    accessibility: Accessibility = Accessibility()
    record: RecordOptions = RecordOptions()
    approval: Approval = Approval()
    privacy: Privacy = Privacy()
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
