"""Replies as values, and what they are made of."""
