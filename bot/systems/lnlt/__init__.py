"""Lock 'n Load Tactical: the sequences of the player aid cards."""

HOMES = {
    "barrage": "area",
    "crash": "area",
    "fire_mission": "area",
    "overrun": "fire",
    "ordnance_infantry": "ordnance",
    "ordnance_vehicle": "ordnance",
    "bail_out": "damage_check",
}
"""Files that plan several sequences, by sequence: `plan_barrage` is in area. All others have a file of their own."""
