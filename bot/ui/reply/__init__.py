"""Replies as values, and the parts of their bodies."""
