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
"""The file of each sequence that shares one: `plan_barrage` is in area. Each other sequence has a
file of its own name.
"""
LINKS = ("in",)
"""Attributes that name another unit, and that lead a sequence to units outside its inputs. `in`
names the vehicle that a unit rides in: what happens to the vehicle can change its riders.
"""
MARKS = dict.fromkeys(
    ("fire", "ordnance-vehicle", "ordnance-infantry", "barrage", "overrun"), ("fired",)
)
"""Markers that a sequence can put on the attacker, by sequence; only those that last for a turn."""
