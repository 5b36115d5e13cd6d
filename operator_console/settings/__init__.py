"""One typed settings model, read from file, keyring and environment."""
