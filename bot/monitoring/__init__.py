"""The host's view of a running bot: a log line per command, health, metrics.

Imported only if somebody looks.
"""
