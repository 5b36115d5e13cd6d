"""Commands and edits in the sandbox: what they can do, what they cannot, their limits, and how they end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from operator_console.domain.actions import Action, CallFunction, EditFile, RunCommand
from operator_console.domain.admission import Admission
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.domain.tools import BASH, TEXT_EDITOR, SandboxTool
from operator_console.tools import sandbox, sandbox_editor
from operator_console.tools.sandbox import Limits, Sandbox, SandboxUnavailable
from operator_console.tools.sandboxed_tools import SandboxedTools
from operator_console.tools.worker_process import KillableGroups
from tests.tools.conftest import Guarded

KEY = b"k" * 32
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
LIMITS = Limits(processes=64, memory_bytes=400_000_000, file_bytes=50_000_000)
BOTH = (SandboxTool.BASH, SandboxTool.EDITOR)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "work"


def make(
    folder: Path, guarded: Guarded, *, tools: Sequence[SandboxTool] = BOTH, timeout_s: float = 60
) -> SandboxedTools:
    return SandboxedTools(
        Admission(lambda: KEY, lambda: guarded.epoch, monotonic=lambda: 0.0), tools, folder,
        limits=LIMITS, timeout_s=timeout_s, killable=KillableGroups(guarded.tell),
    )  # fmt: skip


@pytest.fixture
async def tools(folder: Path, guarded: Guarded) -> AsyncIterator[SandboxedTools]:
    made = make(folder, guarded)
    await made.describe()
    yield made
    await made.close()


@pytest.fixture
def core_pattern() -> Iterator[str]:
    """The kernel's setting, which only root can write; put back whatever happens."""
    before = CORE_PATTERN.read_text()
    yield before
    if CORE_PATTERN.read_text() != before:
        CORE_PATTERN.write_text(before)


def grant(action: Action) -> Grant:
    target = MonitorTarget(spec="monitor:1", title="Monitor 1", display=":77")
    size = Size(10, 10)
    return Grant(
        grant_id=os.urandom(8).hex(), step=1, call=0, action=action, target=target,
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), checks=(), epoch=1, expires_s=5.0,
    ).sealed(KEY)  # fmt: skip


async def run(tools: SandboxedTools, command: str) -> str:
    """The texts for the model."""
    return texts(await tools.perform(grant(RunCommand(command=command))))


async def edit(tools: SandboxedTools, command: str, path: str, **arguments: str) -> Outcome:
    return await tools.perform(grant(EditFile(command=command, path=path, arguments=arguments)))


def texts(outcome: Outcome) -> str:
    assert outcome.tool is not None, outcome
    return "\n".join(outcome.tool.texts)


async def test_both_are_offered_under_the_names_that_models_know(folder: Path, guarded: Guarded) -> None:
    tools = make(folder, guarded)
    specs = await tools.describe()
    assert [(spec.name, spec.sandboxed) for spec in specs] == [(BASH, True), (TEXT_EDITOR, True)]
    assert all(json.loads(spec.parameters_json)["type"] == "object" for spec in specs)
    await tools.close()
    only = make(folder, guarded, tools=(SandboxTool.EDITOR,))
    assert [spec.name for spec in await only.describe()] == [TEXT_EDITOR]
    assert not only.handles(RunCommand(command="ls"))
    assert only.handles(EditFile(command="view", path="a"))
    assert not only.handles(CallFunction(name=BASH))
    await only.close()
    assert guarded.groups == ()
    assert listed(folder) is None, "nothing was called"


async def test_the_shell_lives_from_one_command_to_the_next(tools: SandboxedTools, folder: Path) -> None:
    assert await run(tools, "pwd; x=7; mkdir in; cd in") == "/workspace\n\nexit code 0"
    assert await run(tools, 'echo "$x" > a; pwd; false') == "/workspace/in\n\nexit code 1"
    assert (folder / "in" / "a").read_text() == "7\n"
    assert "unexpected EOF" in await run(tools, "echo 'unterminated")
    assert await run(tools, "echo $x; read y; echo $?") == "7\n1\n\nexit code 0", "it has no input"
    restarted = await tools.perform(grant(RunCommand(command="", restart=True)))
    assert texts(restarted) == "The shell was restarted."
    assert await run(tools, 'echo "[$x] $PWD"') == "[] /workspace\n\nexit code 0"
    ended = await tools.perform(grant(RunCommand(command="echo bye; exit 3")))
    assert (ended.result, texts(ended)) == (
        ActResult.FAILED, "bye\n\nThe shell ended; the next command starts a new one."
    )  # fmt: skip
    assert await run(tools, "echo on") == "on\n\nexit code 0"


async def test_it_sees_neither_files_nor_variables_nor_the_network_nor_a_display(
    tools: SandboxedTools, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("sesame")
    names = (await run(tools, "env | cut -d= -f1 | sort | tr '\\n' ' '")).partition("\n")[0].split()
    assert set(names) == {"HOME", "LANG", "PAGER", "PATH", "PWD", "PYTHONUNBUFFERED", "SHLVL", "TERM", "_"}
    assert "No such file" in await run(tools, f"cat {tmp_path}/secret")
    assert "No such file" in await run(tools, "cat /etc/shadow")
    assert await run(tools, "ls -A /root /home /run /var /tmp/.X11-unix 2>/dev/null | wc -l") == "0\n\nexit code 0"
    interfaces = await run(tools, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")
    assert interfaces == "lo\n\nexit code 0"
    processes = await run(tools, "ls -d /proc/[0-9]* | wc -l")
    assert int(processes.split()[0]) < 10


async def test_a_write_outside_the_folder_is_refused_to_root_too(
    tools: SandboxedTools, folder: Path, core_pattern: str
) -> None:
    for place in ("/x", "/usr/x", "/etc/x", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/dev/../x"):
        said = await run(tools, f"echo x > {place}")
        assert "Read-only file system" in said or "No such file" in said or "Permission denied" in said, (place, said)
    assert pattern() == core_pattern
    assert "exit code 0" not in await run(tools, "mount -o remount,rw /usr")
    assert "exit code 0" not in await run(tools, "unshare -Ur true")
    assert (await run(tools, "grep CapEff /proc/self/status")).split()[1] == "0" * 16
    assert listed(folder) == []
    assert (await edit(tools, "create", "/etc/x", file_text="x")).result is ActResult.FAILED
    assert "Read-only" in texts(await edit(tools, "create", "../x", file_text="x"))
    await run(tools, "ln -s /etc/passwd p")
    assert "Read-only" in texts(await edit(tools, "create", "p", file_text="x"))


async def test_a_fork_bomb_is_bounded_and_gone_afterwards(folder: Path, guarded: Guarded) -> None:
    tools = make(folder, guarded, timeout_s=3)
    await tools.describe()
    said = await run(tools, ":(){ :|:& };: ; sleep 1e9")
    assert "Resource temporarily unavailable" in said
    assert "It did not end within 3 s, so it was killed with all that it had started." in said
    assert int((await run(tools, "ls -d /proc/[0-9]* | wc -l")).split()[0]) < 10
    await tools.close()


async def test_a_gigabyte_of_output_is_shortened(tools: SandboxedTools) -> None:
    outcome = await tools.perform(grant(RunCommand(command="echo first; yes | head -c 1G; echo last")))
    assert outcome.tool is not None
    output = outcome.tool.texts[0]
    assert output.startswith("first\n")
    assert output.endswith("last\n")
    assert len(output) < 20_100
    assert " bytes left out) …" in output
    assert int(output.partition("… (")[2].split()[0]) > 1_073_700_000


async def test_a_command_that_does_not_end_is_killed_and_told(folder: Path, guarded: Guarded) -> None:
    tools = make(folder, guarded, timeout_s=1)
    await tools.describe()
    outcome = await tools.perform(grant(RunCommand(command="echo begun; sleep 1e9")))
    assert outcome.result is ActResult.FAILED
    assert "begun\n\nIt did not end within 1 s, so it was killed" in texts(outcome)
    assert await run(tools, "echo on") == "on\n\nexit code 0"
    await tools.close()


async def test_memory_and_files_are_bounded(tools: SandboxedTools, folder: Path) -> None:
    grows = await run(tools, "head -c 2G /dev/zero | tail -c 1G | wc -c; echo ${PIPESTATUS[1]}")
    assert "137" in grows or "1\n" in grows, grows
    await run(tools, "head -c 200M /dev/zero > big")
    assert (folder / "big").stat().st_size <= LIMITS.file_bytes
    assert "No space left" in await run(tools, "for n in 1 2; do head -c 40M /dev/zero > /tmp/$n; done")


async def test_a_stop_kills_everything_in_it(tools: SandboxedTools, guarded: Guarded, folder: Path) -> None:
    await run(tools, "mkfifo pipe")
    running = asyncio.ensure_future(run(tools, "setsid sleep 1e8 & echo begun > pipe; sleep 1e9"))
    await asyncio.to_thread((folder / "pipe").read_text)
    await until(lambda: len(sleeping()) == 2)
    handles = [os.pidfd_open(pid) for pid in sleeping()]
    guarded.kill()
    with pytest.raises(AssertionError):
        await running
    for handle in handles:
        await asyncio.to_thread(select.select, [handle], [], [])
        os.close(handle)
    assert guarded.groups == ()


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 - the kernel tells of no new process
        await asyncio.sleep(0.01)


def sleeping() -> list[int]:
    """The processes that sleep for as long as the tests' commands do."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (each / "cmdline").read_bytes().startswith((b"sleep\x001e8", b"sleep\x001e9")):
                found.append(int(each.name))
    return found


def pattern() -> str:
    return CORE_PATTERN.read_text()


def listed(folder: Path) -> list[str] | None:
    """The names in a folder; None: it does not exist."""
    return sorted(each.name for each in folder.iterdir()) if folder.exists() else None


async def test_cancelling_kills_it_and_the_next_command_starts_anew(tools: SandboxedTools, folder: Path) -> None:
    await run(tools, "mkfifo pipe; x=7")
    running = asyncio.ensure_future(run(tools, "echo begun > pipe; sleep 1e9"))
    await asyncio.to_thread((folder / "pipe").read_text)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await run(tools, 'echo "[$x]"; ls') == "[]\npipe\n\nexit code 0"


async def test_nothing_runs_without_a_grant_or_a_guard(tools: SandboxedTools, folder: Path, guarded: Guarded) -> None:
    forged = grant(RunCommand(command="touch a")).sealed(b"x" * 32)
    assert (await tools.perform(forged)).reason == "bad_grant"
    once = grant(RunCommand(command="touch b"))
    assert (await tools.perform(once)).result is ActResult.DONE
    assert (await tools.perform(once)).reason == "bad_grant"
    assert listed(folder) == ["b"]
    guarded.armed = False
    with pytest.raises(OperatorError, match="Nothing can be started"):
        await make(folder, guarded).describe()


async def test_files_are_viewed_and_edited(tools: SandboxedTools, folder: Path) -> None:
    assert texts(await edit(tools, "create", "in/a.txt", file_text="one\ntwo\n")) == "/workspace/in/a.txt was created."
    assert (folder / "in" / "a.txt").read_text() == "one\ntwo\n"
    changed = await edit(tools, "str_replace", "/workspace/in/a.txt", old_str="two", new_str="2\n3")
    assert texts(changed).splitlines()[1:] == ["     1\tone", "     2\t2", "     3\t3", "     4\t"]
    await edit(tools, "insert", "in/a.txt", insert_line="1", insert_text="half")
    assert (folder / "in" / "a.txt").read_text() == "one\nhalf\n2\n3\n"
    assert texts(await edit(tools, "view", "in/a.txt", view_range="[2, 3]")) == "     2\thalf\n     3\t2"
    assert texts(await edit(tools, "view", "/workspace")) == "/workspace\n/workspace/in/\n/workspace/in/a.txt"
    assert await run(tools, "cat in/a.txt | tail -1") == "3\n\nexit code 0", "the shell has the same folder"


@pytest.mark.parametrize(
    ("command", "path", "arguments", "said"),
    [
        ("str_replace", "a", {"old_str": "x", "new_str": ""}, "found 2 times (lines 1, 3)"),
        ("str_replace", "a", {"old_str": "nine", "new_str": ""}, "not found"),
        ("str_replace", "a", {"old_str": "", "new_str": "x"}, "empty"),
        ("insert", "a", {"insert_line": "9", "insert_text": "x"}, "0 to 3"),
        ("insert", "a", {"insert_line": "1"}, "insert_text is missing"),
        ("create", "a", {}, "file_text is missing"),
        ("view", "a", {"view_range": "[0, 1]"}, "not within the 3 lines"),
        ("view", "a", {"view_range": "all"}, "two line numbers"),
        ("view", "absent", {}, "No such file"),
        ("view", "pipe", {}, "is not a file"),
        ("create", "pipe", {"file_text": "x"}, "is not a file"),
        ("view", "binary", {}, "not UTF-8"),
        ("view", "large", {}, "too large"),
        ("undo_edit", "a", {}, "no command"),
    ],
)
def test_a_faulty_edit_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, path: str, arguments: Mapping[str, str], said: str
) -> None:
    monkeypatch.setattr(sandbox_editor, "WORKSPACE", tmp_path)
    (tmp_path / "a").write_text("x\nb\nx")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    os.truncate(tmp_path / "binary", 2)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(20_000_000)
    with pytest.raises((sandbox_editor.EditFault, OSError), match=said.replace("(", r"\(").replace(")", r"\)")):
        sandbox_editor.edited(command, path, dict(arguments))
    assert (tmp_path / "a").read_text() == "x\nb\nx"


def test_without_bubblewrap_or_without_a_limit_for_root_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "make_group", lambda limits: None)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SandboxUnavailable) as caught:
        Sandbox(LIMITS)
    assert "for root" in caught.value.why
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    with pytest.raises(SandboxUnavailable) as caught:
        Sandbox(LIMITS)
    assert "apt-get install bubblewrap" in caught.value.remedy


def test_where_no_process_may_enter_a_group_resource_limits_take_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    group = sandbox.ControlGroup([tmp_path / "group"], {})
    (tmp_path / "group").mkdir()
    (tmp_path / "group" / "cgroup.procs").mkdir()  # nothing can be written there
    monkeypatch.setattr(sandbox, "make_group", lambda limits: group)
    with pytest.raises(SandboxUnavailable):
        Sandbox(LIMITS)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    limited = Sandbox(LIMITS)
    assert limited.limited_by == "resource limits"
    script = "ulimit -u; ulimit -v; ulimit -f"
    done = subprocess.run(limited.command(["bash", "-c", script], None), env={}, capture_output=True, text=True)
    assert done.stdout.split() == ["64", "390625", "48828"]
    limited.close()


async def test_a_sandbox_that_cannot_be_made_refuses_the_tools(
    folder: Path, guarded: Guarded, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(OperatorError) as caught:
        await make(folder, guarded).describe()
    assert "setting up uid map: Permission denied" in caught.value.detail
    assert "user namespaces" in caught.value.remedy
    assert guarded.groups == ()


def test_groups_of_killed_processes_are_removed(tmp_path: Path) -> None:
    for name in ("operator-console-sandbox-999999999", f"operator-console-sandbox-{os.getpid()}", "other-999999999"):
        (tmp_path / name).mkdir()
    sandbox._remove_stale(tmp_path)
    left = {each.name for each in tmp_path.iterdir()}
    assert left == {f"operator-console-sandbox-{os.getpid()}", "other-999999999"}


@pytest.mark.parametrize(
    ("own", "mounts", "folders"),
    [
        (
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope",
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw",
            [["/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice"]],
        ),
        ("0::/", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", [["/sys/fs/cgroup"]]),
        (
            "8:pids:/\n4:memory:/a\n0::/",
            "31 23 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n32 23 0:28 / /cg/pids rw - cgroup cgroup rw,pids",
            [["/cg/pids", "/cg/memory/a"]],
        ),
        ("8:pids:/", "32 23 0:28 / /cg/pids rw - cgroup cgroup rw,pids", []),
    ],
)
def test_where_a_control_group_may_be_made(
    monkeypatch: pytest.MonkeyPatch, own: str, mounts: str, folders: list[list[str]]
) -> None:
    files = {"/proc/self/cgroup": own, "/proc/self/mountinfo": mounts}
    monkeypatch.setattr(sandbox, "_lines", lambda file: files[file].splitlines())
    found = [[os.path.normpath(each) for each in one] for one in sandbox._candidates()]
    assert found == folders
