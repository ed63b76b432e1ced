"""Packs and macros of a server."""
