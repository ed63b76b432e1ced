"""Games: begun, listed, opened, linked, moved, exported, imported, ended."""
