"""The console: every command in a terminal, no account needed. Also reads a script from standard
input.
"""
