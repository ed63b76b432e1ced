"""One shot at a vehicle: to hit, to penetrate, and what a penetrating round does inside."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from bot.rules.dice import d20, dice
from bot.rules.errors import UserError
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Fate,
    Line,
    Outputs,
    Parts,
    Plan,
    Roll,
    Ruled,
    Ruling,
    Settlement,
    minus,
    parts_of,
    row_of,
    ruled,
)
from bot.rules.tables.table import Answer, Tables
from bot.systems.baps.men import (
    about,
    called,
    changes_of,
    counted,
    limits_after,
    summed_up,
    token_of,
    whom,
    words_of,
)
from bot.systems.baps.resolution import D20, UNHURT, Hurt, Man, Resolution, rows_of
from bot.systems.baps.vehicles import (
    aboard,
    describe_need,
    hit_vehicle,
    hits_vehicle,
    inside,
    refuse_wreck,
    riders,
    shot_modifiers,
)
from bot.systems.baps.volley import man_apart

# -- the crew: each area that took effect is rolled for every living man, area by area

EXPLOSIVE = ("main-gun", "ammunition", "engine")


class Crew(NamedTuple):
    """Which step is owed, the areas that took effect (for the crew, those that explode), what each
    man has suffered (None has no more dice), and the place of the man in hand: of those who still
    roll, the first with the fewest dice.
    """

    owes: str | None
    effects: tuple[bool, ...] = ()
    hurts: tuple[Hurt | None, ...] = ()
    at: int = 0


def crew_step(
    tables: Tables, crew: Sequence[Unit], names: Sequence[str]
) -> tuple[Ruled[Crew], Callable[[Crew], Parts[Any] | None]]:
    """The step `crew`: row 4 for the main gun, 9 for the ammunition, 7 for the engine; row 4 if
    none took effect.

    All living men are rolled for before the next row; for odds each man is a part of their own,
    which comes with it. Source: Vehicle Charts, if the round penetrated.
    """
    crt = Resolution(tables)

    @cache
    def men(effects: tuple[bool, ...]) -> tuple[Man, ...]:
        hit = [
            area for area, effect in zip(EXPLOSIVE, effects, strict=False) if effect
        ] or EXPLOSIVE[:1]
        rows = [int(tables["penetrated-damage"](area=area, roll=4)["row"]) for area in hit]
        return riders(
            crew,
            names,
            "crew",
            tuple([crt.cell(row, 1) for row in rows]),
            tuple([f"row {row}" for row in rows]),
        )

    def whose(now: Crew) -> tuple[Man, Hurt]:
        return men(now.effects)[now.at], now.hurts[now.at] or UNHURT

    def rule(now: Crew, roll: Roll) -> Ruling[Crew]:
        (man, before), (die,) = whose(now), roll
        hurt = crt.strike(man, before, die)
        finished = man.finished(hurt)
        told = man.told(hurt) if finished else {}
        told[f"{man.path}.rolls[{before.rolled}]"] = die
        return Ruling(
            after(now, None if finished else hurt), told, lambda: (man.line(before, die, hurt),)
        )

    def after(now: Crew, left: Hurt | None) -> Crew:
        hurts = (*now.hurts[: now.at], left, *now.hurts[now.at + 1 :])
        dice = [(hurt.rolled, at) for at, hurt in enumerate(hurts) if hurt is not None]
        return Crew("crew", now.effects, hurts, min(dice)[1]) if dice else Crew(None, now.effects)

    def apart(now: Crew) -> Parts[Any] | None:
        return (
            Parts([man_apart(man, crt) for man in men(now.effects)]) if now.owes == "crew" else None
        )

    return ruled(lambda now: crt.owed(*whose(now)), rule), apart


# -- the areas, one die (or two) each

AREAS = ("main-gun", "ammunition", "engine", "crew")


def area_step(tables: Tables, weapon: str, vehicle_type: str, men: int) -> Ruled[Crew]:
    """The step `area`, for each area in the order of the card; machine guns roll none for the crew
    of a tank.

    Source: Vehicle Charts, if the round penetrated.
    """
    rolled = tables["penetrating-dice"](weapon=weapon)
    damage = tables["penetrated-damage"]
    sides = 4 if rolled["die"] == "d4" else 6
    two = rolled["per_area"] == 2
    areas = AREAS[:3] if two and vehicle_type == "tank" else AREAS

    def results(area: str) -> tuple[str, ...]:
        """What each face does."""
        return damage.column("result", area=area, die=f"d{sides}", roll=range(1, sides + 1))

    def rule(now: Crew, roll: Roll) -> Ruling[Crew]:
        place = len(now.effects)
        area = areas[len(now.effects)]
        found = results(area)
        # two dice count only as two sixes
        effect = roll == (6, 6) if two else found[roll[0] - 1] != "none"
        effects = (*now.effects, effect)
        told: dict[str, object] = {
            f"damage[{place * len(roll) + at}]": die for at, die in enumerate(roll)
        }
        if area != "crew":
            told[area.replace("-", "_")] = effect

        def story() -> tuple[Line]:
            first, *more = [face for face, result in enumerate(found, 1) if result != "none"]
            needed = "two sixes" if two else f"{first} or more" if more else f"{first}"
            return (Line(area.replace("-", " "), roll, result=f"{needed} needed"),)

        if len(effects) < len(areas):
            return Ruling(Crew("area", effects), told, story)
        after = Crew("crew" if men else None, effects[: len(EXPLOSIVE)], (UNHURT,) * men)
        return Ruling(after, {**told, **_verdict(effects)}, story)

    return ruled(lambda now: dice(1 + two, sides, f"damage {areas[len(now.effects)]}"), rule)


def _verdict(effects: tuple[bool, ...]) -> Outputs:
    """What the areas together mean for the vehicle: main gun, ammunition, engine and (if rolled)
    crew.
    """
    operable = not (effects[1] or effects[2])
    bail_out = not operable or (len(effects) == 4 and effects[3])
    reoccupy = "none" if not bail_out else "yes" if operable else "no"
    return {"operable": operable, "bail_out": bail_out, "reoccupy": reoccupy}


# -- the shot

BOUNCES = {
    "none": "no effect",
    "miss": "miss",
    "bail-out": "crew bails out",
    "track-hit": "track hit",
    "tire-hit": "tire hit",
    "bounce": "the round bounces",
}
BAILED = {
    "yes": ("the crew bails out and may come back next turn",),
    "no": ("the crew bails out and may not come back",),
}
WHAT = {"tank": "the tank", "tracked": "the tracked vehicle", "wheeled": "the wheeled vehicle"}
NEVER = "fail"
MACHINE_GUNS = ("medium-machine-gun", "heavy-machine-gun")
UNHARMED = {"main_gun": False, "ammunition": False, "engine": False, "operable": True}
MISSED: Mapping[str, Any] = {
    **dict.fromkeys(("class_used", "armor_used", "pen_need", "pen_roll"), "none"),
    "penetrated": False,
    "outcome": "miss",
    "bail_out": False,
    "reoccupy": "none",
    **UNHARMED,
}


@dataclass(frozen=True, slots=True)
class Shot:
    """One shot: what it needs to hit and to penetrate, what is told of that, and what each die
    of a bounce does.
    """

    need: int
    modifiers: Answer
    pen_need: int | str
    known: Outputs
    classes: str
    bounces: Sequence[str]

    def hits(self, die: int) -> bool:
        """Return whether a die hits."""
        return hits_vehicle(die, int(self.modifiers["total"]), self.need)

    def hit(self, _: Crew, roll: Roll) -> Ruling[Crew]:
        """The roll to hit: a hit penetrates by a die, or bounces where the chart says that it
        must fail.
        """
        hit = self.hits(roll[0])
        total = roll[0] + int(self.modifiers["total"])
        told: dict[str, Any] = {"roll": roll[0], "hit_total": total, "hit": hit}

        def line() -> Line:
            needed = describe_need(self.need, self.hits)
            return Line("to hit", roll, parts_of(self.modifiers.parts), total, needed)

        if not hit:
            return Ruling(Crew(None), {**told, **MISSED}, lambda: (line(),))
        if self.pen_need != NEVER:
            return Ruling(Crew("penetrate"), {**told, **self.known}, lambda: (line(),))
        told |= {**self.known, "pen_roll": "none", "penetrated": False}
        return Ruling(
            Crew("bounce"),
            told,
            lambda: (line(), Line("penetration", result=f"{self.classes}, never")),
        )

    def penetrate(self, _: Crew, roll: Roll) -> Ruling[Crew]:
        """The penetration roll: the areas inside if it is enough, else what a bounce does."""
        told: dict[str, Any] = {"pen_roll": roll[0], "penetrated": roll[0] >= int(self.pen_need)}

        def story() -> tuple[Line]:
            return (
                Line("penetration", roll, result=f"{self.classes}, {self.pen_need} or more needed"),
            )

        if not told["penetrated"]:
            return Ruling(Crew("bounce"), told, story)
        return Ruling(Crew("area"), {**told, "outcome": "penetrated"}, story)

    def bounce(self, _: Crew, roll: Roll) -> Ruling[Crew]:
        """The roll of a round that did not penetrate."""
        result = self.bounces[roll[0] - 1]
        out = result == "bail-out"
        told = {
            **UNHARMED,
            "outcome": result,
            "bail_out": out,
            "reoccupy": "yes" if out else "none",
        }
        return Ruling(Crew(None), told, lambda: (Line("not penetrated", roll),))


def plan(tables: Tables, given: Given) -> Plan[Crew]:
    """One shot of `weapon`. Source: Vehicle Charts, Roll to Hit Vehicular Targets to round that did
    not penetrate.

    Raises UserError beyond the weapon's last band, and for a wreck.
    """
    weapon = given.word("weapon")
    target = given.unit("target")
    vehicle_type = given.word("vehicle_type")
    refuse_wreck(target, "target")
    shot = _shot(tables, given)
    crew = aboard(given, "crew", target)
    names = called(crew)
    crew_rolls, apart = crew_step(tables, crew, names)
    steps = {
        "hit": ruled((d20("to hit"),), shot.hit),
        "penetrate": ruled((d20("penetration"),), shot.penetrate),
        "bounce": ruled((d20("not penetrated"),), shot.bounce),
        "area": area_step(tables, weapon, vehicle_type, len(crew)),
        "crew": crew_rolls,
    }

    def settle(out: Mapping[str, Any]) -> Settlement:
        hurt = out["crew"]
        tokens = [*map(token_of, out["crew"])]
        changes = hit_vehicle(target, crew, out) + changes_of(crew, hurt)
        fate = _fate(whom(target, WHAT.get(vehicle_type, "the vehicle")), out, names, tokens)
        now = (*_now(out, crew), *inside(crew, names, hurt, tokens))
        return Settlement(
            about(target, _headline(out, tokens)),
            words_of(hurt, tokens),
            (),
            changes,
            (fate,),
            now,
            notes=limits_after(crew, hurt),
        )

    opening = {"need": shot.need, "damage": [], "crew": []}
    rows = rows_of(riders(crew, names, "crew"), row_of("outcome", "the vehicle"))
    return Plan(Crew("hit"), steps, settle, opening=opening, rows=rows, apart=apart)


def _shot(tables: Tables, given: Given) -> Shot:
    """The charts read for a shot. Raises UserError beyond the weapon's last band."""
    weapon = given.word("weapon")
    to_hit, class_used = _to_hit(tables, weapon, given.number("range"))
    armor = tables["armor-modifiers"](
        armor=given.word("armor"),
        aspect=given.word("aspect"),
        extra_armor=given.flag("extra_armor"),
    )
    pen_need = tables["penetration"](weapon=class_used, armor=armor["column"])["need"]
    bounce = {"machine_gun": weapon in MACHINE_GUNS, "vehicle_type": given.word("vehicle_type")}
    return Shot(
        int(to_hit["need"]),
        shot_modifiers(tables, given, side=given.word("aspect") == "side"),
        pen_need,
        {"class_used": class_used, "armor_used": armor["column"], "pen_need": pen_need},
        f"{_class_said(weapon, class_used)} against {_armor_said(given.word('armor'), armor)}",
        tables["no-penetration"].column("result", **bounce, roll=D20),
    )


def _to_hit(tables: Tables, weapon: str, inches: float) -> tuple[Answer, str]:
    """The row of the to-hit chart and the weapon's row of the penetration chart at this range."""
    if weapon in ("at-grenade", "at-rifle", "light-at-weapon", "medium-at-weapon"):
        shot = tables["at-to-hit"](weapon=weapon, range=inches)
        class_used = str(shot["weapon_class"])
    else:
        shot = tables["vehicle-to-hit"](
            weapon="machine-gun" if weapon in MACHINE_GUNS else weapon, range=inches
        )
        class_used = str(tables["weapon-lower"](weapon=weapon)["row"]) if shot["lower"] else weapon
    if shot["need"] == "not-allowed":
        raise UserError(
            f"{weapon} does not reach {inches:g} inches.",
            hint="Come closer.",
            option="range",
            code="out-of-reach",
        )
    return shot, class_used


def _class_said(weapon: str, class_used: str) -> str:
    """The weapon class for the story; a gun beyond its third band counts one class lower."""
    if weapon.startswith("at-") or weapon.endswith("-at-weapon"):
        return f"{weapon.replace('-', ' ')} ({class_used.replace('-', ' ')})"
    return (weapon if weapon == class_used else f"{class_used} ({weapon} at long range)").replace(
        "-", " "
    )


def _armor_said(armor: str, answer: Answer) -> str:
    """The armor column for the story, with what shifts it."""
    why = "".join(
        f", {name} {minus(value) if value < 0 else f'+{value:g}'}"
        for name, value in parts_of(answer.parts)
    )
    return f"{answer['column']} armor".replace("-", " ") + (
        f" ({armor.replace('-', ' ')}{why})" if why else ""
    )


def _headline(out: Mapping[str, Any], tokens: Sequence[str]) -> str:
    if not out["penetrated"]:
        return BOUNCES[out["outcome"]]
    hurt = [area.replace("_", " ") for area in ("main_gun", "ammunition", "engine") if out[area]]
    words = [
        "penetrated",
        *(f"{area} destroyed" if area == "main gun" else f"{area} explodes" for area in hurt),
    ]
    words += ["crew bails out"] * bool(out["bail_out"])
    return ", ".join(
        [*words, *([f"crew: {summed_up(out['crew'], tokens)}"] if out["crew"] else [])]
    )


def _fate(name: str, out: Mapping[str, Any], men: Sequence[str], tokens: Sequence[str]) -> Fate:
    """What came of the vehicle, the worst first; what else and what of its crew in words."""
    if not out["penetrated"]:
        return Fate(name, str(out["outcome"]))
    hurt = [area for area in ("ammunition", "engine") if out[area]]
    token = "knocked-out" if hurt else "gun-lost" if out["main_gun"] else "penetrated"
    more = [f"{' and '.join(hurt)} explode{'s' if len(hurt) == 1 else ''}"] if hurt else []
    more += ["main gun gone"] * bool(hurt and out["main_gun"])
    return Fate(name, token, ", ".join([*more, *filter(None, (counted(men, tokens),))]))


def _now(out: Mapping[str, Any], crew: tuple[Unit, ...]) -> tuple[str, ...]:
    if (
        crew
        and len(out["crew"]) == len(crew)
        and all(man["after"] == "killed" for man in out["crew"])
    ):
        return ("nobody left in it",)
    return BAILED.get(out["reoccupy"], ())
