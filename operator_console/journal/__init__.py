"""The session record: append, read, verify, summarise, export and delete.

Each session is one SQLite file with its events, as a hash chain, and their pictures. Typed texts
stand in it as they were.
"""
