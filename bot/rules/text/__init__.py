"""Words: sentences, names of units, lines of an answer, what nobody can see kept out."""
