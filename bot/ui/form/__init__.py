"""Guided forms: fields, units, answers."""
