"""Lock 'n Load Tactical: the sequences of the player aid cards."""
