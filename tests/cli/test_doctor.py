"""`doctor` tries what a session would use, with the values of the settings."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from operator_console.cli import doctor
from operator_console.domain.errors import OperatorError
from operator_console.settings.file_locations import find_paths
from operator_console.tools import sandbox


def write_settings(text: str) -> None:
    path = find_paths().settings
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_sandbox_is_tried_with_the_limits_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[sandbox.Limits] = []

    def refuse(limits: sandbox.Limits) -> None:
        tried.append(limits)
        raise sandbox.SandboxUnavailable("No.", "Do this.")

    monkeypatch.setattr(sandbox, "Sandbox", refuse)
    write_settings("[sandbox]\nprocesses = 40\nmemory_mb = 70\nfile_mb = 3\n")
    (told,) = doctor._sandbox(find_paths())
    assert tried == [sandbox.Limits(processes=40, memory_bytes=70_000_000, file_bytes=3_000_000)]
    assert (told.ok, told.remedy) == (False, "Do this.")


def test_an_mcp_server_may_take_as_long_as_the_settings_say() -> None:
    program = Path(__file__).parents[1] / "servers" / "bad_mcp_server.py"
    server = f"command = {json.dumps(sys.executable)}\nargs = {json.dumps([str(program), 'silent'])}"
    write_settings(f"[mcp]\nenabled = ['slow']\n[mcp.servers.slow]\n{server}\nstart_timeout_s = 0.5\n")
    (told,) = doctor._mcp(find_paths())
    assert (told.ok, "within 0.5 s" in told.detail) == (False, True), told


def test_without_a_browser_it_says_so_and_goes_on() -> None:
    write_settings('[browser]\nprogram = "no-such-browser"\n')
    with pytest.raises(OperatorError) as refused:
        list(doctor._browser(find_paths()))
    assert "No browser is installed" in refused.value.title
    assert "Install Chromium" in refused.value.remedy


PROFILE = """[profiles.{name}]
provider = "qwen"
model = "Qwen/Qwen3-VL-8B-Instruct"
base_url = "http://{host}:8000/v1"
"""


@pytest.fixture
def proxy_variables(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """For setting those of the test; the others are unset."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


def test_the_proxy_of_each_model_is_told_and_that_this_computer_is_reached_directly(
    proxy_variables: pytest.MonkeyPatch,
) -> None:
    proxy_variables.setenv("http_proxy", "http://me:secret@proxy.example:3128")
    write_settings(PROFILE.format(name="near", host="127.0.0.1") + PROFILE.format(name="far", host="models.example"))
    (told,) = doctor._proxies(find_paths())
    assert told.ok
    assert "proxy.example:3128" in told.detail
    assert "the profile far" in told.detail
    assert "near" not in told.detail
    assert "secret" not in told.detail


def test_a_model_whose_address_is_in_the_settings_is_reached_there(proxy_variables: pytest.MonkeyPatch) -> None:
    proxy_variables.setenv("http_proxy", "http://proxy.example:3128")
    proxy_variables.setenv("QWEN_API_KEY", "a-key")
    write_settings('[qwen]\nbase_url = "http://127.0.0.1:8000/v1"\n')
    (told,) = doctor._proxies(find_paths())
    assert told.detail == "Models are reached directly, without a proxy."


def test_a_proxy_that_cannot_be_used_is_told(proxy_variables: pytest.MonkeyPatch) -> None:
    proxy_variables.setenv("http_proxy", "http://proxy:port")
    write_settings(PROFILE.format(name="far", host="models.example"))
    (told,) = doctor._proxies(find_paths())
    assert not told.ok
    assert "HTTP_PROXY" in told.remedy


@pytest.mark.usefixtures("proxy_variables")
def test_without_a_proxy_it_says_so() -> None:
    write_settings(PROFILE.format(name="far", host="models.example"))
    (told,) = doctor._proxies(find_paths())
    assert (told.ok, told.detail) == (True, "Models are reached directly, without a proxy.")


MOUNTS = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /home rw,relatime shared:9 - nfs4 server:/home rw
31 30 8:2 / /home/me/local\040disk rw - xfs /dev/sdb1 rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me/.local/share/operator-console/sessions", "nfs4"),
        ("/home/me/local disk/sessions", None),
        ("/homestead/sessions", None),
        ("/var/lib/sessions", None),
    ],
)
def test_a_folder_on_a_network_file_system_is_told(folder: str, kind: str | None) -> None:
    assert doctor.network_file_system(Path(folder), MOUNTS) == kind


def test_without_a_list_of_mounts_nothing_is_said() -> None:
    assert doctor.network_file_system(Path("/home/me"), "") is None
