"""What the bot keeps about a user: shown, exported and deleted."""
