"""Grognard: tabletop wargames fought in chat."""
