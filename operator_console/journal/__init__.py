"""The session record: append, read, verify, summarise, export, delete.

One SQLite file per session holds the events (as a hash chain) and their pictures. What it is given is masked already;
it shows nothing and decides nothing.
"""
