"""Discord: `adapters.run` runs the bot there, `grognard commands discord` prints what Discord is
told.
"""
