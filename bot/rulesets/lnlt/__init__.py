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
"""Files that plan several sequences, by sequence: `plan_barrage` is in area. All others have a
file of their own.
"""
LINKS = ("in",)
"""Attributes that lead to units beyond the inputs which its sequences may change: who rides in a
vehicle.
"""
MARKS = dict.fromkeys(
    ("fire", "ordnance-vehicle", "ordnance-infantry", "barrage", "overrun"), ("fired",)
)
"""Markers that a sequence may put on who attacks, by sequence; those that are there once a turn."""
