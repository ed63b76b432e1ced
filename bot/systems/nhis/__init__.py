"""No Honor in Surrender: the procedures of the player aid card."""
