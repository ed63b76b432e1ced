"""Servers that stand in for a chat platform, so the real client libraries can be tested without
the internet.
"""
