"""The session record: append, read, verify, summarise, export and delete.

Each session is one SQLite file with its events, as a hash chain, and their pictures. Secrets are masked before events
get here.
"""
