"""Writes the page of a game: how to start, how a turn goes, every sequence and every table.

`page.py` puts the page together. `play.py` plays its examples, so that each answer is the bot's own.
What is written by hand for a game, the commands of its first turn, is in `turns.yaml`.
"""
