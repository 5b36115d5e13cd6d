"""Every runtime dependency of pyproject.toml is imported by the package, or stands here with the reason."""

from __future__ import annotations

import tomllib
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.source import ROOT, imported, modules, tree_of

FOR_OTHERS = {
    "onnxruntime": "rapidocr runs its models with it, and leaves the choice of an engine to whoever installs it",
    "boto3": "anthropic finds credentials for Bedrock and signs requests with it, and leaves it to whoever installs it",
}

STILL_UNUSED: set[str] = set()
"""Imported by nothing, and not for another's sake. An entry that is no longer needed fails."""


def import_names(distribution: str) -> set[str]:
    """The top-level names that an installed distribution provides."""
    return {file.parts[0].removesuffix(".py") for file in metadata.files(distribution) or () if file.suffix == ".py"}


def test_every_dependency_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [Requirement(text) for text in project["dependencies"]]
    wanted = {canonicalize_name(r.name) for r in requirements if r.marker is None or r.marker.evaluate()}
    used = {name.split(".")[0] for module in modules() for name, _ in imported(tree_of(module))}
    unused = {name for name in wanted if not import_names(name) & used}
    assert unused - FOR_OTHERS.keys() == STILL_UNUSED
    assert FOR_OTHERS.keys() & (wanted - unused) == set(), "imported, so it needs no reason"
    assert FOR_OTHERS.keys() <= {canonicalize_name(requirement.name) for requirement in requirements}
