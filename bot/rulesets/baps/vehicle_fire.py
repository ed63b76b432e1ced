"""One shot at a vehicle: the roll to hit, the penetration, and the damage inside."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from bot.rules.dice import Die, d20, make_dice
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
    """The state of a shot: the step that is due, the areas that took effect, and the crew's dice.

    - `effects`: for each area rolled so far, whether it took effect. In step `crew` only the areas
      that explode are left.
    - `hurts`: the effect on each man so far, None for a man without further dice.
    - `position`: the index of the man whose die is due: the first of those with the fewest dice.
    """

    next_step: str | None
    effects: tuple[bool, ...] = ()
    hurts: tuple[Hurt | None, ...] = ()
    position: int = 0


def build_crew_step(
    tables: Tables, crew: Sequence[Unit], names: Sequence[str]
) -> tuple[RuledStep[Crew], Callable[[Crew], IndependentParts[Any] | None]]:
    """Return the step `crew`, and for odds a function that splits a state in it into a part for
    each man (None for a state in another step).

    Row 4 for the main gun, 9 for the ammunition, 7 for the engine; row 4 if none took effect. All
    living men are rolled for before the next row.
    Source: Vehicle Charts, if the round penetrated.
    """
    crt = ResolutionTable(tables)
    damage = tables["penetrated-damage"]

    @cache
    def build_men(effects: tuple[bool, ...]) -> tuple[Man, ...]:
        areas = [area for area, effect in zip(EXPLOSIVE, effects, strict=False) if effect]
        rows = [int(damage(area=area, roll=4)["row"]) for area in areas or EXPLOSIVE[:1]]
        cells = tuple([crt.get_cell(row, 1) for row in rows])
        row_names = tuple([f"row {row}" for row in rows])
        return build_riders(crew, names, "crew", cells, row_names)

    def get_current_man(state: Crew) -> tuple[Man, Hurt]:
        man = build_men(state.effects)[state.position]
        hurt = state.hurts[state.position] or UNHURT
        return man, hurt

    def list_dice(state: Crew) -> tuple[Die, ...]:
        man, hurt = get_current_man(state)
        return crt.list_owed_dice(man, hurt)

    def rule(state: Crew, roll: Roll) -> Ruling[Crew]:
        man, before = get_current_man(state)
        (die,) = roll
        hurt = crt.strike(man, before, die)
        is_finished = man.is_finished(hurt)
        outputs = man.build_outputs(hurt) if is_finished else {}
        outputs[f"{man.path}.rolls[{before.rolled}]"] = die
        next_state = build_next_state(state, None if is_finished else hurt)
        return Ruling(next_state, outputs, lambda: (man.build_line(before, die, hurt),))

    def build_next_state(state: Crew, hurt_now: Hurt | None) -> Crew:
        hurts = (*state.hurts[: state.position], hurt_now, *state.hurts[state.position + 1 :])
        unfinished = [(hurt.rolled, index) for index, hurt in enumerate(hurts) if hurt is not None]
        if not unfinished:
            return Crew(None, state.effects)
        _, index = min(unfinished)
        return Crew("crew", state.effects, hurts, index)

    def split_parts(state: Crew) -> IndependentParts[Any] | None:
        if state.next_step != "crew":
            return None
        return IndependentParts([build_man_part(man, crt) for man in build_men(state.effects)])

    return ruled(list_dice, rule), split_parts


# -- the areas, one die (or two) each

AREAS = ("main-gun", "ammunition", "engine", "crew")


def build_area_step(
    tables: Tables, weapon: str, vehicle_type: str, crew_size: int
) -> RuledStep[Crew]:
    """Return the step `area` for a penetrating round: one die (or two) for each area, in the order
    of the card.

    Machine guns roll none for the crew of a tank. After the last area follows step `crew`, or the
    end if `crew_size` is 0. Source: Vehicle Charts, if the round penetrated.
    """
    dice = tables["penetrating-dice"](weapon=weapon)
    damage = tables["penetrated-damage"]
    sides = 4 if dice["die"] == "d4" else 6
    has_two_dice = dice["per_area"] == 2
    areas = AREAS[:3] if has_two_dice and vehicle_type == "tank" else AREAS

    def get_results(area: str) -> tuple[str, ...]:
        """Return the damage of each face in this area."""
        return damage.get_column("result", area=area, die=f"d{sides}", roll=range(1, sides + 1))

    def list_dice(state: Crew) -> tuple[Die, ...]:
        area = areas[len(state.effects)]
        return make_dice(1 + has_two_dice, sides, f"damage {area}")

    def rule(state: Crew, roll: Roll) -> Ruling[Crew]:
        position = len(state.effects)
        area = areas[position]
        results = get_results(area)
        if has_two_dice:
            has_effect = roll == (6, 6)
        else:
            has_effect = results[roll[0] - 1] != "none"
        effects = (*state.effects, has_effect)
        outputs: dict[str, object] = {
            f"damage[{position * len(roll) + index}]": die for index, die in enumerate(roll)
        }
        if area != "crew":
            outputs[area.replace("-", "_")] = has_effect

        def build_lines() -> tuple[Line]:
            needed = "two sixes" if has_two_dice else _format_needed_faces(results)
            return (Line(area.replace("-", " "), roll, result=f"{needed} needed"),)

        if len(effects) < len(areas):
            return Ruling(Crew("area", effects), outputs, build_lines)
        hurts = (UNHURT,) * crew_size
        next_state = Crew("crew" if crew_size else None, effects[: len(EXPLOSIVE)], hurts)
        return Ruling(next_state, {**outputs, **_build_verdict(effects)}, build_lines)

    return ruled(list_dice, rule)


def _format_needed_faces(results: Sequence[str]) -> str:
    """Format the faces of a die that have an effect, from the result of each: `5 or more`, `6`."""
    faces = [face for face, result in enumerate(results, 1) if result != "none"]
    return f"{faces[0]} or more" if len(faces) > 1 else f"{faces[0]}"


def _build_verdict(effects: tuple[bool, ...]) -> Outputs:
    """Return the outputs about the vehicle as a whole: `operable`, `bail_out` and `reoccupy`.

    It is not operable if the ammunition or engine took effect. The crew bails out then, or if the
    crew area took effect; `reoccupy` says if it may come back (yes or no), or none if it stays
    inside. `effects` says for main gun, ammunition, engine and (if rolled) crew if they took
    effect.
    """
    is_operable = not (effects[1] or effects[2])
    is_crew_shaken = len(effects) == 4 and effects[3]
    bails_out = not is_operable or is_crew_shaken
    if not bails_out:
        reoccupy = "none"
    else:
        reoccupy = "yes" if is_operable else "no"
    return {"operable": is_operable, "bail_out": bails_out, "reoccupy": reoccupy}


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
VEHICLE_NAMES = {
    "tank": "the tank",
    "tracked": "the tracked vehicle",
    "wheeled": "the wheeled vehicle",
}
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
    """One shot at a vehicle, and the rulings on its dice.

    - `need`: the total that hits. `pen_need`: the roll that penetrates, or NEVER.
    - `class_outputs`: the outputs about weapon class, armor and penetration, set by a hit.
    - `classes`: weapon class against armor, for the answer.
    - `bounces`: the result of each face for a round that did not penetrate.
    """

    need: int
    modifiers: Answer
    pen_need: int | str
    class_outputs: Outputs
    classes: str
    bounces: Sequence[str]

    def hits(self, die: int) -> bool:
        """Return whether a die hits."""
        return hits_vehicle(die, int(self.modifiers["total"]), self.need)

    def hit(self, _: Crew, roll: Roll) -> Ruling[Crew]:
        """Rule on the roll to hit.

        A miss ends the shot. After a hit the penetration is rolled; if the round can never
        penetrate, the bounce is rolled at once.
        """
        is_hit = self.hits(roll[0])
        total = roll[0] + int(self.modifiers["total"])
        outputs: dict[str, Any] = {"roll": roll[0], "hit_total": total, "hit": is_hit}

        def build_line() -> Line:
            needed = describe_need(self.need, self.hits)
            return Line("to hit", roll, list_modifiers(self.modifiers.parts), total, needed)

        if not is_hit:
            return Ruling(Crew(None), {**outputs, **MISSED}, lambda: (build_line(),))
        outputs |= self.class_outputs
        if self.pen_need != NEVER:
            return Ruling(Crew("penetrate"), outputs, lambda: (build_line(),))
        outputs |= {"pen_roll": "none", "penetrated": False}
        return Ruling(
            Crew("bounce"),
            outputs,
            lambda: (build_line(), Line("penetration", result=f"{self.classes}, never")),
        )

    def penetrate(self, _: Crew, roll: Roll) -> Ruling[Crew]:
        """Rule on the penetration roll: next are the areas inside if it is enough, else the bounce."""
        has_penetrated = roll[0] >= int(self.pen_need)
        outputs: dict[str, Any] = {"pen_roll": roll[0], "penetrated": has_penetrated}

        def build_lines() -> tuple[Line]:
            remark = f"{self.classes}, {self.pen_need} or more needed"
            return (Line("penetration", roll, result=remark),)

        if not has_penetrated:
            return Ruling(Crew("bounce"), outputs, build_lines)
        outputs["outcome"] = "penetrated"
        return Ruling(Crew("area"), outputs, build_lines)

    def bounce(self, _: Crew, roll: Roll) -> Ruling[Crew]:
        """Rule on the roll of a round that did not penetrate, which ends the shot."""
        result = self.bounces[roll[0] - 1]
        bails_out = result == "bail-out"
        outputs = {
            **UNHARMED,
            "outcome": result,
            "bail_out": bails_out,
            "reoccupy": "yes" if bails_out else "none",
        }
        return Ruling(Crew(None), outputs, lambda: (Line("not penetrated", roll),))


def plan(tables: Tables, inputs: Given) -> Plan[Crew]:
    """Return the plan for one shot of `weapon` at a vehicle.

    Raises UserError beyond the weapon's last band, and for a wreck.
    Source: Vehicle Charts, Roll to Hit Vehicular Targets to round that did not penetrate.
    """
    weapon = inputs.word("weapon")
    target = inputs.unit("target")
    vehicle_type = inputs.word("vehicle_type")
    refuse_wreck(target, "target")
    shot = _read_shot(tables, inputs)
    crew = list_men_aboard(inputs, "crew", target)
    names = label_men(crew)
    crew_step, split_parts = build_crew_step(tables, crew, names)
    steps = {
        "hit": ruled((d20("to hit"),), shot.hit),
        "penetrate": ruled((d20("penetration"),), shot.penetrate),
        "bounce": ruled((d20("not penetrated"),), shot.bounce),
        "area": build_area_step(tables, weapon, vehicle_type, len(crew)),
        "crew": crew_step,
    }

    def resolve(out: Mapping[str, Any]) -> Resolution:
        outcomes = out["crew"]
        tokens = [get_result_token(outcome) for outcome in outcomes]
        vehicle_changes = build_vehicle_changes(target, crew, out)
        vehicle_name = name_unit(target, VEHICLE_NAMES.get(vehicle_type, "the vehicle"))
        vehicle_result = _build_vehicle_result(vehicle_name, out, names, tokens)
        consequences = _list_consequences(out, crew)
        return Resolution(
            add_unit(target, _format_headline(out, tokens)),
            unit_words=list_result_words(outcomes, tokens),
            changes=vehicle_changes + list_changes(crew, outcomes),
            unit_results=(vehicle_result,),
            state_changes=(*consequences, *describe_men_inside(crew, names, outcomes, tokens)),
            notes=list_limits(crew, outcomes),
        )

    opening = {"need": shot.need, "damage": [], "crew": []}
    rows = build_rows(build_riders(crew, names, "crew"), build_row("outcome", "the vehicle"))
    return Plan(
        Crew("hit"),
        steps,
        resolve,
        opening=opening,
        odds_rows=rows,
        find_independent_parts=split_parts,
    )


def _read_shot(tables: Tables, inputs: Given) -> VehicleShot:
    """Read the charts for a shot. Raises UserError beyond the weapon's last band."""
    weapon = inputs.word("weapon")
    aspect = inputs.word("aspect")
    armor = inputs.word("armor")
    to_hit, class_used = _read_to_hit(tables, weapon, inputs.number("range"))
    armor_answer = tables["armor-modifiers"](
        armor=armor, aspect=aspect, extra_armor=inputs.flag("extra_armor")
    )
    armor_used = armor_answer["column"]
    pen_need = tables["penetration"](weapon=class_used, armor=armor_used)["need"]
    class_outputs = {"class_used": class_used, "armor_used": armor_used, "pen_need": pen_need}
    weapon_text = _format_class(weapon, class_used)
    armor_text = _format_armor(armor, armor_answer)
    bounces = tables["no-penetration"].get_column(
        "result",
        machine_gun=weapon in MACHINE_GUNS,
        vehicle_type=inputs.word("vehicle_type"),
        roll=D20,
    )
    return VehicleShot(
        int(to_hit["need"]),
        read_shot_modifiers(tables, inputs, side=aspect == "side"),
        pen_need,
        class_outputs,
        f"{weapon_text} against {armor_text}",
        bounces,
    )


def _read_to_hit(tables: Tables, weapon: str, inches: float) -> tuple[Answer, str]:
    """Return the row of the to-hit chart, and the name of the weapon's row in the penetration
    chart at this range. Raises UserError beyond the weapon's last band.
    """
    if weapon in ("at-grenade", "at-rifle", "light-at-weapon", "medium-at-weapon"):
        shot = tables["at-to-hit"](weapon=weapon, range=inches)
        class_used = str(shot["weapon_class"])
    else:
        gun = "machine-gun" if weapon in MACHINE_GUNS else weapon
        shot = tables["vehicle-to-hit"](weapon=gun, range=inches)
        class_used = str(tables["weapon-lower"](weapon=weapon)["row"]) if shot["lower"] else weapon
    if shot["need"] == "not-allowed":
        raise UserError(
            f"{weapon} cannot reach {inches:g} inches.",
            hint="Get closer.",
            option="range",
            code="out-of-reach",
        )
    return shot, class_used


def _format_class(weapon: str, class_used: str) -> str:
    """Format a weapon with its class against armor.

    `class_used` is the row of the penetration chart that the shot uses. For a gun it is the weapon
    itself, or beyond the gun's third range band a lower class: a heavy gun that counts as a medium
    one there is `medium (heavy at long range)`. Anti-tank weapons come first and have their class
    in brackets.
    """
    if weapon.startswith("at-") or weapon.endswith("-at-weapon"):
        text = f"{weapon} ({class_used})"
    elif weapon == class_used:
        text = weapon
    else:
        text = f"{class_used} ({weapon} at long range)"
    return text.replace("-", " ")


def _format_armor(armor: str, answer: Answer) -> str:
    """Format the armor column, with the armor and its modifiers in brackets if it is shifted."""
    column = str(answer["column"]).replace("-", " ")
    shifts = ""
    for name, value in list_modifiers(answer.parts):
        amount = format_minus(value) if value < 0 else f"+{value:g}"
        shifts += f", {name} {amount}"
    if not shifts:
        return f"{column} armor"
    return f"{column} armor ({armor.replace('-', ' ')}{shifts})"


def _format_headline(out: Mapping[str, Any], tokens: Sequence[str]) -> str:
    """Format the headline of a shot: what happened to the vehicle, then to its crew."""
    if not out["penetrated"]:
        return BOUNCES[out["outcome"]]
    phrases = ["penetrated"]
    if out["main_gun"]:
        phrases.append("main gun destroyed")
    phrases += [f"{area} explodes" for area in ("ammunition", "engine") if out[area]]
    if out["bail_out"]:
        phrases.append("crew bails out")
    if out["crew"]:
        phrases.append(f"crew: {summarize_results(out['crew'], tokens)}")
    return ", ".join(phrases)


def _build_vehicle_result(
    name: str, out: Mapping[str, Any], men: Sequence[str], tokens: Sequence[str]
) -> UnitResult:
    """Return the worst result of the vehicle, with its other damage and its crew in words.

    The results are knocked-out (ammunition or engine exploded), gun-lost and penetrated; for a
    round that did not penetrate it is the outcome. `men` are the names of the crew, `tokens` their
    results.
    """
    if not out["penetrated"]:
        return UnitResult(name, str(out["outcome"]))
    exploded = [area for area in ("ammunition", "engine") if out[area]]
    details: list[str] = []
    if exploded:
        token = "knocked-out"
        verb = "explodes" if len(exploded) == 1 else "explode"
        details.append(f"{' and '.join(exploded)} {verb}")
        if out["main_gun"]:
            details.append("main gun gone")
    else:
        token = "gun-lost" if out["main_gun"] else "penetrated"
    crew_summary = summarize_crew(men, tokens)
    if crew_summary:
        details.append(crew_summary)
    return UnitResult(name, token, ", ".join(details))


def _list_consequences(out: Mapping[str, Any], crew: tuple[Unit, ...]) -> tuple[str, ...]:
    """Return the text about the crew as a whole, if any: nobody is left, or they bail out.

    Return a tuple of one text or none.
    """
    outcomes = out["crew"]
    are_all_rolled = len(outcomes) == len(crew)
    if crew and are_all_rolled and all(man["after"] == "killed" for man in outcomes):
        return ("nobody left in it",)
    return BAILED.get(out["reoccupy"], ())
