"""Pictures of an evening in chat: it is played, and what the bot sends is drawn."""
