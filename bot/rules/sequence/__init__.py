"""Combat sequences: steps that ask for dice, and what each says."""
