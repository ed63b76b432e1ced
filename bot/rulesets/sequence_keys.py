"""The keys of a sequence in sequences.yaml: what each may hold, and what it says.

`bot/rulesets/system.py` checks a sequence by them; the schema for editors and the page for authors
are made from them, and errors quote them. Inputs and steps have readers of their own.
"""

from collections.abc import Mapping

from bot.rules.shapes import (
    ANY,
    FLAG,
    TEXT,
    WHOLE,
    WORDS,
    Key,
    Keys,
    Part,
    allow_items,
    allow_words,
    build_name_mapping,
    ref,
)

SEQUENCE: Keys = {
    "title": Key(TEXT, "its display name"),
    "source": Key(TEXT, "card and rule number"),
    "summary": Key(TEXT, "two lines, for help"),
    "group": Key(TEXT, "the table group it belongs to"),
    "inputs": Key(build_name_mapping(ref("input")), "what players type"),
    "outputs": Key(
        build_name_mapping({"type": ["string", "array"]}, "output"),
        'what comes out: int, bool, words (pass | fail), "list of {unit, roll, result: pass | fail}"',
    ),
    "odds_by": Key(TEXT, "the output that the odds are grouped by: result, or targets[0].result"),
    "odds_row": Key(
        build_name_mapping(ANY, "output"),
        "an output with the value that its odds show instead: becomes: abandoned",
    ),
    "dice": Key(TEXT, "which dice are rolled, in words"),
    "example": Key(build_name_mapping(ANY, "input"), "an example of inputs that work"),
    "modifiers": Key(
        WORDS, "modifier tables that it reads; help and forms take their words from them"
    ),
    "common": Key(WORDS, "the inputs and words used most"),
    "verb": Key(TEXT, "the word on its button; Roll, if left out"),
    "acts": Key(
        FLAG,
        "its units act with it, so an answer says if that is out of turn or phase; yes, if left out, "
        "unless its verb is Roll, Check, Count or Settle",
    ),
    "hits_unit": Key(FLAG, "its input `unit` is the target and does not act"),
    "luck": Key(
        allow_words(("units", "first")),
        "whose luck its scores count for, if not the acting side's: the side of its units, no "
        "matter who rolls, or of the first unit",
    ),
    "phases": Key(
        WORDS,
        "the phases that it belongs to, so an answer says if it is out of phase; for an act, if left "
        "out, those with its button",
    ),
    "cause": Key(TEXT, "what the log says that units do: `fires`"),
    "procedure": Key(WORDS, "how it goes, in three short lines"),
    "state": Key(TEXT, "what it changes about units, in words"),
    "notes": Key(TEXT, "small print"),
    "rounds": Key(ref("rounds"), "for a fight of several rounds: how it continues"),
    "bans": Key(
        allow_items(ref("ban")),
        "what the card forbids units with a marker; needs an input `anyway`",
    ),
    "cautions": Key(
        allow_items(ref("caution")),
        "what an answer says if this is done to units with a marker",
    ),
    "rides": Key(allow_items(ref("ride")), "what units riding on a vehicle must do when it acts"),
    "lands": Key(
        allow_items(ref("landing")),
        "its effect in a later turn; that turn's card announces it",
    ),
    "bears": Key(
        build_name_mapping(build_name_mapping(WORDS, "modifier"), "input with units"),
        "modifiers that only units of some types, classes or flags can have:"
        " forms and *What if* leave them out for others",
    ),
    "repeats": Key(TEXT, "what an answer says about units, {}, that roll for it twice in a turn"),
    "steps": Key(ref("steps"), "its steps, if they are not in steps/SEQUENCE.yaml"),
}
BAN: Keys = {
    "markers": Key(build_name_mapping(TEXT, "marker"), "markers, each with the card's word for it"),
    "says": Key(TEXT, "the refusal: {} is the unit, then the word"),
    "out_of_turn": Key(FLAG, "only while another side is to play"),
}
CAUTION: Keys = {
    "markers": Key(build_name_mapping(TEXT, "marker"), "markers, each with the card's word for it"),
    "says": Key(TEXT, "what the card asks of the players: {} is the unit, then the word"),
    "unless": Key(TEXT, "not for units with this marker"),
    "out_of_turn": Key(FLAG, "only while another side is to play"),
}
RIDE: Keys = {
    "says": Key(TEXT, "the line: {} is the vehicle, then the units that ride (`in=`)"),
    "marker": Key(TEXT, "only units with this marker"),
    "when": Key(build_name_mapping(allow_items(ANY), "output"), "only with these outputs"),
    "run": Key(TEXT, "the sequence to play next"),
    "riders": Key(TEXT, "the input of that sequence that takes the riders"),
    "given": Key(build_name_mapping(ANY, "input"), "its other inputs"),
    "button": Key(TEXT, "the button that opens its form"),
}
LANDING: Keys = {
    "says": Key(TEXT, "what the card announces"),
    "turn": Key(TEXT, "the output with the number of its turn"),
    "turns": Key(WHOLE, "without `turn`: for how many turns after it"),
    "when": Key(build_name_mapping(allow_items(ANY), "input"), "only with these inputs"),
    "run": Key(TEXT, "the sequence to play then"),
    "given": Key(build_name_mapping(ANY, "input"), "its inputs"),
    "keeps": Key(WORDS, "unchanged inputs"),
}
ROUNDS: Keys = {
    "ends": Key(
        allow_items(ref("ending")),
        "the outputs that end the fight; without any, it lasts for the number of rounds typed",
    ),
    "then": Key(
        build_name_mapping(ref("carried"), "input"), "the value of an input in the next round"
    ),
}
ENDING: Keys = {
    "when": Key(build_name_mapping(allow_items(ANY), "output"), "these values end it"),
    "as": Key(TEXT, "the name of this ending"),
}
CARRIED: Keys = {
    "less": Key(TEXT, "reduced by this output"),
    "more": Key(TEXT, "increased by this output"),
    "most": Key(TEXT, "capped at this other input"),
    "becomes": Key(ANY, "this value, or the value of this output"),
}

PARTS: Mapping[str, Part] = {
    "sequence": Part(SEQUENCE, ("title", "source", "summary")),
    "ban": Part(BAN, ("markers", "says")),
    "caution": Part(CAUTION, ("markers", "says")),
    "ride": Part(RIDE, ("says", "run", "riders", "button")),
    "landing": Part(LANDING, ("says", "run")),
    "rounds": Part(ROUNDS),
    "ending": Part(ENDING, ("when",)),
    "carried": Part(CARRIED),
}
