"""Beer and Pretzels Skirmish: the sequences of its two chart cards."""

HOMES = {
    "flame": "fire",
    "blast": "blasts",
    "barrage": "blasts",
    "he_attack": "blasts",
    "he_gun": "blasts",
    "crash": "vehicles",
}
"""Files that plan several sequences, by sequence: `plan_flame` is in fire. All others are in a file of their own."""
