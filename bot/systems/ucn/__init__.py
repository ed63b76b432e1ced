"""Ultracombat Normandy: its combat procedures."""
