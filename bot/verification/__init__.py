"""Checks that a log is honest: chain, seeds, dice and texts, who may do what, and every result
played again.
"""
