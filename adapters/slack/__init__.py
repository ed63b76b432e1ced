"""Slack: every command as a slash command, a mention or a direct message, over Socket Mode or
HTTP.
"""
