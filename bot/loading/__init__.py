"""Games and their logs, loaded from the store into the values of `bot/game/`."""
