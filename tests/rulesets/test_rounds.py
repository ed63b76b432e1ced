"""Odds of a fight of several rounds: against counts of their own, die by die."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product

import icepool
import pytest

from bot.cli.batch import answer_request
from bot.cli.cli import count_odds_once
from bot.rules.sequence.rounds import UNDECIDED, FightOdds
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.play_once import count_rounds, read_rounds
from bot.ui.reply.parts import Odds
from bot.ui.reply.percents import format_percent
from tests.playing import Channel
from tests.refusing import refuses

Chances = dict[str, Fraction]
AVERAGING = (2, 3, 3, 4, 4, 5)


def test_lnlt_repeats_an_attack_that_leaves_everybody() -> None:
    """Three against three firepower is 1-1, which kills on 9; so the rounds are alike, and their
    sum is a ratio.
    """
    sequence = find_shared_system("lnlt").find_sequence("melee")
    fought = count_rounds(sequence, {"attackers": "squad fp=3", "defenders": "squad fp=3"}, 3)
    two = icepool.d6 + icepool.d6
    out = answer_request(
        {
            "op": "resolve",
            "system": "lnlt",
            "sequence": "melee",
            "in": {"attackers": "squad fp=3", "defenders": "squad fp=3"},
            "dice": [1, 1, 1, 1],
        }
    )["out"]
    kills, misses = (
        (two >= out["attack_kill"]).probability(True),
        (two >= out["attack_kill"]).probability(False),
    )
    both, one, none = kills * kills, kills * misses, misses * misses
    series = 1 + none + none**2
    assert fought.after == {
        "both": both * series,
        "defenders": one * series,
        "attackers": one * series,
        UNDECIDED: none**3,
    }
    assert fought.decided == {
        "both": both / (1 - none),
        "defenders": one / (1 - none),
        "attackers": one / (1 - none),
    }
    assert fought.average == 1 / (1 - none)


def single_combat(wounds: tuple[int, int], rounds: int) -> Chances:
    """A leader against a soldier, an averaging die each; who has a wound has 1 less, the third
    kills.
    """
    if not rounds:
        return {UNDECIDED: Fraction(1)}
    found: defaultdict[str, Fraction] = defaultdict(Fraction)
    for first, second in product(AVERAGING, repeat=2):
        ours, theirs = first + 1 - (wounds[0] > 0), second - (wounds[1] > 0)
        taken = (1, 1) if ours == theirs else (max(0, theirs - ours), max(0, ours - theirs))
        a, b = wounds[0] + taken[0], wounds[1] + taken[1]
        if a >= 3 or b >= 3:
            found["both-killed" if a >= 3 and b >= 3 else "a" if b >= 3 else "b"] += Fraction(1, 36)
            continue
        for result, chance in single_combat((a, b), rounds - 1).items():
            found[result] += chance / 36
    return dict(found)


def test_baps_carries_wounds_until_one_is_dead() -> None:
    raw = {"a": "leader", "b": "soldier wounds=1"}
    assert [
        count_rounds(find_shared_system("baps").find_sequence("melee"), raw, rounds).after
        for rounds in (1, 2, 3)
    ] == [single_combat((0, 1), rounds) for rounds in (1, 2, 3)]
    fought = count_rounds(find_shared_system("baps").find_sequence("melee"), raw, 1)
    last = single_combat((0, 1), 6)
    assert last.get(UNDECIDED, 0) == 0, "each round wounds somebody, so six of them are the end"
    assert fought.decided == last


def hand_to_hand(attackers: int, defenders: int, rounds: int, *, charging: bool = True) -> Chances:
    """Skill 10 against 9, +4 for each man more and for a charge; a natural 1 costs the other
    side one more.
    """
    if not (attackers and defenders):
        return {
            "attacker-wins"
            if attackers
            else "defender-wins"
            if defenders
            else "both-lost": Fraction(1)
        }
    if not rounds:
        return {UNDECIDED: Fraction(1)}
    skill = 10 + 4 * max(0, attackers - defenders) + 4 * charging
    against = 9 + 4 * max(0, defenders - attackers)
    found: defaultdict[str, Fraction] = defaultdict(Fraction)
    for ours, mine in rolled(attackers, skill).items():
        for theirs, other in rolled(defenders, against).items():
            chance = mine * other
            if ours[0] != theirs[0]:
                found["attacker-wins" if ours[0] > theirs[0] else "defender-wins"] += chance
                continue
            fewer = int(bool(ours[0]) and defenders < attackers)
            left = max(0, attackers - theirs[1] - fewer), max(0, defenders - ours[1] - fewer)
            for result, then in hand_to_hand(*left, rounds - 1, charging=False).items():
                found[result] += chance * then
    return dict(found)


def rolled(dice: int, skill: int) -> dict[tuple[int, int], Fraction]:
    """So many d20: successes and natural 1s with their chances."""
    one = icepool.d20.map(
        lambda face: icepool.Vector((int(face <= min(max(skill, 1), 19)), int(face == 1)))
    )
    pool = dice @ one
    return {
        (int(key[0]), int(key[1])): Fraction(ways, pool.denominator()) for key, ways in pool.items()
    }


@pytest.mark.parametrize(
    ("attackers", "defenders", "rounds"), [(1, 1, 1), (2, 2, 1), (2, 2, 3), (3, 2, 2)]
)
def test_ucn_carries_casualties_and_charges_once(
    attackers: int, defenders: int, rounds: int
) -> None:
    raw = {
        "attackers": attackers,
        "attacker_skill": 10,
        "defenders": defenders,
        "defender_skill": 9,
    }
    assert count_rounds(
        find_shared_system("ucn").find_sequence("melee"), raw, rounds
    ).after == hand_to_hand(attackers, defenders, rounds)


def test_ucn_to_the_end_is_what_many_rounds_come_near() -> None:
    raw = {
        "attackers": 2,
        "attacker_skill": 6,
        "defenders": 2,
        "defender_skill": 5,
        "attacker_smgs": 2,
    }
    fought = count_rounds(find_shared_system("ucn").find_sequence("melee"), raw, 20)
    assert sum(fought.after.values()) == sum(fought.decided.values()) == 1
    left = fought.after.get(UNDECIDED, Fraction(0))
    for result, chance in fought.decided.items():
        assert 0 <= chance - fought.after[result] <= left


def test_every_sequence_with_rounds_says_how_it_goes_on_and_counts_its_example() -> None:
    found = [
        sequence
        for game in load_shared_systems().values()
        for sequence in game.sequences.values()
        if sequence.rounds
    ]
    assert {(one.system.id, one.id) for one in found} == {
        ("baps", "melee"),
        ("lnlt", "melee"),
        ("ucn", "melee"),
    }
    for sequence in found:
        read_rounds(sequence)
        fought: FightOdds = count_rounds(sequence, sequence.example, 2)
        assert sum(fought.after.values()) == sum(fought.decided.values()) == 1


def test_what_is_too_long_or_has_one_round_is_refused() -> None:
    raw = {"attackers": 20, "attacker_skill": 10, "defenders": 20, "defender_skill": 9}
    with refuses("bad-value"):
        count_rounds(find_shared_system("ucn").find_sequence("melee"), raw, 21)
    with refuses("too-large"):
        count_rounds(find_shared_system("ucn").find_sequence("melee"), raw, 20, seconds=0.0)
    with refuses("not-together"):
        count_rounds(
            find_shared_system("lnlt").find_sequence("fire"),
            {"attackers": "squad fp=4", "targets": "squad morale=5"},
            2,
        )


def single_soldiers(rounds: int) -> dict[str, float]:
    """Two soldiers of whom the second has a wound, by the batch."""
    request = {
        "op": "odds",
        "system": "baps",
        "sequence": "melee",
        "in": {"a": "soldier", "b": "soldier wounds=1"},
    }
    return {
        token: float(Fraction(chance))
        for token, chance in answer_request({**request, "rounds": rounds})["odds"].items()
    }


async def test_rounds_in_a_channel_roll_nothing_and_say_both_counts() -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", 'baps melee a=soldier b="soldier wounds=1" rounds=2')
    assert reply.private
    assert not reply.footer
    odds = single_soldiers(2)
    assert (
        reply.title
        == f"{format_percent(odds['a'])} for fighter a to win, {format_percent(odds['b'])} for fighter b to win"
    )
    assert reply.by.startswith("after 2 rounds")
    assert [part.heading for part in reply.lines if isinstance(part, Odds)] == [
        "After 2 rounds",
        "To the end",
    ]
    assert any("rounds on average" in line for line in reply.format_body())
    assert "still fighting" in reply.format_text()
    fired = await channel.press("Anna", reply.buttons[0].action)
    assert not fired.private


def test_rounds_on_the_command_line_and_in_batch(capsys: pytest.CaptureFixture[str]) -> None:
    count_odds_once(["baps", "melee", "a=soldier", "b=soldier wounds=1", "--rounds", "2"])
    assert "To the end" in capsys.readouterr().out
    request = {
        "op": "odds",
        "system": "baps",
        "sequence": "melee",
        "in": {"a": "leader", "b": "soldier wounds=1"},
    }
    found = answer_request({**request, "rounds": 2})
    assert {token: Fraction(chance) for token, chance in found["odds"].items()} == single_combat(
        (0, 1), 2
    )
    assert {token: Fraction(chance) for token, chance in found["decided"].items()} == single_combat(
        (0, 1), 6
    )
