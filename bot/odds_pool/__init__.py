"""Long calculations outside the bot's process: the pool and its process."""
