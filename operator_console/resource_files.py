"""Where the shipped files (icons, translations, prompts, styles, word tables, runbooks) lie on disk.

Not a loader: it returns paths and reads nothing. Any room may import it; it stands beside domain and
imports the standard library only.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE_DIR = Path(__file__).resolve().parent
# A wheel carries them inside the package; a checkout keeps them beside it (pyproject.toml, force-include).
_CANDIDATES = (_PACKAGE_DIR / "resources", _PACKAGE_DIR.parent / "resources")


def resource_path(*parts: str) -> Path:
    """The path of one shipped file or folder, e.g. ``resource_path("runbooks", "practice.txt")``.

    Args:
        parts: Path components below ``resources/``; none gives the folder itself.

    Returns:
        An absolute, existing path.

    Raises:
        FileNotFoundError: The installation lacks it; the message names the places that were looked at.
    """
    for root in _CANDIDATES:
        path = root.joinpath(*parts)
        if path.exists():
            return path
    looked = ", ".join(str(root.joinpath(*parts)) for root in _CANDIDATES)
    raise FileNotFoundError(f"This installation lacks a file it ships with (looked for {looked}); install it again.")
