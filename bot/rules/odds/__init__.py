"""Exact odds: the plan that is played, driven by every roll."""
