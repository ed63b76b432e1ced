"""What carries commands in and replies out: console, Discord, Slack. Imports point inward, to `bot`."""
