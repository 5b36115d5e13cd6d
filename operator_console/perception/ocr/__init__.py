"""Optical character recognition in a process of its own."""
