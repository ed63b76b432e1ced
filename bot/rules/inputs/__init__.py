"""Inputs of tables, commands and sequences, and the parsing of typed text."""
