"""The settings file is read back as written; an invalid file is explained and kept."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from operator_console.domain.errors import OperatorError
from operator_console.domain.risk import Autonomy, Category
from operator_console.settings.file import UnreadableSettings, load_settings, save_settings
from operator_console.settings.model import (
    Appearance,
    Hotkeys,
    Mcp,
    McpServerOptions,
    Notices,
    Paste,
    SessionDefaults,
    Settings,
    Theme,
    Timing,
    Typing,
)

EVERYTHING = Settings(
    hotkeys=Hotkeys(stop="<ctrl>+<shift>+<f12>"),
    appearance=Appearance(theme=Theme.DARK, reduced_motion=True),
    timing=Timing(lead_time_app_s=1.25, typing_delay_s=0.01),
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
    notices=Notices(seen=("gemini",)),
)


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
        ('[hotkeys]\nstop = "<ctrl>+<alt>+p"\n', "three different chords"),
        ('[session]\nallow = ["pay"]\n', "always needs confirmation"),
        ('[session]\nallow = ["everything"]\n', "session.allow.0"),
        ('[session]\nautonomy = "full"\n', "session.autonomy"),
        ("session = 3\n", "session"),
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
