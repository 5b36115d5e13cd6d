"""Whatever a service, a proxy or the network answers is told in a sentence with what to do about it.

Each fault of the list is tried with each provider: a check, a session in which it lasts, one in which it comes once.
In the ordinary run a few of them, each with two providers; all with --full.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from operator_console.app.model_check import SCREEN, check_model, report_of
from operator_console.app.session_export import export_session
from operator_console.cli.event_lines import EventLines
from operator_console.cli.run_to_end import exit_code
from operator_console.domain.codec import encode
from operator_console.domain.errors import ConsoleError, ExitCode
from operator_console.domain.events import Ended, EndedOutcome, Retrying, Warned
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.session_request import SessionRequest
from operator_console.engine.session_context import Options
from operator_console.engine.turn.request_with_retries import MOST_WAIT_S
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome, CheckReport
from tests.app.faults import FAULTS, KEY, Fault, says
from tests.app.test_check_and_session import TRIED, Watched, clicks
from tests.app.test_run_without_display import far
from tests.engine.function_session import EVERYTHING_ALLOWED
from tests.engine.rig import Rig, rig
from tests.fakes.far_backend import FarEnd
from tests.journal.conftest import Place
from tests.servers.faulty_service import FaultyService

PROVIDERS = {
    "gemini": "gemini", "anthropic": "claude-opus-5-5", "openai": "gpt-5.6-sol", "qwen": "Qwen/Qwen3-VL-8B-Instruct",
    "ui_tars": "ByteDance-Seed/UI-TARS-1.5-7B", "cogagent": "cogagent", "structured": "structured at endpoint",
}  # fmt: skip
"""Each provider, and which of its dialects is tried."""
_PROGRAM = Path(__file__).with_name("run_in_far_browser.py")
_ROOT = Path(__file__).parents[2]
_ = far  # a fixture
PARTS_OF_KEY = [KEY[at : at + 8] for at in range(len(KEY) - 7)]
BEGIN_OF_PICTURE = ("iVBORw0KGgo", "/9j/4AAQ")
RED = frozenset(CheckOutcome) - {CheckOutcome.WORKS, CheckOutcome.DOUBTFUL}

QUICK = [fault for fault in FAULTS if fault.quick]


@pytest.fixture(autouse=True)
def no_search_of_what_was_imported() -> None:
    """A garbage collection goes through all vendors' clients, which holds the loop for longer than is let pass."""
    gc.freeze()


def in_each_run(fault: Fault, name: str) -> bool:
    """Each of the quick ones with two providers, and each provider with some of them."""
    return fault.quick and (list(PROVIDERS).index(name) - 2 * QUICK.index(fault)) % len(PROVIDERS) < 2


CASES = [
    pytest.param(fault, name, id=f"{fault.name}-{name}", marks=() if in_each_run(fault, name) else pytest.mark.full)
    for fault in FAULTS
    for name in PROVIDERS
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A session that was run to its end."""

    ended: Ended
    requests: int
    rig: Rig

    @property
    def titles(self) -> list[NoticeCode]:
        return [NoticeCode(each.code) for each in notices_of(self.ended.message)]


async def checked(fault: Fault, name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[CheckReport, int]:
    """What a check says where the fault lasts, and how many requests it sent."""
    dialect = TRIED[PROVIDERS[name]]
    async with AsyncExitStack() as stack:
        good = clicks(dialect)
        right = await stack.enter_async_context(dialect.server([good, good, dialect.ends("Done.")]))
        service = await stack.enter_async_context(FaultyService(right.url, name, fault.react))
        provider = dialect.provider(service.url, api_key=KEY, timeout_s=fault.timeout_s)
        with monkeypatch.context() as patch:
            patch.setattr(registry, "create", lambda *_: provider)
            try:
                report = await check_model(provider.name, dialect.model, Ingredients(api_key=KEY))
            except ConsoleError as error:
                report = report_of(error)
        return report, len(service.requests)


async def run(
    fault: Fault, name: str, when: Callable[[int], bool] = lambda _: True, request: SessionRequest = EVERYTHING_ALLOWED
) -> Run:
    """A session as `run` has it in which nobody answers: two clicks, and the end."""
    dialect = TRIED[PROVIDERS[name]]
    async with AsyncExitStack() as stack:
        good = clicks(dialect)
        right = await stack.enter_async_context(dialect.server([good, good, dialect.ends("Done.")]))
        service = await stack.enter_async_context(FaultyService(right.url, name, fault.react, when=when))
        provider = dialect.provider(service.url, api_key=KEY, timeout_s=fault.timeout_s)
        stack.push_async_callback(provider.close)
        model = Watched(provider)
        options = Options(name="test", answerable=False, continue_question=True)
        r = rig(model=model, request=request, options=options, size=SCREEN)
        await r.start()
        assert r.task is not None
        while not r.task.done():
            await asyncio.wait({r.task}, timeout=0.001)
            if not model.busy and (deadlines := r.clock.deadlines()):
                await r.clock.advance(deadlines[0])
        assert not right.violations
        return Run(ended=r.task.result(), requests=len(service.requests), rig=r)


def all_texts(made: Run, folder: Path, log: str) -> str:
    """All that a person can read of a session: output, record, exported page and archive, log."""
    place, lines = Place(file=folder / "one.ocsession", anchors=folder / "anchors"), EventLines()
    said = [line.text for record in made.rig.journal.records for line in lines.feed(record)]
    recorded = [json.dumps(encode(record.event)) for record in made.rig.journal.records]
    with place.create() as journal:
        for record in made.rig.journal.records:
            journal.append(record.event)
    exports = [folder / f"out.{suffix}" for suffix in ("html", "jsonl")]
    for target in exports:
        export_session(place.file, place.anchors, target)
    written = [path.read_bytes().decode("utf-8", "replace") for path in (place.file, *exports)]
    return "\n".join((*said, *recorded, *written, log))


def assert_no_secret(text: str, *, pictures: bool = True) -> None:
    assert [part for part in PARTS_OF_KEY if part in text] == []
    if pictures:
        assert [begin for begin in BEGIN_OF_PICTURE if begin in text] == []


@pytest.mark.parametrize(("fault", "name"), CASES)
async def test_a_fault_is_named_with_its_remedy_and_a_session_goes_on_where_it_can(
    fault: Fault, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    title = fault.other.get(name, fault.title)
    report, of_check = await checked(fault, name, monkeypatch)
    lasting = await run(fault, name)
    once = await run(fault, name, when=lambda number: number == 2)

    assert report.outcome is fault.check, report
    assert (report.outcome in RED) is (exit_code(lasting.ended.outcome) != ExitCode.FINISHED)
    assert of_check == (1 if report.outcome in RED else 2) or fault.timeout_s < 1
    assert exit_code(lasting.ended.outcome) == fault.code, lasting.ended
    assert exit_code(once.ended.outcome) == (ExitCode.FINISHED if fault.passes else fault.code), once.ended
    if title is not None:
        assert lasting.titles[0] is title, lasting.ended
        assert fault.told in lasting.ended.message
        assert report.remedy
        assert lasting.titles[-1] is not NoticeCode.VERBATIM, "it ends with a remedy"
        assert lasting.requests <= fault.requests
        assert lasting.requests == fault.requests or fault.timeout_s < 1, "a slow machine did not send it"
        assert once.requests == (4 if fault.passes else 2)
        assert len(lasting.ended.message) < 1500
    assert NoticeCode.INTERNAL_ERROR not in (*lasting.titles, *once.titles)
    waits = [each.wait_s for each in lasting.rig.of(Retrying)]
    assert all(wait >= 1 for wait in waits)
    assert sum(waits) <= MOST_WAIT_S
    assert_no_secret(all_texts(lasting, tmp_path, caplog.text), pictures=False)
    assert_no_secret(f"{report.said} {report.remedy} {lasting.ended.message} {[*map(str, lasting.rig.events)]}")


async def test_a_wait_ends_with_the_time_of_the_session() -> None:
    slow = next(fault for fault in FAULTS if fault.name == "429 after 7 s")
    made = await run(slow, "qwen", request=replace(EVERYTHING_ALLOWED, max_minutes=1 / 6))
    assert made.ended.outcome is EndedOutcome.LIMIT
    assert made.requests == 2
    assert sum(each.wait_s for each in made.rig.of(Retrying)) <= 10


@pytest.mark.parametrize(
    "name", ["anthropic", *(pytest.param(each, marks=pytest.mark.full) for each in ("gemini", "qwen", "ui_tars"))]
)
async def test_a_request_that_is_too_large_is_sent_smaller_and_the_session_goes_on(name: str) -> None:
    large = Fault(
        name="413", react=says(413, "Request exceeds the maximum size"), title=NoticeCode.SERVICE_REJECTED_REQUEST,
        check=CheckOutcome.REFUSED,
    )  # fmt: skip
    once = await run(large, name, when=lambda number: number == 2)
    assert exit_code(once.ended.outcome) == ExitCode.FINISHED, once.ended
    assert once.requests == 4
    assert [notices_of(warned.title)[0].code for warned in once.rig.of(Warned)] == [
        NoticeCode.FEWER_SCREENSHOTS_FROM_NOW
    ]
    lasting = await run(large, name)
    assert lasting.titles[-1] is NoticeCode.LOWER_WHAT_IS_KEPT
    assert lasting.requests < 10


@pytest.mark.parametrize(
    ("name", "title", "code"),
    [
        ("400 with the request in it", "rejected the request", ExitCode.FAILED),
        pytest.param("403 page", "web page answered", ExitCode.FAILED, marks=pytest.mark.full),
        pytest.param("without usage", "", ExitCode.FINISHED, marks=pytest.mark.full),
    ],
)
async def test_the_whole_program_ends_with_the_exit_code_and_shows_no_key(
    name: str, title: str, code: int, far: FarEnd, tmp_path: Path
) -> None:
    fault = next(fault for fault in FAULTS if fault.name == name)
    dialect = TRIED[PROVIDERS["qwen"]]
    record = tmp_path / "one.ocsession"
    async with dialect.server([dialect.ends("Done.")]) as right, FaultyService(right.url, "qwen", fault.react) as here:
        words = [far.address, "--provider", "qwen", "--model", dialect.model, "--session", str(record)]
        paths = os.pathsep.join((str(_ROOT), os.environ["PYTHONPATH"]))
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(_PROGRAM), *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE,
            env={**os.environ, "PYTHONPATH": paths, **dialect.environment(here.url, KEY)},
        )  # fmt: skip
        output, errors = await process.communicate()
    assert process.returncode == code, errors.decode()
    assert title in errors.decode()
    assert len(here.requests) == 1
    logs = [path.read_bytes() for path in Path(os.environ["OPERATOR_CONSOLE_HOME"]).rglob("*") if path.is_file()]
    assert_no_secret(
        b"\n".join((output, errors, record.read_bytes(), *logs)).decode("utf-8", "replace"), pictures=False
    )
    assert_no_secret((output + errors).decode())
