"""The live page (one address for each shared game, read-only, with server-sent events) and the page
about the bot's health.
"""
