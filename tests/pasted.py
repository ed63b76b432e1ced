"""Tables and rosters as people paste or send them in a chat, and what is read of each: for the
tests of both platforms.
"""

from __future__ import annotations

from typing import NamedTuple


class Pasted(NamedTuple):
    """A text, the name of its file, and parts of the answer."""

    name: str
    text: str
    answers: tuple[str, ...]


TABLES = (
    Pasted(
        "out of a spreadsheet.txt",
        "2d6\tSky\n2-Apr\twet\n5-9\tgrey\n10-12\tblue\n",
        (
            "Read as: 2d6 by row (2-4, 5-9, 10-12); 3 different results",
            "2-Apr looks like a date that a spreadsheet made from 2-4: read as originally typed",
        ),
    ),
    Pasted(
        "off a web page.txt",
        "Loot of the day\nd100\tFind\tWorth\n01–50\tstraw\t0\n51–95\tbread\t1\n96–00\tgold\t10\n"
        "Source: the club's pages\n",
        (
            "Read as: d100 by row (1-50, 51-95, 96-100); each row gives find, worth",
            'left out: "Source: the club\'s pages"',
        ),
    ),
    Pasted(
        "out of a document.txt",
        "Combat results\n1:2 1:1 2:1 3:1\n1-2 AE AE AR NE\n3-4 AE AR NE DR\n5-6 AR NE DR DE\n",
        ("Read as: d6 by row (1-2, 3-4, 5-6); 1:2 to 3:1 by column; 5 different results",),
    ),
    Pasted(
        "out of a manual.txt",
        "d6 Who is on the road\n1. A farmer, with a cart\n2-4. Nobody\n5. A scout\n6. An ambush\n",
        ("Read as: d6 by row (1, 2-4, 5, 6); 4 different results",),
    ),
    Pasted(
        "notes.md",
        "# Notes\n\n| d6 | Sky |\n|---|---|\n| **1–3** | wet |\n| **4–6** | blue |\n\nFog lasts a turn.\n",
        ("Read as: d6 by row (1-3, 4-6); 2 different results", 'left out: "Fog lasts a turn."'),
    ),
)
ROSTERS = (
    Pasted(
        "club.csv",
        "name;type;morale;count;points\nRifle;squad;5,0;2;120\nAce;hero;6;;40\nTotal;;;;280\n",
        ("2 units in line 2 are called Rifle 1..2", "column points, which units", '"Total"'),
    ),
    Pasted(
        "club.json",
        '{"roster": {"forces": [{"selections": [{"name": "Rifle Squad", "type": "unit", "number": 2},'
        ' {"name": "House rules", "type": "upgrade"}]}]}}',
        ("because they aren't units: House rules", "Rifle Squad (squad)"),
    ),
    Pasted(
        "club.txt",
        "+ US Company +\n2x Scout Team [30 pts]\n  9x Rifleman\nWagon\n",
        ("as headings: US Company", "1 indented line", "Wagon, with no type in the name"),
    ),
)
