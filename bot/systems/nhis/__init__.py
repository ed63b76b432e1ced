"""No Honor in Surrender: the sequences of the player aid card."""
