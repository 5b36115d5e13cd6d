"""Desktops of the freedesktop.org family (Linux): notifications, screen lock and input methods over D-Bus."""
