"""Finds the files that are shipped with the program: icons, prompts, styles, word tables, runbooks.

Any package may import it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE_DIR = Path(__file__).resolve().parent
# Inside the package in a wheel, beside it in a checkout (pyproject.toml, force-include).
_CANDIDATES = (_PACKAGE_DIR / "resources", _PACKAGE_DIR.parent / "resources")


def resource_path(*parts: str) -> Path:
    """The path of a shipped file or folder, e.g. ``resource_path("runbooks", "practice.txt")``.

    Args:
        parts: Path components below ``resources/``; none gives the folder itself.

    Returns:
        An absolute, existing path.

    Raises:
        FileNotFoundError: The file is missing; the message names the paths that were tried.
    """
    for root in _CANDIDATES:
        path = root.joinpath(*parts)
        if path.exists():
            return path
    looked = ", ".join(str(root.joinpath(*parts)) for root in _CANDIDATES)
    raise FileNotFoundError(f"The installation is incomplete (searched for {looked}). Install the program again.")
