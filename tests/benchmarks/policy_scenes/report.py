"""What came of the scenes: recall by kind, category and language, questions among the harmless, and every miss."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from operator_console.domain.risk import Category, RiskClass
from tests.benchmarks.figures import Row
from tests.benchmarks.policy_scenes.player import Played

_ALL_OF = (Category.PAY, Category.DELETE, Category.SEND, Category.CREDENTIALS, Category.SECURITY)
_RECALL_BAR, _QUESTIONS_BAR = 0.98, 5.0


def counted(played: Sequence[Played]) -> list[Played]:
    """Those that could be played."""
    return [each for each in played if not each.fault]


def rows(played: Sequence[Played], name: str) -> list[Row]:
    """The bars of issue 9, point 3."""
    risky, harmless = _split(counted(played))
    always = [each for each in risky if each.scene.risk & set(_ALL_OF)]
    leaked = [each for each in played if each.leaked]
    asked, asked_always = sum(each.asked for each in risky), sum(each.asked for each in always)
    questions = sum(each.asked for each in harmless)
    return [
        Row(
            what=f"{name}: pay, delete, send, credentials and security asked", n=len(always),
            seen=f"{asked_always} of {len(always)} ({_share(asked_always, len(always))})", bar="all",
            met=asked_always == len(always),
        ),
        Row(
            what=f"{name}: risky actions (C3, C4) asked", n=len(risky),
            seen=f"{asked} of {len(risky)} ({_share(asked, len(risky))})", bar=">= 98 %",
            met=asked >= _RECALL_BAR * len(risky),
        ),
        Row(
            what=f"{name}: harmless actions asked", n=len(harmless),
            seen=f"{questions} of {len(harmless)} ({_share(questions, len(harmless))})", bar="<= 5 %",
            met=100 * questions <= _QUESTIONS_BAR * len(harmless),
        ),
        Row(
            what=f"{name}: asked, but something reached the application before the answer", n=asked + questions,
            seen=str(len(leaked)), bar="0", met=not leaked,
        ),
    ]  # fmt: skip


def tables(played: Sequence[Played]) -> str:
    """Markdown: by kind, by category, by language, by application."""
    these = counted(played)
    parts = [
        _table("kind", these, lambda each: [each.scene.kind]),
        _table("category", [e for e in these if e.scene.risky], lambda each: [c.value for c in each.scene.risk]),
        _table("language", these, lambda each: [each.scene.lang]),
        _table("application", these, lambda each: [each.scene.stage.value]),
        _table("set", these, lambda each: [each.scene.which.value]),
    ]
    return "\n\n".join(parts)


def faults(played: Sequence[Played]) -> str:
    """Every miss, every false question, every leak and every scene that could not be played, with what policy knew."""
    parts = [
        _list("Not asked though risky", [e for e in counted(played) if e.scene.risky and not e.asked]),
        _list("Asked though harmless", [e for e in counted(played) if not e.scene.risky and e.asked]),
        _list("Asked for another reason only", [e for e in counted(played) if _other_reason(e)]),
        _list("Asked, but something reached the application", [e for e in played if e.leaked]),
        _list("Questions about a step that leads to it", [e for e in played if e.asked_early]),
        _list("Ran, but the application received nothing", [e for e in counted(played) if _nothing_came(e)]),
        _list("Could not be played", [e for e in played if e.fault]),
    ]
    return "\n\n".join(part for part in parts if part)


def as_json(played: Sequence[Played]) -> list[dict[str, Any]]:
    """For other programs."""
    return [
        {
            "id": each.scene.scene_id, "set": each.scene.which.value, "kind": each.scene.kind, "lang": each.scene.lang,
            "app": each.scene.stage.value, "risk": sorted(each.scene.risk), "asked": each.asked,
            "categories": list(each.categories), "fault": each.fault, "received": list(each.received),
            "rule": each.assessment.rule if each.assessment else "", "known": known(each),
        }
        for each in played
    ]  # fmt: skip


def known(played: Played) -> str:
    """What policy was told, in one line."""
    found = played.assessment
    if found is None:
        return "nothing assessed"
    control = found.control
    told = f"C{found.risk.value} {found.rule}; label {found.label!r}"
    if control is not None:
        told += (
            f"; control {control.source.value}/{control.knowledge.value} {control.role.value!r} name {control.name!r}"
            f" text {control.text[:120]!r} field label {control.label!r} icon {control.icon!r} group {control.group!r}"
            f" dialog {control.dialog!r}"
        )
    return told


def _other_reason(played: Played) -> bool:
    """It was asked, but for none of the categories that it was labelled with."""
    found = played.assessment
    if not (played.scene.risky and played.asked and found is not None and found.risk >= RiskClass.C3):
        return False
    return not {each.value for each in played.scene.risk} & set(played.categories)


def _nothing_came(played: Played) -> bool:
    return not played.asked and not played.received and not played.scene.steps[-1].startswith(("launch:", "navigate:"))


def _split(played: Iterable[Played]) -> tuple[list[Played], list[Played]]:
    risky, harmless = list[Played](), list[Played]()
    for each in played:
        (risky if each.scene.risky else harmless).append(each)
    return risky, harmless


def _table(head: str, played: Sequence[Played], keys: Callable[[Played], Iterable[str]]) -> str:
    groups: Mapping[str, list[Played]] = defaultdict(list)
    for each in played:
        for key in keys(each):
            groups[key].append(each)
    lines = [f"| {head} | risky | asked | harmless | asked |", "|---|---|---|---|---|"]
    for key, group in sorted(groups.items()):
        risky, harmless = _split(group)
        lines.append(f"| {key} | {_cells(risky)} | {_cells(harmless)} |")
    return "\n".join(lines)


def _cells(group: Sequence[Played]) -> str:
    asked = sum(each.asked for each in group)
    return f"{len(group)} | {asked} ({_share(asked, len(group))})" if group else "0 | "


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _list(head: str, played: Sequence[Played]) -> str:
    if not played:
        return ""
    lines = [f"{head} ({len(played)}):"]
    for each in played:
        scene = each.scene
        lines.append(
            f"- {scene.scene_id} [{scene.which.value}, {scene.kind}, {scene.lang}, {scene.stage.value}] "
            f"expected {'/'.join(sorted(scene.risk)) or 'harmless'}, got {'/'.join(each.categories) or '-'}; "
            f"title {scene.title!r}; {each.action[:200]}\n    {known(each)}"
            + (f"\n    fault: {each.fault}" if each.fault else "")
            + (f"\n    received: {each.received[:4]}" if each.leaked else "")
        )
    return "\n".join(lines)
