"""The results of rolls, look-ups and combat sequences: replies for players and records for the log."""
