"""No module of the package imports itself by way of others, not even for its types."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_the_imports_between_modules_have_no_cycle() -> None:
    graph = grimp.build_graph("operator_console", exclude_type_checking_imports=False, cache_dir=None)
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imported).prepare()  # CycleError names the modules
