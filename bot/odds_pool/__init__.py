"""Long sums beside the bot: the pool and its process."""
