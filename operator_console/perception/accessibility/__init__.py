"""Accessible elements of applications, asked for by a process of their own."""
