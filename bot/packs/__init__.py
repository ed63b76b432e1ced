"""The tools for authors of packs: the check, the import of tables and decks, and a first pack."""
