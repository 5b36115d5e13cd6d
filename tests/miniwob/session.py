"""Has a session of the console work pages of MiniWoB++, with a model that says what the pages' oracles say.

The whole console (`run`, in a process of its own) against the strict Gemini server. The target shows the page in its
upper left corner: a managed browser, or a monitor with a browser in full screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.display.acceptance.harness import MODEL, final, turn
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.rig import Desktop
from tests.miniwob.pages import MiniWobPages, OracleSilent
from tests.servers.gemini_server import GeminiServer
from tests.servers.scripted_server import Seen

_MOST_TURNS = 90
_LONGEST_S = 1800.0
_TRIES = 4
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How a task ended. `reward`: the page's own; None: it was not ended, `why` says more."""

    task: str
    reward: float | None
    why: str = ""

    @property
    def solved(self) -> bool:
        return self.reward is not None and self.reward > 0


@dataclass(slots=True, kw_only=True)
class NeverErrs:
    """The model: for each task in turn what its oracle says; then the link to the next page.

    A call that was not carried out, because the page had changed under it, is said again.

    Attributes:
        played: the tasks so far.
        refused: the calls that were not carried out, and why.
        asked, steps: about how many calls the session asked, and how many turns it had.
        rules: why it asked.
    """

    pages: MiniWobPages
    tasks: Sequence[str]
    size: tuple[int, int]
    played: list[Played] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    asked: int = 0
    rules: list[str] = field(default_factory=list)
    steps: int = 0
    _said: list[Call] = field(default_factory=list)
    _turns: int = 0
    _again: int = 0

    def __call__(self, seen: Seen) -> Mapping[str, Any]:
        calls = self._undone(seen)
        self._again = self._again + 1 if calls else 0
        if not calls or self._again > _TRIES:
            calls = self._next()
        self._said = calls
        return turn(*calls) if calls else final()

    def _undone(self, seen: Seen) -> list[Call]:
        parts = seen.request["contents"][-1]["parts"]
        answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        if seen.again:
            return self._said
        told = zip(self._said, answers, strict=False)
        undone = [(call, answer) for call, answer in told if answer.get("status", "done") != "done"]
        self.refused += [f"{call}: {answer.get('status')}: {answer.get('error')}" for call, answer in undone]
        return [call for call, _ in undone]

    def _next(self) -> list[Call]:
        while len(self.played) < len(self.tasks):
            task = self.tasks[len(self.played)]
            try:
                step = self.pages.ask(task)
            except OracleSilent as error:
                left = self.tasks[len(self.played) :]
                self.played += [Played(task=each, reward=None, why=str(error)) for each in left]
                return []
            self._turns += 1
            if not step.get("ended") and self._turns <= _MOST_TURNS:
                return [self._call(call) for call in step["calls"]]
            self._turns = 0
            self.played.append(Played(task=task, reward=step.get("reward"), why=str(step.get("why", "too many turns"))))
            if len(self.played) < len(self.tasks):
                return [self._call({"name": "click_at", "at": step.get("next", (52, 316))})]
        return []

    def _call(self, call: Mapping[str, Any]) -> Call:
        given = {key: value for key, value in call.items() if key not in ("name", "at", "to")}
        for names, key in ((("x", "y"), "at"), (("destination_x", "destination_y"), "to")):
            if key in call:
                given |= {name: at * 1000 / size for name, at, size in zip(names, call[key], self.size, strict=True)}
        if "magnitude" in given:
            given["magnitude"] = given["magnitude"] * 1000 / self.size[1]
        return call["name"], given


async def play(
    desktop: Desktop, folder: Path, pages: MiniWobPages, tasks: Sequence[str], size: tuple[int, int], target: str
) -> NeverErrs:
    """One session over these tasks, whose first page `target` shows. A person says yes to each question.

    Args:
        desktop: where the console runs.
        folder: for its output.
        pages: where the tasks are.
        tasks: in their order.
        size: of the target's picture, pixels.
        target: as for `run`.
    """
    model = NeverErrs(pages=pages, tasks=tasks, size=size)
    turns = [model] * (_MOST_TURNS * len(tasks))
    async with GeminiServer(turns, api_key="test-key", keep_screenshots=3) as server:
        words = ("run", "Do as the script says.", "--json", "--model", MODEL, "--target", target)
        limits = ("--max-steps", str(len(turns)), "--max-minutes", "60")
        with TerminalConsole(desktop, folder, server.url, (*words, *limits)) as console:
            code = await asyncio.to_thread(console.say_until_end, "yes", _LONGEST_S)
            events = console.events()
            assert code == 0, f"{console.report()}\n{model.played}\n{model.refused}"
        assert server.violations == [], server.violations
    model.asked = sum(event["kind"] == "question" and event["question"]["action"] is not None for event in events)
    decided = (event for event in events if event["kind"] == "decided" and event["by"] != "policy")
    model.rules = [(event.get("assessment") or {}).get("rule", "") for event in decided]
    model.steps = sum(event["kind"] == "proposed" for event in events)
    return model
