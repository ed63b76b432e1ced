"""The characters that fire: AP, weapon, check to hit, damage of a hit and the save from it; the
roster changes of elements, and the names in answers.

Source: Action Points and Skills, Skills; Infantry Combat, Shooting, Damage, Status Damage, Save.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.loadout import IDLE, LOADOUT, add_pieces
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    IndependentPart,
    Line,
    Outputs,
    Plan,
    Roll,
    Ruling,
    resolve_never,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rules.text.names import format_plural, join_names, number_repeated
from bot.rules.text.phrase import phrase

GONE = "combat-ineffective"


def build_changes(target: Unit | None, count: int, status: str) -> tuple[Change, ...]:
    """Return the roster changes of an element under fire: members and casualties, and its state.

    `count` is the number of casualties. A milder state does not replace a worse one. Empty if
    nothing changes, or if the element is not on the roster.
    Source: Infantry Combat, Status Damage.
    """
    if target is None or not target.name:
        return ()
    members = target.numbers.get("members")
    values = dict[str, Any]()
    lost = count if members is None else min(count, int(members))
    if lost:
        values["casualties"] = _get_number(target, "casualties") + lost
    if lost and members is not None:
        values["members"] = int(members) - lost
    state = _worsen_state(target.state, status)
    if values.get("members") == 0:
        state = GONE
    if state != target.state:
        values["state"] = state
    return (Change(target.name, set=values),) if values else ()


def _worsen_state(state: str, status: str) -> str:
    """Return the state of an element after a `status` of fire. A milder one changes nothing.

    The status combat-ineffective pins the members who are left. An element that is in that state
    already stays in it.
    """
    if state == GONE:
        return state
    if status in ("pinned", GONE):
        return "pinned"
    if status == "hesitant" and state != "pinned":
        return "hesitant"
    return state


def format_casualties(lost: int) -> str:
    """Format the number of characters who are lost: `1 casualty`, `2 casualties`."""
    return "1 casualty" if lost == 1 else f"{lost} casualties"


BARRED = {
    "pinned": "is pinned",
    "let-loose": "has let loose",
    "withdraw": "is withdrawing",
}
"""States in which an element can do nothing in this activation. Source: Infantry Combat, Status
Damage; Morale, Failed Morale Test."""
RELOAD = "reload"
OVERRIDE_HINT = "If your group allows it, do it anyway."


def format_loss(lost: int, members: int | None) -> str:
    """Format the loss of an element: `1 casualty and is pinned`; empty for no loss.

    `members` is their number before the loss. If all are lost, nobody is left to be pinned.
    """
    if not lost:
        return ""
    casualties = format_casualties(lost)
    return casualties if members == lost else f"{casualties} and is pinned"


def refuse_unfit(unit: Unit | None, option: str) -> None:
    """Raise UserError if a roster element can do nothing in this activation, or has to reload.

    `option` is the input with the element.
    """
    if unit is None or not unit.name:
        return
    if unit.state in BARRED:
        problem = f"{unit.word} {BARRED[unit.state]} and can do nothing this activation."
        raise UserError(problem, hint=OVERRIDE_HINT, option=option, code="card-forbids")
    if RELOAD in unit.marks:
        problem = f"{unit.word} must reload first."
        hint = phrase(
            '`/ucn act unit="{name}" action=reload` does it.',
            name=unit.word,
        )
        raise UserError(problem, hint=hint, option=option, code="card-forbids")


def list_overrides(units: Iterable[Unit]) -> tuple[str, ...]:
    """Return a text with the reason for each roster element that acts although the card forbids it.

    Those who are barred by their state come first, then those who have to reload.
    """
    roster_units = {unit.name: unit for unit in units if unit.name}.values()
    reasons = [(unit.word, BARRED[unit.state]) for unit in roster_units if unit.state in BARRED]
    for unit in roster_units:
        if RELOAD in unit.marks:
            reasons.append((unit.word, "has to reload first"))
    return tuple([f"{name} {reason} but acts anyway" for name, reason in reasons])


# -- the names of weapons and elements in answers, and the meaning of a status in few words

WEAPONS = {
    "bolt-action-rifle": "rifle",
    "battle-rifle": "battle rifle",
    "smg": "SMG",
    "automatic-rifle": "automatic rifle",
    "lmg": "LMG",
    "mmg": "MMG",
    "hmg": "HMG",
    "rifle-grenade-launcher": "rifle grenade",
    "sniper-rifle": "sniper rifle",
}
"""Weapons as players call them, if that differs from the sheet."""
_PINNED = (
    "prone, −6 to all skills until it passes a Morale test, surrenders to an enemy within 4 inches"
)
UNDER_FIRE = {
    "hesitant": "prone, can only crawl, −4 to all skills",
    "pinned": _PINNED,
    "combat-ineffective": _PINNED,
}
"""The effects of each status of fire, for the answer. Source: Infantry Combat, Status Damage."""


def format_weapon(word: str) -> str:
    """Return the name that players use for a weapon."""
    return WEAPONS.get(word, word)


def name_unit(unit: Unit | None, otherwise: str) -> str:
    """Return the word of the unit, or `otherwise` if no unit was given."""
    return otherwise if unit is None else unit.word


# -- the AP that an action costs an element, if the roster has its AP: additional AP go into the
# skill first, then its own are spent. Source: Action Points, AP Expenditure; Additional AP; Skills


class Payment(NamedTuple):
    """The AP that a shot takes from an element: its own and additional ones, and the missing AP."""

    unit: Unit
    own_ap: int
    additional_ap: int
    shortfall: int

    @property
    def remaining(self) -> int:
        """The AP that are left after the shot, with additional ones."""
        available = get_ap_left(self.unit) + _get_number(self.unit, "more_ap")
        return available - self.own_ap - self.additional_ap

    def describe(self) -> str:
        """Format the payment: `Red uses 1 AP and 1 additional (2 left)`."""
        name = self.unit.name
        if self.shortfall:
            return f"{name} is short of AP but acts anyway"
        if self.additional_ap and not self.own_ap:
            return f"{name} uses {self.additional_ap} additional AP ({self.remaining} left)"
        additional = f" and {self.additional_ap} additional" if self.additional_ap else ""
        return f"{name} uses {self.own_ap} AP{additional} ({self.remaining} left)"

    def build_change(self) -> Change:
        """Return the change of the roster unit: AP spent, and the markers for having fired."""
        values: dict[str, Any] = {"spent": _get_number(self.unit, "spent") + self.own_ap}
        if self.additional_ap:
            values["more_ap"] = _get_number(self.unit, "more_ap") - self.additional_ap
        return Change(self.unit.name, set=values, mark=frozenset({"activated", "shot"}))


def list_payments(tables: Tables, units: Iterable[Unit], extra: int) -> tuple[Payment, ...]:
    """Return the payment of each element with AP for one shot, with `extra` AP for its skill.

    Elements without AP on the roster pay nothing and are left out.
    """
    return tuple([_build_payment(tables, unit, extra) for unit in list_units_with_ap(units)])


def list_units_with_ap(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Return the elements that have AP on the roster, each once."""
    units_by_name: dict[str, Unit] = {}
    for unit in units:
        if unit.name and unit.numbers.get("ap") is not None:
            units_by_name[unit.name] = unit
    return tuple(units_by_name.values())


def get_ap_left(unit: Unit) -> int:
    """Return an element's own AP that it has not spent in this activation."""
    return max(0, _get_number(unit, "ap") - _get_number(unit, "spent"))


def _build_payment(tables: Tables, unit: Unit, extra: int) -> Payment:
    """Return the payment for one shot; a second one in an activation costs more.

    Additional AP pay for `extra`, and for the part of the cost that the element's own AP do not
    cover. What both do not cover is the shortfall.
    """
    is_second = "shot" in unit.flags
    cost = int(tables["ap-costs"](action="shoot", second=is_second)["ap"]) + extra
    needed = max(extra, cost - get_ap_left(unit))
    additional_ap = min(_get_number(unit, "more_ap"), needed)
    own_ap = min(get_ap_left(unit), cost - additional_ap)
    return Payment(unit, own_ap, additional_ap, cost - additional_ap - own_ap)


def _get_number(unit: Unit, key: str) -> int:
    return int(unit.numbers.get(key) or 0)


def refuse_overdraft(payments: Iterable[Payment]) -> None:
    """Raise UserError for the first element with fewer AP than the shot takes."""
    for payment in payments:
        if payment.shortfall:
            available = payment.own_ap + payment.additional_ap
            cost = available + payment.shortfall
            problem = f"{payment.unit.word} has {available or 'no'} AP left, but this takes {cost}."
            raise UserError(problem, hint=OVERRIDE_HINT, option="shooters", code="card-forbids")


WHOLE = ("heavy-weapon-crew", "vehicle")
"""Types that have AP as a whole, not for each character."""


def exhaust(unit: Unit, weapons: Sequence[str]) -> tuple[Change, str]:
    """Return the change of an element that rolled natural 20s, and its text for the answer.

    Each character who rolls one loses the remaining AP; `weapons` are those they fired. The element
    as a whole has none left if all its characters lost theirs, or if its type has AP as a whole.
    Source: Action Points and Skills, Skills.
    """
    characters = int(unit.numbers.get("members") or 1)
    without_ap = min(characters, _get_number(unit, "without_ap") + len(weapons))
    if unit.type in WHOLE or without_ap >= characters:
        spent = max(_get_number(unit, "ap"), _get_number(unit, "spent"))
        change = Change(unit.name, set={"spent": spent, "more_ap": None})
        return change, f"{unit.name} has no AP left"
    values: dict[str, Any] = {"without_ap": without_ap}
    if unit.numbers.get(LOADOUT):
        values[IDLE] = add_pieces(unit.numbers.get(IDLE) or (), weapons)
    reason = (
        "has no AP left after a natural 20"
        if without_ap == 1
        else "have no AP left after natural 20s"
    )
    text = f"{without_ap} of {characters} characters in {unit.name} {reason}"
    return Change(unit.name, set=values), text


# -- skill checks: 1d20 at or under the final skill, a 1 always and a 20 never

FACES = range(1, 21)
LAST = 20
LOWEST = -60
HIGHEST = 80
MAX_BONUS = 60
Parts: TypeAlias = tuple[tuple[str, int | float], ...]


class Check(NamedTuple):
    """The final skill of a check and the faces of the d20 that pass it.

    `over` is the part of the skill above 20, `passes` has an item for each face from 0, and `parts`
    are the skill and its modifiers.
    """

    final: int
    over: int
    passes: tuple[bool, ...]
    parts: Parts = ()


def build_check(tables: Tables, parts: Iterable[tuple[str, int | float]]) -> Check:
    """Return the check against the sum of `parts`, the skill first."""
    parts = tuple(parts)
    final = int(sum([value for _, value in parts]))
    # Beyond the edges of the table nothing changes any more: only a 1 succeeds, only a 20 fails.
    skill = min(HIGHEST, max(LOWEST, final))
    passes = tables["skill-check"].get_column("success", skill=skill, roll=FACES)
    return Check(final, max(0, final - LAST), (False, *passes), parts)


def build_sum_line(check: Check, label: str = "") -> Line:
    """Return the line with the sum of a final skill: `Skill: Spot 11 + 4 target moving = 15`."""
    skill = check.parts[:1]
    modifiers = check.parts[1:]
    return Line(label or "skill", (), modifiers, check.final, contributors=skill)


def d20(label: str) -> tuple[Die, ...]:
    """Return one d20 with this label."""
    return (Die(label, LAST),)


class Alone(NamedTuple):
    """The state of a part with a single die: `next_step` is None after the roll."""

    next_step: str | None


def build_die_part(
    path: str, build_outputs: Callable[[int], Outputs], key: Hashable
) -> IndependentPart[Any]:
    """Return, for odds, one d20 as an independent part.

    `build_outputs` returns the outputs and totals of a face; the outputs are at `path`. Parts with
    equal `key` have equal odds.
    """

    def rule(_: Alone, roll: Roll) -> Ruling[Alone]:
        return Ruling(Alone(None), build_outputs(roll[0]))

    steps = {"die": ruled(d20("die"), rule)}
    return IndependentPart((path,), lambda: Plan(Alone("die"), steps, resolve_never), key)


def build_status_part(tables: Tables, inputs: Given, unit: Unit) -> Parts:
    """Return the skill modifier for the status of the element that acts, as one part.

    A typed status counts, else the state of the roster unit. Return () for a status without a
    modifier. Source: Infantry Combat, Status Damage; Failed Morale Test.
    """
    is_from_roster = unit.name and "status" not in inputs.typed
    status = unit.state if is_from_roster else inputs.word("status")
    effects = tables["status-effects"]
    if status not in effects.get_option("status").values:
        return ()
    modifier = int(effects(status=status)["skill_modifier"])
    name = MODIFIER_NAMES.get(status, status)
    return ((name, modifier),) if modifier else ()


def format_needed(final: int) -> str:
    """Format the d20 that is needed for this final skill: a 1 always succeeds, a 20 never."""
    return "needs a 1" if final <= 1 else f"{min(final, LAST - 1)} or less needed"


def build_mod_part(inputs: Given) -> Parts:
    """Return the typed modifier `mod` as a part of a skill, or () if there is none."""
    return (("modifier", inputs.int("mod")),) if inputs.int("mod") else ()


def format_lost_ap(roll: Roll) -> str:
    """Format the addition to a roll's line that natural 20s cost the remaining AP.

    Return "" if there are none.
    """
    count = roll.count(LAST)
    if not count:
        return ""
    if count == 1:
        return ", natural 20: loses the remaining AP"
    return f", {count} natural 20s: each loses the remaining AP"


# -- small arms: damage dice, fixed addition, and the save of the characters who are hit. Source:
# Infantry Combat, Firearms, Machine Guns, Specialist Weapons, Save, Status Damage

TABLES = ("firearms", "machine-guns", "specialist-weapons")
STATUSES = ("none", "hesitant", "pinned", "combat-ineffective")  # from the mildest to the worst
CASUALTY = STATUSES.index("combat-ineffective")
MODIFIER_NAMES = {"go-firm": "gone firm", "hesitant-morale": "hesitant"}
"""The name of a status in a line with its modifier, if it is not the status itself."""
RANKS = {status: rank for rank, status in enumerate(STATUSES)}


Saves: TypeAlias = tuple[str, ...]
SAVED = "saved"


class Weapon(NamedTuple):
    """A weapon: damage dice for each hit and the bonus of each die, if a hit may be saved, and its
    area of effect.
    """

    word: str
    dice: int
    bonus: int
    saves: bool
    area: str


class Damage(NamedTuple):
    """The damage of one hit: the number of dice, the bonus of each, and the status of each face
    from 1.
    """

    dice: int
    bonus: int
    statuses: tuple[str, ...]

    def rank(self, face: int) -> int:
        """Return the index of a face's status in STATUSES: the higher, the worse."""
        return RANKS[self.statuses[face - 1]]

    def casualties(self, roll: Roll) -> int:
        """Return the number of dice that are casualties."""
        return [self.rank(face) for face in roll].count(CASUALTY)

    def worst(self, roll: Roll) -> int:
        """Return the worst rank among the dice."""
        return max([self.rank(face) for face in roll])


def find_weapon(tables: Tables, word: str) -> Weapon:
    """Return the weapon `word` from the first of TABLES that lists it.

    Raises UserError if none does.
    """
    for name in TABLES:
        table = tables[name]
        if word in table.get_option("weapon").values:
            row = table(weapon=word)
            dice = int(row["damage_dice"])
            bonus = int(row["damage_bonus"])
            return Weapon(word, dice, bonus, bool(row["save"]), str(row["area"]))
    raise UserError(f"{word} is not a weapon.", code="unknown-weapon")


def format_area(area: str) -> str:
    """Format the area of effect of a weapon, in inches; empty for none."""
    if area == "none":
        return ""
    if area.startswith("kz"):
        _, kill, _, danger = area.split("-")
        return f"kill zone {kill} inches, danger zone {danger} inches"
    if area.startswith("radius"):
        radius = area.removeprefix("radius-")
        return f"{radius}-inch radius"
    return f"{area.replace('x', ' x ')} inches"


def find_carried_weapon(tables: Tables, unit: Unit) -> Weapon:
    """Return the weapon of a shooter: the one on the roster, or else the typed word itself.

    Raises UserError if there is none, or for an unknown one.
    """
    word = unit.numbers.get("weapon") if unit.name else unit.type
    if word is None:
        quoted_name = f'"{unit.word}"' if " " in unit.word else unit.word
        hint = phrase(
            "Add it after the name: {name} weapon=lmg. To keep it: `/unit edit {typed} weapon=lmg`",
            name=unit.word,
            typed=quoted_name,
        )
        raise UserError(
            f"{unit.word} has no weapon.", hint=hint, option="shooters", code="no-weapon"
        )
    return find_weapon(tables, str(word))


# -- the characters that fire: weapon, check to hit, damage of a hit, and the save from it

MORALE_LOSS = 2  # per casualty
GO_FIRM = 5  # the margin of a failed Morale test


class Shooter(NamedTuple):
    """One character who fires.

    - `label`: the name on the dice. `display_name`: the name in the answer.
    - `arms`: the weapon in words, with the number of characters who fire it: `6 rifles`.
    - `path`: the path of the outputs.
    - `saves`: the result of each face of the save from a hit, None if none is allowed.
    """

    unit: Unit
    label: str
    display_name: str
    arms: str
    path: str
    weapon: Weapon
    check: Check
    damage: Damage
    saves: Saves | None


Armed: TypeAlias = tuple[Weapon, Check, Damage, Saves | None]
"""The last four values of a Shooter."""


def read_shooters(
    tables: Tables, inputs: Given, build_modifiers: Callable[[Unit], Parts]
) -> tuple[Shooter, ...]:
    """Return the characters of input `shooters` in order.

    `build_modifiers` returns the modifiers of the card for one of them. Raises UserError for a
    shooter without weapon or skill, for flags or weapon= after a typed weapon, and for an element
    that is out of the game or (without `anyway`) cannot act.
    """
    units = inputs.units("shooters")
    labels = [unit.name or unit.word for unit in units]
    if len(units) > 1:
        labels = [f"{number} {label}" for number, label in enumerate(labels, 1)]
    armed = [_arm_shooter(tables, inputs, unit, build_modifiers(unit)) for unit in units]
    is_one_element = len({unit.name for unit in units}) == 1
    names: list[str] = []
    for unit, (weapon, *_) in zip(units, armed, strict=True):
        if is_one_element:
            names.append(format_weapon(weapon.word))
        else:
            names.append(name_with_weapon(unit, weapon))
    counts = Counter(names)
    display_names = number_repeated(names)
    shooters: list[Shooter] = []
    for index, unit in enumerate(units):
        name = names[index]
        arms = count_arms(name, counts[name])
        path = f"shooters[{index}]"
        display_name = display_names[index]
        shooters.append(Shooter(unit, labels[index], display_name, arms, path, *armed[index]))
    return tuple(shooters)


def name_with_weapon(unit: Unit, weapon: Weapon) -> str:
    """Return the weapon with the name of the roster element, if any: `MG Team's pistol`."""
    arm = format_weapon(weapon.word)
    return f"{unit.name}'s {arm}" if unit.name else arm


def count_arms(arm: str, count: int) -> str:
    """Format a weapon with the number of characters who fire it: `6 rifles`, `MMG` for one."""
    return f"{count} {format_plural(arm)}" if count > 1 else arm


def _arm_shooter(tables: Tables, inputs: Given, unit: Unit, modifiers: Parts) -> Armed:
    """Return weapon, check to hit, damage of a hit and save of one shooter.

    Raises UserError as `read_shooters` does.
    """
    _refuse(unit)
    if not inputs.flag("anyway"):
        refuse_unfit(unit, "shooters")
    weapon = find_carried_weapon(tables, unit)
    status_part = build_status_part(tables, inputs, unit)
    mod_part = build_mod_part(inputs)
    own_part = (("own modifier", unit.number("mod")),) if unit.numbers.get("mod") else ()
    skill = ("Firearms", _get_skill(inputs, unit))
    check = build_check(tables, (skill, *modifiers, *status_part, *mod_part, *own_part))
    saves = read_saves(tables, weapon) if inputs.flag("saves") else None
    return weapon, check, read_damage(tables, weapon, check.over), saves


def read_damage(tables: Tables, weapon: Weapon, over: int) -> Damage:
    """Return the damage of a hit; `over` is the part of the skill above 20."""
    bonus = weapon.bonus + over
    statuses = tables["status-damage"].get_column("status", roll=FACES, bonus=min(bonus, MAX_BONUS))
    return Damage(weapon.dice, bonus, statuses)


def read_saves(tables: Tables, weapon: Weapon) -> Saves | None:
    """Return the result of each face of a save, or None if the weapon allows none."""
    if not weapon.saves:
        return None
    return tables["save-roll"].get_column("result", weapon=weapon.word, roll=FACES)


def _refuse(unit: Unit) -> None:
    """Raise UserError for flags or weapon= after a typed weapon, or for an element out of the
    game.
    """
    if not unit.name and (unit.flags or unit.numbers.get("weapon") is not None):
        word = next(iter(unit.flags), "weapon=")
        problem = f"{word} cannot follow {unit.word}: it belongs to a roster unit."
        hint = f"{unit.word} n=2 skill=14 mod=-4"
        raise UserError(problem, hint=hint, option="shooters", code="bad-unit")
    if unit.state in (GONE, "surrendered", "destroyed"):
        state = unit.state.replace("-", " ")
        raise UserError(
            f"{unit.word} is {state} and cannot fire.", option="shooters", code="unit-unfit"
        )


def _get_skill(inputs: Given, unit: Unit) -> int:
    """Return the Firearms skill: the unit's own, or else the typed one.

    Raises UserError if there is neither.
    """
    skills = (
        unit.numbers.get("skill"),
        unit.numbers.get("firearms"),
        inputs.get_optional("skill"),
    )
    for skill in skills:
        if skill is not None:
            return int(skill)
    problem = f"skill is missing, and {unit.word} has none of its own: the Firearms skill, a whole number from 1 to 30."
    raise UserError(problem, option="skill", code="missing")


def build_skill_lines(shooters: Iterable[Shooter]) -> tuple[Line, ...]:
    """Return a line with the sum of each different final skill, labelled with its weapons.

    Modifiers that all of several different skills have in common are in a first line of their own.
    A single skill has no weapons in its label.
    """
    checks: dict[Parts, Check] = {}
    weapons: dict[Parts, dict[str, None]] = {}
    for shooter in shooters:
        parts = shooter.check.parts
        checks[parts] = shooter.check
        weapons.setdefault(parts, {})[format_weapon(shooter.weapon.word)] = None
    if len(checks) == 1:
        return tuple([build_sum_line(check) for check in checks.values()])
    shared = _list_shared(checks)
    lines = [_build_shared_line(shared)] if shared else []
    for parts, check in checks.items():
        label = join_names(weapons[parts])
        lines.append(build_sum_line(_merge_shared(check, shared), label))
    return tuple(lines)


FEWEST_SHARED = 2
"""Fewest modifiers for a line of their own: a single one would save no room."""
FOR_ALL = "for all"


def _list_shared(skills: Iterable[Parts]) -> Parts:
    """Return the modifiers that all skills have, in the order of the first.

    Return () for fewer than FEWEST_SHARED.
    """
    reference, *compared_skills = skills
    shared = [
        part for part in reference[1:] if all(part in compared[1:] for compared in compared_skills)
    ]
    return tuple(shared) if len(shared) >= FEWEST_SHARED else ()


def _build_shared_line(shared: Parts) -> Line:
    return Line(FOR_ALL, (), shared, _sum_values(shared))


def _merge_shared(check: Check, shared: Parts) -> Check:
    """Return the check with the sum of the shared modifiers in their place."""
    if not shared:
        return check
    skill, *modifiers = check.parts
    shared_sum = (FOR_ALL, _sum_values(shared))
    own_parts = [part for part in modifiers if part not in shared]
    return check._replace(parts=(skill, shared_sum, *own_parts))


def _sum_values(parts: Parts) -> int | float:
    return sum([value for _, value in parts])


def build_firm_cover(tables: Tables, inputs: Given) -> Parts:
    """Return the cover of a target that went firm after a failed Morale test, as one negative part.

    Return () without the input `target_firm_cover`. Source: Failed Morale Test.
    """
    if not inputs.flag("target_firm_cover"):
        return ()
    cover = int(tables["morale-failed"](failed_by=GO_FIRM)["cover_bonus"])
    return (("target's firm cover", -cover),)
