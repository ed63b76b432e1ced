"""Sequences of the Advanced Squad Leader situation tables."""
