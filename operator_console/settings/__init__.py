"""Settings: their model and file, API keys from the environment and the keyring, paths of files, and logging.

Only `cli` and `app` read settings; they pass values on to the other rooms.
"""
