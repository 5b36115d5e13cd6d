"""Colours and style sheet of the practice window, in the colours of the console's light theme."""

from __future__ import annotations

BACKGROUND = "#f4f5f7"
PANEL = "#ffffff"
LINE = "#dde1e6"
TEXT = "#1b1f24"
SECONDARY = "#59626e"
ACCENT = "#2456c7"
OK = "#1a7f4b"

STYLE = f"""
QWidget {{ color: {TEXT}; font-size: 14px; }}
#window {{ background: {BACKGROUND}; }}
#title {{ font-size: 20px; font-weight: 600; }}
#about, #status {{ color: {SECONDARY}; }}
#status[saved="true"] {{ color: {OK}; }}
#heading {{ font-weight: 600; }}
QLineEdit, QPlainTextEdit, QListWidget {{
    background: {PANEL}; border: 1px solid #b6bec8; border-radius: 6px; padding: 6px 8px;
    selection-background-color: {ACCENT}; selection-color: #ffffff;
}}
QListWidget {{ padding: 4px; }}
QListWidget::item {{ padding: 4px 6px; border-radius: 4px; color: {TEXT}; }}
QListWidget::item:selected {{ background: {ACCENT}; color: #ffffff; }}
QLineEdit:focus, QPlainTextEdit:focus, QListWidget:focus {{ border: 1px solid {ACCENT}; }}
QPushButton {{
    background: {PANEL}; border: 1px solid #b6bec8; border-radius: 6px; padding: 7px 18px; min-width: 56px;
}}
QPushButton:hover {{ border-color: {ACCENT}; }}
QPushButton:focus {{ border: 1px solid {ACCENT}; }}
QPushButton:pressed {{ background: #e8ecf3; }}
QPushButton#save {{ background: {ACCENT}; border-color: {ACCENT}; color: #ffffff; font-weight: 600; }}
QPushButton#save:pressed {{ background: #1b449f; }}
"""
