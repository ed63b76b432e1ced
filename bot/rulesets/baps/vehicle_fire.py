"""One shot at a vehicle: to hit, to penetrate, and what a penetrating round does inside."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from bot.rules.dice import d20, make_dice
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    IndependentParts,
    Line,
    Outputs,
    Plan,
    Resolution,
    Roll,
    RuledStep,
    Ruling,
    UnitResult,
    build_row,
    format_minus,
    list_modifiers,
    ruled,
)
from bot.rules.tables.table import Answer, Tables
from bot.rulesets.baps.men import (
    add_unit,
    get_result_token,
    label_men,
    list_changes,
    list_limits,
    list_result_words,
    name_unit,
    summarize_crew,
    summarize_results,
)
from bot.rulesets.baps.resolution import D20, UNHURT, Hurt, Man, ResolutionTable, build_rows
from bot.rulesets.baps.vehicles import (
    build_riders,
    build_vehicle_changes,
    describe_men_inside,
    describe_need,
    hits_vehicle,
    list_men_aboard,
    read_shot_modifiers,
    refuse_wreck,
)
from bot.rulesets.baps.volley import build_man_part

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


def build_crew_step(
    tables: Tables, crew: Sequence[Unit], names: Sequence[str]
) -> tuple[RuledStep[Crew], Callable[[Crew], IndependentParts[Any] | None]]:
    """The step `crew`: row 4 for the main gun, 9 for the ammunition, 7 for the engine; row 4 if
    none took effect.

    All living men are rolled for before the next row; for odds each man is a part of their own,
    which comes with it. Source: Vehicle Charts, if the round penetrated.
    """
    crt = ResolutionTable(tables)

    @cache
    def men(effects: tuple[bool, ...]) -> tuple[Man, ...]:
        hit = [
            area for area, effect in zip(EXPLOSIVE, effects, strict=False) if effect
        ] or EXPLOSIVE[:1]
        rows = [int(tables["penetrated-damage"](area=area, roll=4)["row"]) for area in hit]
        return build_riders(
            crew,
            names,
            "crew",
            tuple([crt.get_cell(row, 1) for row in rows]),
            tuple([f"row {row}" for row in rows]),
        )

    def get_current_man(now: Crew) -> tuple[Man, Hurt]:
        return men(now.effects)[now.at], now.hurts[now.at] or UNHURT

    def rule(now: Crew, roll: Roll) -> Ruling[Crew]:
        (man, before), (die,) = get_current_man(now), roll
        hurt = crt.strike(man, before, die)
        finished = man.is_finished(hurt)
        told = man.build_outputs(hurt) if finished else {}
        told[f"{man.path}.rolls[{before.rolled}]"] = die
        return Ruling(
            build_next_state(now, None if finished else hurt),
            told,
            lambda: (man.build_line(before, die, hurt),),
        )

    def build_next_state(now: Crew, left: Hurt | None) -> Crew:
        hurts = (*now.hurts[: now.at], left, *now.hurts[now.at + 1 :])
        dice = [(hurt.rolled, at) for at, hurt in enumerate(hurts) if hurt is not None]
        return Crew("crew", now.effects, hurts, min(dice)[1]) if dice else Crew(None, now.effects)

    def split_parts(now: Crew) -> IndependentParts[Any] | None:
        return (
            IndependentParts([build_man_part(man, crt) for man in men(now.effects)])
            if now.owes == "crew"
            else None
        )

    return ruled(lambda now: crt.list_owed_dice(*get_current_man(now)), rule), split_parts


# -- the areas, one die (or two) each

AREAS = ("main-gun", "ammunition", "engine", "crew")


def build_area_step(tables: Tables, weapon: str, vehicle_type: str, men: int) -> RuledStep[Crew]:
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
        return damage.get_column("result", area=area, die=f"d{sides}", roll=range(1, sides + 1))

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
        return Ruling(after, {**told, **_build_verdict(effects)}, story)

    return ruled(lambda now: make_dice(1 + two, sides, f"damage {areas[len(now.effects)]}"), rule)


def _build_verdict(effects: tuple[bool, ...]) -> Outputs:
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
class VehicleShot:
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
            return Line("to hit", roll, list_modifiers(self.modifiers.parts), total, needed)

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
    shot = _read_shot(tables, given)
    crew = list_men_aboard(given, "crew", target)
    names = label_men(crew)
    crew_rolls, apart = build_crew_step(tables, crew, names)
    steps = {
        "hit": ruled((d20("to hit"),), shot.hit),
        "penetrate": ruled((d20("penetration"),), shot.penetrate),
        "bounce": ruled((d20("not penetrated"),), shot.bounce),
        "area": build_area_step(tables, weapon, vehicle_type, len(crew)),
        "crew": crew_rolls,
    }

    def resolve(out: Mapping[str, Any]) -> Resolution:
        hurt = out["crew"]
        tokens = [*map(get_result_token, out["crew"])]
        changes = build_vehicle_changes(target, crew, out) + list_changes(crew, hurt)
        fate = _build_vehicle_result(
            name_unit(target, WHAT.get(vehicle_type, "the vehicle")), out, names, tokens
        )
        now = (*_list_consequences(out, crew), *describe_men_inside(crew, names, hurt, tokens))
        return Resolution(
            add_unit(target, _format_headline(out, tokens)),
            list_result_words(hurt, tokens),
            (),
            changes,
            (fate,),
            now,
            notes=list_limits(crew, hurt),
        )

    opening = {"need": shot.need, "damage": [], "crew": []}
    rows = build_rows(build_riders(crew, names, "crew"), build_row("outcome", "the vehicle"))
    return Plan(Crew("hit"), steps, resolve, opening=opening, rows=rows, apart=apart)


def _read_shot(tables: Tables, given: Given) -> VehicleShot:
    """The charts read for a shot. Raises UserError beyond the weapon's last band."""
    weapon = given.word("weapon")
    to_hit, class_used = _read_to_hit(tables, weapon, given.number("range"))
    armor = tables["armor-modifiers"](
        armor=given.word("armor"),
        aspect=given.word("aspect"),
        extra_armor=given.flag("extra_armor"),
    )
    pen_need = tables["penetration"](weapon=class_used, armor=armor["column"])["need"]
    bounce = {"machine_gun": weapon in MACHINE_GUNS, "vehicle_type": given.word("vehicle_type")}
    return VehicleShot(
        int(to_hit["need"]),
        read_shot_modifiers(tables, given, side=given.word("aspect") == "side"),
        pen_need,
        {"class_used": class_used, "armor_used": armor["column"], "pen_need": pen_need},
        f"{_format_class(weapon, class_used)} against {_format_armor(given.word('armor'), armor)}",
        tables["no-penetration"].get_column("result", **bounce, roll=D20),
    )


def _read_to_hit(tables: Tables, weapon: str, inches: float) -> tuple[Answer, str]:
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


def _format_class(weapon: str, class_used: str) -> str:
    """The weapon class for the story; a gun beyond its third band counts one class lower."""
    if weapon.startswith("at-") or weapon.endswith("-at-weapon"):
        return f"{weapon.replace('-', ' ')} ({class_used.replace('-', ' ')})"
    return (weapon if weapon == class_used else f"{class_used} ({weapon} at long range)").replace(
        "-", " "
    )


def _format_armor(armor: str, answer: Answer) -> str:
    """The armor column for the story, with what shifts it."""
    why = "".join(
        f", {name} {format_minus(value) if value < 0 else f'+{value:g}'}"
        for name, value in list_modifiers(answer.parts)
    )
    return f"{answer['column']} armor".replace("-", " ") + (
        f" ({armor.replace('-', ' ')}{why})" if why else ""
    )


def _format_headline(out: Mapping[str, Any], tokens: Sequence[str]) -> str:
    if not out["penetrated"]:
        return BOUNCES[out["outcome"]]
    hurt = [area.replace("_", " ") for area in ("main_gun", "ammunition", "engine") if out[area]]
    words = [
        "penetrated",
        *(f"{area} destroyed" if area == "main gun" else f"{area} explodes" for area in hurt),
    ]
    words += ["crew bails out"] * bool(out["bail_out"])
    return ", ".join(
        [*words, *([f"crew: {summarize_results(out['crew'], tokens)}"] if out["crew"] else [])]
    )


def _build_vehicle_result(
    name: str, out: Mapping[str, Any], men: Sequence[str], tokens: Sequence[str]
) -> UnitResult:
    """What came of the vehicle, the worst first; what else and what of its crew in words."""
    if not out["penetrated"]:
        return UnitResult(name, str(out["outcome"]))
    hurt = [area for area in ("ammunition", "engine") if out[area]]
    token = "knocked-out" if hurt else "gun-lost" if out["main_gun"] else "penetrated"
    more = [f"{' and '.join(hurt)} explode{'s' if len(hurt) == 1 else ''}"] if hurt else []
    more += ["main gun gone"] * bool(hurt and out["main_gun"])
    return UnitResult(
        name, token, ", ".join([*more, *filter(None, (summarize_crew(men, tokens),))])
    )


def _list_consequences(out: Mapping[str, Any], crew: tuple[Unit, ...]) -> tuple[str, ...]:
    if (
        crew
        and len(out["crew"]) == len(crew)
        and all(man["after"] == "killed" for man in out["crew"])
    ):
        return ("nobody left in it",)
    return BAILED.get(out["reoccupy"], ())
