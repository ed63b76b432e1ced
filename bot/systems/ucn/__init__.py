"""Ultracombat Normandy: its combat sequences."""
