"""Packs of a server."""
