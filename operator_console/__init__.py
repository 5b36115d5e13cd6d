"""Operator console: one person supervises a computer-use model that works a real desktop."""

from __future__ import annotations

__version__ = "0.1.0"
