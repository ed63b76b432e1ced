"""Macros: saved commands with gaps, of a user and of a server."""
