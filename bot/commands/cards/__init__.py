"""Decks, cups of chits, and the hands that are dealt from them."""
