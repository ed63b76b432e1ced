"""Text of players and of answers: sentences, names of units, lines, normalized and safe text."""
