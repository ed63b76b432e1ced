"""The ladder of a server: its standings, and how they are kept."""
