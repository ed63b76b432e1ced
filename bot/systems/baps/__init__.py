"""Beer and Pretzels Skirmish: the sequences of its two chart cards."""
