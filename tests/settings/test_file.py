"""The settings file is read back as written; an invalid file is explained and kept."""

from __future__ import annotations

import errno
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from operator_console.domain.errors import OperatorError
from operator_console.domain.risk import Autonomy, Category
from operator_console.settings.file import UnreadableSettings, load_settings, save_settings
from operator_console.settings.model import (
    Appearance,
    Hotkeys,
    Machine,
    Mcp,
    McpServerOptions,
    Notices,
    Paste,
    SessionDefaults,
    Settings,
    Theme,
    Timing,
    Typing,
    Vnc,
)
from operator_console.settings.profiles import Profile, ProfilePrice, profile_options

EVERYTHING = Settings(
    hotkeys=Hotkeys(stop="<ctrl>+<shift>+<f12>"),
    appearance=Appearance(theme=Theme.DARK, reduced_motion=True, loupe=False),
    timing=Timing(lead_time_app_s=1.25, typing_delay_s=0.01, press_time_s=0.05),
    typing=Typing(paste=Paste.LONG),
    session=SessionDefaults(
        target='window:"Zażółć\\ \t"',
        autonomy=Autonomy.AUTO,
        allow=(Category.SEND, Category.DOWNLOAD_RUN),
        max_steps=7,
        max_minutes=1.5,
    ),
    mcp=Mcp(
        enabled=("rooms",),
        servers={
            "rooms": McpServerOptions(url="https://rooms.example.test/mcp", headers={"X-Api-Key": "${ROOMS_KEY}"}),
            "time": McpServerOptions(command="mcp-server-time", args=("--local-timezone", "UTC"), env={"TZ": "UTC"}),
        },
    ),
    vnc=Vnc(layout="fr"),
    machines={
        "vnc:[::1]:5901": Machine(layout="de(nodeadkeys)", paste=True),
        "vm:Büro (2)": Machine(qmp="/run/user/1000/büro.qmp"),
    },
    profiles={
        "Büro (2)": Profile(
            provider="qwen", model="q", base_url="http://127.0.0.1:8000/v1",
            options={"keep_turns": 5, "language": "pl"}, max_steps=9, max_minutes=2.5, max_cost=Decimal("1.50"),
            price=ProfilePrice(input=Decimal("0.15"), output=Decimal("0.60"), currency="EUR"),
        ),
    },
    notices=Notices(seen=("gemini",)),
)  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


def test_without_a_file_there_are_defaults(file: Path) -> None:
    assert load_settings(file) == Settings()


def test_what_was_saved_is_loaded(file: Path) -> None:
    save_settings(file, EVERYTHING)
    assert load_settings(file) == EVERYTHING
    save_settings(file, Settings())
    assert load_settings(file) == Settings()
    assert [path.name for path in file.parent.iterdir()] == ["settings.toml"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_leaves_the_old_file_and_no_other(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_settings(file, EVERYTHING)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OperatorError, match="No space left"):
        save_settings(file, Settings())
    assert [path.name for path in file.parent.iterdir()] == ["settings.toml"]
    assert load_settings(file) == EVERYTHING


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[timing\n", "line 1"),
        ("[timing]\nlead_time_app_s = -1\n", "timing.lead_time_app_s"),
        ("[timing]\nlead_tme = 1\n", "no setting “timing.lead_tme”"),
        ('[hotkeys]\nstop = "x"\n', "hotkeys.stop"),
        ('[hotkeys]\nstop = "<ctrl>+<alt>"\n', "end with one key"),
        ('[hotkeys]\nstop = "<ctrl>+<alt>+p"\n', "need different keys"),
        ('[session]\nallow = ["pay"]\n', "always needs confirmation"),
        ('[session]\nallow = ["everything"]\n', "session.allow.0"),
        ('[session]\nautonomy = "full"\n', "session.autonomy"),
        ("session = 3\n", "session"),
        (f"[session]\nmax_steps = {10**20}\n", "session.max_steps"),
        ("[session]\nmax_minutes = inf\n", "session.max_minutes"),
    ],
)
def test_an_invalid_file_is_explained_and_kept(file: Path, text: str, named: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(UnreadableSettings) as caught:
        load_settings(file)
    assert named in str(caught.value)
    assert caught.value.remedy
    assert caught.value.exit_code == 5
    with pytest.raises(UnreadableSettings):
        save_settings(file, Settings())
    assert file.read_text() == text


def test_a_file_that_is_no_text_or_no_file(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableSettings, match="UTF-8"):
        load_settings(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(UnreadableSettings):
        load_settings(file)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file")
    with pytest.raises(OperatorError) as caught:
        save_settings(tmp_path / "config" / "settings.toml", Settings())
    assert caught.value.remedy


@pytest.mark.parametrize("chord", ["<ctrl>+<alt>+x", "<CTRL>+<alt>+X", "<ctrl>+<alt>++", "<cmd>+<f12>"])
def test_chords_that_are_understood(chord: str) -> None:
    assert Hotkeys(stop=chord).stop == chord.lower()


class AcmeOptions(BaseModel):
    """The options of a provider."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: tuple[str, ...] = ()
    speed: int = 1


def acme(name: str) -> type[BaseModel] | None:
    return AcmeOptions if name == "acme" else None


def test_a_providers_section_is_of_its_own_model_and_survives_a_change_of_another(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('[acme]\nwords = ["“x”\\nline", "\\u007f"]\n')
    read = load_settings(file, acme)
    assert read.section("acme") == AcmeOptions(words=("“x”\nline", "\x7f"))
    assert read.section("timing") is read.section("other") is None
    save_settings(file, read.model_copy(update={"timing": Timing(lead_time_app_s=2.0)}), acme)
    again = load_settings(file, acme)
    assert (again.section("acme"), again.timing.lead_time_app_s) == (read.section("acme"), 2.0)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[acme]\nspede = 3\n", "no setting “acme.spede”"),
        ('[acme]\nspeed = "fast"\n', "acme.speed"),
        ("[nobody]\nspeed = 3\n", "no setting “nobody”"),
    ],
)
def test_a_mistake_in_a_providers_section_is_named(file: Path, text: str, named: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(UnreadableSettings, match=named):
        load_settings(file, acme)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("command = 'a'\nurl = 'https://a.test'", "either a command or a url"),
        ("", "either a command or a url"),
        ("url = 'https://a.test'\nargs = ['x']", "belong to a server with a command"),
        ("command = 'a'\nheaders = {X-A = 'b'}", "belong to a server with a url"),
        ("url = 'ftp://a.test'", "begin with https"),
        ("url = 'https://me:pass@a.test'", "user name or password"),
        ("url = 'https://a.test'\nheaders = {Authorization = 'Bearer abc'}", "${NAME}"),
        ("command = 'a'\nenv = {GITHUB_TOKEN = 'abc'}", "${NAME}"),
        ("url = 'http://a.test/mcp'\nheaders = {X-Key = '${A}'}", "unencrypted"),
        ("command = 'a'\nforget = true", "no setting"),
    ],
)
def test_a_faulty_mcp_server_is_explained(file: Path, lines: str, said: str) -> None:
    file.parent.mkdir()
    file.write_text(f"[mcp.servers.a]\n{lines}\n")
    with pytest.raises(UnreadableSettings) as caught:
        load_settings(file)
    assert said in caught.value.detail
    assert "abc" not in caught.value.detail


def test_only_servers_that_are_there_can_be_enabled(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[mcp]\nenabled = ['a']\n")
    with pytest.raises(UnreadableSettings) as caught:
        load_settings(file)
    assert "[mcp.servers.a]" in caught.value.detail
    file.write_text("[mcp.servers.A-B]\ncommand = 'a'\n")
    with pytest.raises(UnreadableSettings) as caught:
        load_settings(file)
    assert "lower-case" in caught.value.detail
    file.write_text("[mcp.servers.a]\nurl = 'http://127.0.0.1:8000/mcp'\nheaders = {X-Key = '${A}'}\n")
    assert load_settings(file).mcp.servers["a"].headers == {"X-Key": "${A}"}


WRITTEN = """\
# Mine.
[timing]
lead_time_app_s = 1.5  # slow

# What a test bench has.
[profiles.bench]
provider = "acme"
options = {speed = 2}  # twice
price = {input = 0.15, output = 0.6}

# The end.
"""


def test_a_change_keeps_comments_and_everything_else(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(WRITTEN)
    read = load_settings(file, acme)
    changed = read.model_copy(update={"timing": Timing(lead_time_app_s=1.5, typing_delay_s=0.25)})
    save_settings(file, changed, acme)
    assert file.read_text() == WRITTEN.replace("# slow\n", "# slow\ntyping_delay_s = 0.25\n")
    added = {**read.profiles, "x.y": Profile(provider="acme", options={"words": ["a"]}, max_steps=3)}
    save_settings(file, read.model_copy(update={"profiles": added}), acme)
    assert load_settings(file, acme).profiles == added
    save_settings(file, read, acme)
    assert file.read_text().rstrip() == WRITTEN.rstrip()
    save_settings(file, read.model_copy(update={"profiles": {}}), acme)
    assert "acme" not in file.read_text()
    assert "# Mine." in file.read_text()
    assert load_settings(file, acme).profiles == {}


def test_only_what_was_changed_since_is_written(file: Path) -> None:
    """Another process may have written the file meanwhile."""
    file.parent.mkdir()
    file.write_text(WRITTEN)
    read = load_settings(file, acme)
    file.write_text(WRITTEN.replace("speed = 2", "speed = 3"))
    changed = read.model_copy(update={"timing": Timing(lead_time_app_s=4.0)})
    save_settings(file, changed, acme, before=read)
    now = load_settings(file, acme)
    assert (now.timing.lead_time_app_s, now.profiles["bench"].options) == (4.0, {"speed": 3})


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("model = 'm'", "“profiles.a.provider”"),
        ("provider = 'acme'\nmodle = 'm'", "no setting “profiles.a.modle”"),
        ("provider = 'acme'\noptions = {speed = 'fast'}", "“profiles.a.options.speed”"),
        ("provider = 'acme'\noptions = {spede = 1}", "no setting “profiles.a.options.spede”"),
        ("provider = 'acme'\noptions = {api_key = 'abc'}", "keyring"),
        ("provider = 'acme'\napi_key = 'abc'", "no setting “profiles.a.api_key”"),
        ("provider = 'acme'\nmax_cost = 1", "max_cost needs a price"),
        ("provider = 'acme'\nmax_steps = 0", "profiles.a.max_steps"),
        ("provider = 'acme'\nprice = {input = nan, output = 1}", "profiles.a.price.input"),
        ("provider = 'acme'\nprice = {input = 1}", "profiles.a.price.output"),
        ("provider = 'acme'\nbase_url = ' localhost:8000/v1'", "http://, perhaps http://localhost:8000/v1"),
        ("provider = 'acme'\nbase_url = 'http://me:abc@a.test'", "user name or password"),
        ("provider = 'acme'\nbase_url = 'http://a.test/v1?key=abc'", "no ?"),
        ("provider = 'acme'\nbase_url = 'http://[a'", "not an address"),
    ],
)
def test_a_faulty_profile_is_explained(file: Path, lines: str, said: str) -> None:
    file.parent.mkdir()
    file.write_text(f"[profiles.a]\n{lines}\n")
    with pytest.raises(UnreadableSettings) as caught:
        load_settings(file, acme)
    assert said in caught.value.detail
    assert "abc" not in caught.value.detail
    assert str(file) in caught.value.title


@pytest.mark.parametrize("name", ["-a", "a ", "", "a/b", "a" * 41])
def test_a_name_that_a_profile_cannot_have(file: Path, name: str) -> None:
    file.parent.mkdir()
    file.write_text(f'[profiles."{name}"]\nprovider = "acme"\n')
    with pytest.raises(UnreadableSettings, match="name a profile"):
        load_settings(file, acme)


def test_a_profile_of_a_provider_that_is_not_installed_does_no_harm(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[profiles.a]\nprovider = 'gone'\noptions = {x = [1, {y = 2}]}\n")
    read = load_settings(file, acme)
    assert read.profiles["a"].options == {"x": [1, {"y": 2}]}
    save_settings(file, read.model_copy(update={"timing": Timing(lead_time_app_s=4.0)}), acme)
    assert load_settings(file, acme).profiles == read.profiles


def test_the_options_of_a_profile_go_before_those_of_the_section(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[acme]\nspeed = 5\nwords = ['a']\n[profiles.a]\nprovider = 'acme'\noptions = {speed = 7}\n")
    read = load_settings(file, acme)
    made = profile_options(read.profiles["a"], AcmeOptions, read.section("acme"))
    assert made == AcmeOptions(words=("a",), speed=7)


def test_what_a_machine_does_not_set_is_as_for_all_of_its_kind() -> None:
    settings = Settings(
        vnc=Vnc(layout="fr", paste=True),
        machines={"vnc:a:5901": Machine(layout="de", paste=False), "vm:a": Machine(qmp="/run/a.qmp")},
    )
    assert settings.machine("vnc:a:5901") == Machine(layout="de", paste=False)
    assert settings.machine("vnc:b:5901") == Machine(layout="fr", paste=True)
    assert settings.machine("vm:a") == Machine(layout="", paste=True, qmp="/run/a.qmp")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("[machines.a]", "vnc:HOST:PORT"),
        ('[machines."vnc:a"]', "vnc:HOST:PORT"),
        ('[machines."vm: "]', "vm:NAME"),
        ('[machines."vnc:a:1"]\nlayout = "Deutsch"', "name in XKB"),
        ('[machines."vnc:a:1"]\npaste = "no idea"', "paste"),
        ('[machines."vnc:a:1"]\nqmp = "a.qmp"', "beginning with /"),
        ('[machines."vnc:a:1"]\nfolder = "/a"', "no setting"),
    ],
)
def test_a_faulty_machine_is_explained(file: Path, lines: str, said: str) -> None:
    file.parent.mkdir()
    file.write_text(f"{lines}\n")
    with pytest.raises(UnreadableSettings) as caught:
        load_settings(file)
    assert said in caught.value.detail


def test_a_byte_order_mark_is_no_part_of_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xef\xbb\xbf" + b'[appearance]\ntheme = "dark"\n')
    settings = load_settings(path)
    assert settings.appearance.theme == "dark"
    save_settings(path, settings)
    assert load_settings(path) == settings
