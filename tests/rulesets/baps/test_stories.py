"""What players read of a sequence: dice, modifiers and totals by name."""

from __future__ import annotations

from typing import Any

from tests.examples import play_example, said
from tests.rulesets.baps.rosters import roster, unit


def told(sequence: str, given: dict[str, Any], dice: list[int]) -> tuple[str, ...]:
    """The story of a sequence as players read it."""
    return tuple(line.text() for line in play_example("baps", sequence, given, dice).lines)


def test_the_story_names_weapons_defense_and_the_row_read() -> None:
    """A walking gun without its assistant: 12 halved twice is 3; a heavy gun's 20 at a man in
    the open is row 17.
    """
    gun = "soldier weapon=medium-machine-gun moving no_assistant"
    assert told(
        "fire", {"attackers": gun, "range": 10, "targets": 1, "cover": "light", "leader": 1}, [9]
    ) == (
        "Attack: moving unassisted MMG 3 + 1 leader rating = 4",
        "Defense: 3 stationary + 3 light cover = 6",
        "2 behind: row −2, column 1",
        "Soldier: [9]",
    )
    assert told(
        "fire",
        {"attackers": "soldier weapon=heavy-machine-gun", "range": 10, "targets": 1},
        [3, 13],
    )[2] == ("17 ahead: row 8, 2 dice a man, column 1")
    assert told("flame", {"range": 8, "targets": 1, "moving": True}, [9])[0] == (
        "Attack: moving flame thrower 6"
    )


def test_the_story_of_a_blast_says_why_the_row_moved() -> None:
    """Row 0, 4 up in a bunker, 3 down behind light cover."""
    given = {"weapon": "medium", "lethal": "leader", "inside": True, "cover": "light"}
    assert told("blast", given, [9]) == (
        "Lethal radius: 0 + 4 inside − 3 light cover = 1, row 1, column 1",
        "Leader: [9]",
    )


def test_the_story_of_a_shot_names_what_shifts_weapon_and_armor() -> None:
    """A medium gun beyond 900 inches counts as light, a medium flank as light armor."""
    shot = {"weapon": "medium", "range": 950, "armor": "medium", "aspect": "side"}
    assert told("vehicle-fire", shot, [18, 10, 20])[1] == (
        "Penetration: [10], light (medium at long range) against light armor (medium, hit on the side −1), "
        "11 or more needed"
    )
    machine_gun = {"weapon": "medium-machine-gun", "range": 10, "armor": "heavy"}
    assert told("vehicle-fire", machine_gun, [18, 12])[1] == (
        "Penetration: medium machine gun against heavy armor, never"
    )


def test_a_crash_tells_the_forced_move() -> None:
    """7 goes left, and that happens in the next movement phase."""
    played = play_example("baps", "crash", {}, [7])
    assert (
        said("baps", "crash", played)
        == "The vehicle makes half a move 45 degrees to the left and stops"
    )
    assert played.resolution.notes == ("This happens in the next movement phase.",)


def test_a_heroic_action_says_what_the_hero_may_do() -> None:
    """2 and 2 double his attack; out of a random order it reads alike."""
    does = ("This turn: double attack factor, or +2 in hand-to-hand (flag heroic).",)
    alone = play_example("baps", "heroic-action", {}, [2, 2])
    ordered = play_example("baps", "random-order", {}, [20, 2, 2])
    assert said("baps", "heroic-action", alone) == "The soldier doubles the attack"
    assert (
        said("baps", "random-order", ordered) == "The soldier acts heroically: doubles the attack"
    )
    for played in (alone, ordered):
        assert (played.resolution.next_steps, played.resolution.notes) == (
            does,
            ("A suppressed hero recovers immediately.",),
        )


def test_the_headline_of_a_combat_says_who_died() -> None:
    """3 against 3 less 1 for wounds is the third wound."""
    played = play_example("baps", "melee", {"a": "leader", "b": "soldier wounds=2"}, [3, 3])
    assert played.resolution.headline == "leader (a) wins, soldier killed"


def test_artillery_without_dice_tells_the_turns() -> None:
    """A gun that sees its target repeats at once."""
    assert told("artillery", {"mission": "immediate", "can_see": True, "turn": 4}, []) == (
        "Delay: on board immediate 1",
    )
    assert told("artillery", {"location": "off-board"}, [2, 3]) == (
        "Delay: [2] [3] + 4 off board opportunity = 9",
    )


def test_the_headline_names_the_unit_that_it_is_about() -> None:
    """Squad Able checks, the Panzer is shot at, Sgt rolls his points."""
    men = roster(
        unit("Able", "squad", state="good", men=7, grade="veteran", cover="light"),
        unit("Panzer", "vehicle", state="operable", armor="heavy"),
        unit("Sgt", "leader", lr=2),
    )

    def headline(sequence: str, given: dict[str, object], dice: list[int]) -> str:
        return play_example("baps", sequence, given, dice, men).resolution.headline

    assert headline("morale-check", {"unit": "Able", "leader": 2}, [9]) == "Able: pinned"
    assert (
        headline("vehicle-fire", {"weapon": "medium", "range": 200, "target": "Panzer"}, [2])
        == "Panzer: miss"
    )
    assert headline("leader-points", {"unit": "Sgt"}, [3]) == "Sgt: 5 leader points"
    assert (
        headline("fire", {"attackers": "Sgt weapon=pistol", "range": 5, "targets": "soldier"}, [16])
        == "soldier: 1 wound"
    )
