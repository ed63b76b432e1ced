"""The titles of forms and the labels of their buttons, for commands other than sequences and tables.

Those have both in their own files. Slack shows 24 characters of a title.
"""

from bot.ui.spec import CommandSpec

_TITLES = {
    "roll": ("Roll dice", "Roll"),
    "game join": ("Join a side", "Join"),
    "game pass": ("Pass", "Pass"),
    "game initiative": ("Initiative", "Continue"),
    "game plan": ("Plan an event", "Plan"),
    "game board": ("Board", "Show"),
    "game end": ("End the game", "Continue"),
    "game open": ("Read a game", "Open"),
    "game resume": ("Resume a game", "Resume"),
    "game reveal": ("Open a sealed roll", "Open"),
    "game undo": ("Undo", "Undo"),
    "game settings": ("Game settings", "Save"),
    "game transfer": ("Move the game", "Move"),
    "game link": ("Link two channels", "Link"),
    "game export": ("Export the game", "Export"),
    "game import": ("Import a game", "Import"),
    "game share": ("Share the game live", "Share"),
    "game delete": ("Delete the game", "Continue"),
    "game stats": ("Luck of a game", "Show"),
    "unit edit": ("Change units", "Change"),
    "unit remove": ("Remove units", "Remove"),
    "unit list": ("Roster", "Show"),
    "unit show": ("One unit", "Show"),
    "unit import": ("Import a roster", "Import"),
    "log": ("Game log", "Show"),
    "deck draw": ("Draw cards", "Draw"),
    "deck deal": ("Deal cards", "Deal"),
    "deck peek": ("Look at the next cards", "Look"),
    "deck play": ("Play cards", "Play"),
    "deck give": ("Give cards", "Give"),
    "deck make": ("Make a deck", "Make"),
    "deck discard": ("Discard cards", "Discard"),
    "deck return": ("Put cards back", "Put back"),
    "deck shuffle": ("Shuffle", "Shuffle"),
    "deck show": ("Show a deck", "Show"),
    "choose": ("Choose", "Choose"),
    "hand": ("Your hand", "Show"),
    "order write": ("Write your orders", "Seal"),
    "order deadline": ("Deadline for orders", "Set"),
    "track set": ("Change a track", "Change"),
    "fair show": ("Proof of the dice", "Show"),
    "fair add": ("Add to the dice", "Add"),
    "me ping": ("Reminders", "Save"),
    "macro add": ("Save a macro", "Save"),
    "macro run": ("Run a macro", "Run"),
    "macro remove": ("Delete a macro", "Delete"),
    "macro export": ("Export macros", "Export"),
    "macro import": ("Import macros", "Import"),
    "privacy delete": ("Delete your data", "Continue"),
    "help": ("Help", "Show"),
    "find": ("Find", "Find"),
    "pack add": ("Add a pack", "Add"),
    "pack show": ("Look at a pack", "Show"),
    "pack enable": ("Enable a pack", "Enable"),
    "pack disable": ("Disable a pack", "Disable"),
    "pack export": ("Export a pack", "Export"),
    "pack remove": ("Remove a pack", "Remove"),
    "setup links": ("Links between servers", "Save"),
}


def get_form_title(spec: CommandSpec) -> str:
    """Return the title of a command's form: its own, else that of _TITLES, else its summary."""
    title, _ = _TITLES.get(" ".join(spec.path), (spec.summary, ""))
    return spec.title or title


def get_form_verb(spec: CommandSpec) -> str:
    """Return the label of the button of a command's form: its own, else that of _TITLES, else OK."""
    _, verb = _TITLES.get(" ".join(spec.path), ("", "OK"))
    return spec.verb or verb
