"""Lock 'n Load Tactical: the procedures of the player aid cards."""
