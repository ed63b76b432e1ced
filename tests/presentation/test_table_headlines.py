"""The first line of a look-up is a sentence of its game, for every table and every input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.presentation.tables import build_lookup_reply, format_lookup_headline
from bot.rules.tables.print_pattern import is_blank
from bot.rules.tables.table import Table
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from tests.random_look_ups import random_look_ups

TABLES = [table for game in load_shared_systems().values() for table in game.tables.values()]
each_table = pytest.mark.parametrize(
    "table", TABLES, ids=lambda table: f"{table.system}/{table.id}"
)
LONGEST = 170
"""Two lines of a phone, or three for a sentence of the card."""
MANY = 300
"""Draws in which each exception must come up."""
FIELD_LIKE = re.compile(
    r"(?<!\bdo )(?<!\bdoes )(?<!\bmay )(?<!\bhas )(?<!\bare )(?<!, )\b[Nn]ot "
    r"|\bnone\b|None|True|False|_|\.0\b|  |[{}]"
)
"""A negated field, such as `not hidden`; a whole verb, such as `does not affect`, is plain English."""
SAYS_NOTHING = re.compile(
    r"\b(no|nobody|nothing|neither|nowhere)\b|(?<![\d.])0(?![\d.])", re.IGNORECASE
)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
ENGLISH = {"he", "heat", "us", "at", "ate", "may", "dud", "mas", "pin"}
"""Words that are acronyms on a card and plain English elsewhere."""
ACRONYMS = set(
    "ac afv ap atgm atr bu ca cc ce cmg ct cx dc dft drm ffe ffmo fg fp fpf ft hmg hs ht ia ife ift "
    "kia la lmg lm los lv mf mg mmc mmg mol mp nca nmc ot oft ovr prc rfp rmg rof sff sm smc smg "
    "sn sp sw tca tem th tis tk tm tpbf wp".split()
)


@cache
def nothing_is_news() -> Mapping[str, Mapping[str, str]]:
    """Return the outputs whose nothing is the news, by table, each with its reason."""
    path = Path(__file__).with_name("nothing_is_news.yaml")
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def headlines(table: Table) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield drawn inputs with the first line of what the table answers."""
    for given in random_look_ups(table):
        yield given, format_lookup_headline(table, given, table.read(given))


def nothings(table: Table, given: Mapping[str, Any]) -> set[str]:
    """Return the outputs of an answer that are false, 0 or none."""
    out = table.read(given).out
    return {name for name, value in out.items() if is_blank(value) or value == 0}


def test_all_tables_of_the_five_games_are_here() -> None:
    assert len(TABLES) == 162


@each_table
def test_every_table_has_a_sentence(table: Table) -> None:
    assert table.headline is not None
    for given, _ in headlines(table):
        answer = table.read(given)
        assert table.format_sentence(given, answer, str), given


@pytest.mark.sample(12)
@each_table
def test_a_headline_is_no_list_of_fields(table: Table) -> None:
    lower_acronyms = {
        key
        for key, word in table.words.items()
        if key.isalpha() and word == key.upper() and len(key) > 1
    }
    banned = (ACRONYMS | lower_acronyms) - ENGLISH
    for given, headline in headlines(table):
        assert not FIELD_LIKE.search(headline), (given, headline)
        by = build_lookup_reply(table, given, table.read(given)).by
        assert not banned & set(re.findall(r"(?<![\w-])[a-z]+(?![\w-])", headline)), headline
        assert not banned & set(re.findall(r"(?<![\w-])[a-z]+(?![\w-])", by)), by
        assert headline == headline.strip(" .,;:"), headline
        assert 1 < len(headline) <= LONGEST, headline


@pytest.mark.sample(12)
@each_table
def test_nothing_is_said_only_if_it_is_the_news(table: Table) -> None:
    news = nothing_is_news().get(f"{table.system}/{table.id}", {})
    for given, headline in headlines(table):
        nothing = nothings(table, given)
        if nothing and SAYS_NOTHING.search(headline):
            assert nothing & news.keys(), (given, headline, nothing)


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", nothing_is_news())
def test_each_exception_is_an_output_whose_nothing_is_said(name: str) -> None:
    game, _, id = name.partition("/")
    table = find_shared_system(game).find_table(id)
    said = set()
    has_defaults = not table.rolls and not any(option.is_required for option in table.inputs)
    written = [example["given"] for example in table.printed.get("examples", ())]
    defaults: list[dict[str, Any]] = [{}] if has_defaults else []
    for given in [*defaults, *written, *random_look_ups(table, count=MANY)]:
        headline = format_lookup_headline(table, given, table.read(given))
        if SAYS_NOTHING.search(headline):
            said |= nothings(table, given)
    assert nothing_is_news()[name].keys() <= said


@pytest.mark.sample(12)
@each_table
def test_a_number_in_a_headline_is_that_of_the_answer(table: Table) -> None:
    written = set(NUMBER.findall(str(table.printed)))
    written |= set(NUMBER.findall(str(list(table.words.values()))))
    for given, headline in headlines(table):
        answer, values = table.answer_with_values(given)
        known = [*values.values(), *answer.out.values()]
        numbers = {f"{abs(value):g}" for value in known if isinstance(value, int | float)}
        from_words = set(NUMBER.findall(answer.text)) | written
        assert set(NUMBER.findall(headline)) <= numbers | from_words, (given, headline)


TERMS = [
    ("asl", "vs-afv", {"defender": "unmarked-ground", "afv": "ct-bu"}, "B, C and D"),
    ("asl", "vs-afv", {"defender": "final-fire-upper", "afv": "ot-ce"}, "A OT"),
    ("asl", "b-gun", {"start": "circled-10", "conditions": 1}, "LA# 10"),
    ("asl", "b-sw", {"start": "b11"}, "B# is 11"),
    ("asl", "tk-flame", {"weapon": "ft-long", "afv": "ot-ce"}, "TK# 7"),
    ("asl", "ch-dr", {"case": "d", "afv": True, "roll": 1}, "Critical Hit"),
    ("asl", "wp-mods", {"target": "bu-ct-afv", "fire": "direct"}, "N/A"),
    ("asl", "gun-use", {"intensive_fire": True}, "ROF N/A"),
    ("asl", "rfp-shift", {"factor": "bu"}, "BU"),
    ("asl", "melee-actions", {"phase": "movement", "situation": "mobile-stopped"}, "TPBF"),
    ("baps", "heroic-action", {"roll": 6}, "Moves 1.5 times as far"),
    ("baps", "heroic-action", {"roll": 12}, "Goes berserk!"),
    ("baps", "crt-split", {"entry": "roll-note-4", "roll": 6}, "1/2/K"),
    ("baps", "crt-split", {"entry": "roll-note-3", "roll": 6}, "2/K"),
    ("baps", "crt", {"row": -6, "men": 10, "roll": 20}, "Note (4)"),
    ("baps", "random-orders", {"morale": "bad", "roll": 1}, "Attempt to surrender ‡"),
    ("baps", "random-orders-crew", {"roll": 5}, "No action this turn †"),
    ("baps", "weapon-lower", {"weapon": "medium-machine-gun"}, "one class below MMG"),
    ("baps", "penetration", {"weapon": "medium", "armor": "below-1"}, "5-20"),
    ("baps", "crash", {"roll": 12}, "45° right"),
    ("lnlt", "tis", {"case": "m1-abrams"}, "M1 Abrams (US)"),
    ("lnlt", "op-fire", {"case": "ops-complete"}, "−1 on the DFT, +2 on the OFT"),
    ("lnlt", "passenger-capacity", {"case": "ppo"}, "2 SWs and 2 SMCs"),
    ("lnlt", "self-rally", {"case": "crew"}, "SR"),
    ("lnlt", "damage-check-calc", {"attack": 9, "defense": 6}, "DC+3"),
    ("lnlt", "dct", {"unit": "good-order-mmc", "morale": 5, "total": 11}, "twice morale or more"),
    ("lnlt", "melee-odds", {"attack": 7, "defense": 4}, "2-1"),
    ("lnlt", "loose-fp", {"fp": 5}, "FP 2"),
    ("lnlt", "mines-vehicle", {"roll": 4}, "shaken and immobilized"),
    ("nhis", "ranged-combat", {"firepower": 3, "roll": 7}, "Hit -1"),
    ("nhis", "ranged-combat", {"firepower": 16, "shift": 2, "roll": 4}, "Damaged -2"),
    ("nhis", "damaged-effect", {"unit_class": "unshakable", "state": "shaken"}, "N/A"),
    ("nhis", "terrain", {"terrain": "hill"}, "blocks LOS"),
    ("ucn", "melee-outcome", {"attacker_successes": 3, "defender_successes": 3}, "Deadlock"),
    ("ucn", "melee-outcome", {"attacker_successes": 0, "defender_successes": 0}, "No Damage"),
    ("ucn", "vehicle-damage", {"roll": 6}, "Mobility Kill"),
    ("ucn", "vehicle-damage", {"roll": 11}, "Mission Kill"),
    ("ucn", "vehicle-damage", {"roll": 16}, "Catastrophic Kill"),
    ("ucn", "status-damage", {"roll": 13}, "Combat Ineffective"),
    ("ucn", "morale-failed", {"failed_by": 1}, "Let Loose"),
    ("ucn", "morale-failed", {"failed_by": 5}, "Go Firm"),
    ("ucn", "specialist-weapons", {"weapon": "grenade"}, "KZ 2.5 inches, DZ 7.5 inches"),
    ("ucn", "ap-costs", {"action": "set-up-mmg-hmg"}, "MMG or HMG costs 3 AP"),
]
"""Terms and codes as the cards print them, each in a headline that it belongs in."""


@pytest.mark.sample(10)
@pytest.mark.parametrize(("game", "id", "given", "term"), TERMS)
def test_the_cards_own_terms_stand_in_the_headline(
    game: str, id: str, given: dict[str, Any], term: str
) -> None:
    table = find_shared_system(game).find_table(id)
    assert term in format_lookup_headline(table, given, table.read(given))


def test_what_the_headline_says_is_not_said_again_below_it() -> None:
    table = find_shared_system("asl").find_table("ch-notes")
    given = {"topic": "bombardment"}
    reply = build_lookup_reply(table, given, table.read(given))
    assert reply.title == "No Critical Hits during a Bombardment"
    assert "Bombardment" not in "".join(map(str, reply.lines))
