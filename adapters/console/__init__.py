"""The console: every command in a terminal, without an account. It also runs a script from standard
input.
"""
