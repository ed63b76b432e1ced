"""The after-action page: a game as one HTML file that shows how it went and proves its dice."""
