"""Players who seek an opponent: their cards, shared hours, and the games that come of them."""
