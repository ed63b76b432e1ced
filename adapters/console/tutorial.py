"""The lessons of the tutorial, which plays a real fire attack step by step."""

_FIRE = 'lnlt fire attackers="squad fp=2 sw=3; squad fp=1" targets="leader morale=6 lm=1; squad morale=5" tm=1'

LESSONS = (
    (
        "Two squads fire at a leader and a squad in the woods (Lock 'n Load Tactical). The first squad leads with "
        "firepower 2 and a machine gun of 3; the other adds half. Before you roll, ask for the exact odds:",
        f"{_FIRE} adjacent odds",
    ),
    (
        "Nothing was rolled, and only you saw it. Now fire: the same line without the word odds.",
        f"{_FIRE} adjacent",
    ),
    (
        "The first line is the result. Below are the raw dice, each modifier by name, the totals and each unit. "
        "Prefer your own dice? Roll them on the table and type them in the order asked for:",
        f"{_FIRE} adjacent hand=4,3,2,5",
    ),
    (
        "Type too few, and nothing is recorded: Grognard says which die comes next. Any table can be read alone:",
        "lnlt-table melee-odds 7 5",
    ),
    ("Typos are fine. Try a word that does not exist:", "lnlt fier"),
    ("And you can always roll plain dice:", "roll 3x 2d6 + 1 [leader]"),
    (
        'That is all you need. "help lnlt" lists every sequence, "help lnlt fire" explains one, and '
        '"game start lnlt Hill-875 sides=US,VC" lets this channel remember units, turns and every die. '
        'Nobody around? "solo lnlt" is a fight against a side that plays itself.',
        "",
    ),
)
"""The text of each step of the tutorial, and the command that it runs: "" at the end."""
