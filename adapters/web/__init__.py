"""The live page: one address for each shared game, read-only, over HTTP with server-sent events."""
