"""Procedures of the Advanced Squad Leader situation tables."""
