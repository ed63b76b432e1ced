"""Rolls, look-ups and combat sequences, their odds, and the buttons beneath them."""
