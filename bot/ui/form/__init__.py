"""Guided forms: their fields, their menus of units, and the values that are submitted."""
