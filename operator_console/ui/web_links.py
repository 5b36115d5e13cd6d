"""Opens web addresses in the person's browser, and only when the person asks for it."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_web_page(address: str) -> bool:
    """Open a page; other kinds of address (files, programs) are not opened. Returns whether it was handed over."""
    url = QUrl(address)
    return url.scheme() in ("http", "https") and QDesktopServices.openUrl(url)
