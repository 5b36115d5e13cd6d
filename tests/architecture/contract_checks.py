"""Checks each import contract against a graph with exactly one of the modules named on the command line in it.

Started as ``python contract_checks.py MODULE...`` in a folder that holds pyproject.toml and the ``operator_console`` to
look at. The graph is built once. Prints a JSON object: each module, and "" for the package
without any of them, with the names of the contracts that are broken.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterable, Iterator

import grimp
from importlinter.api import read_configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.domain.contract import Contract

_KINDS: dict[str, type[Contract]] = {"forbidden": ForbiddenContract, "layers": LayersContract}


def contracts() -> list[Contract]:
    """Those of the working folder's configuration."""
    configuration = read_configuration()
    return [
        _KINDS[options["type"]](
            name=options["name"], session_options=configuration["session_options"], contract_options=options
        )
        for options in configuration["contracts_options"]
    ]


def broken(graph: grimp.ImportGraph) -> Iterator[str]:
    """The names of the contracts that `graph` breaks."""
    for contract in contracts():
        if not contract.check(copy.deepcopy(graph), verbose=False).kept:
            yield contract.name


def without(graph: grimp.ImportGraph, modules: Iterable[str]) -> grimp.ImportGraph:
    """A copy of `graph` without `modules`."""
    left = copy.deepcopy(graph)
    for module in modules:
        left.remove_module(module)
    return left


def main(modules: list[str]) -> None:
    graph = grimp.build_graph("operator_console", include_external_packages=True, cache_dir=None)
    kept_apart = {module: [other for other in modules if other != module] for module in ["", *modules]}
    print(json.dumps({module: list(broken(without(graph, others))) for module, others in kept_apart.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
