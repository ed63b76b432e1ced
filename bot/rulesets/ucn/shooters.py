"""The characters that fire: AP, weapon, check to hit, damage of a hit, and whether a hit may be
saved; and what results make of elements of the roster, and how answers call them.

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
    """What fire makes of the element that is shot at: members and casualties, and its state, which
    no milder one takes the place of. Source: Infantry Combat, Status Damage."""
    if target is None or not target.name:
        return ()
    members = target.numbers.get("members")
    state = target.state
    new = dict[str, Any]()
    lost = count if members is None else min(count, int(members))
    if lost:
        new["casualties"] = int(target.numbers.get("casualties") or 0) + lost
    if lost and members is not None:
        new["members"] = int(members) - lost
    if new.get("members") == 0:
        state = GONE
    elif state != GONE and (
        status in ("pinned", GONE) or (status == "hesitant" and state != "pinned")
    ):
        state = "hesitant" if status == "hesitant" else "pinned"
    if state != target.state:
        new["state"] = state
    return (Change(target.name, set=new),) if new else ()


def format_casualties(lost: int) -> str:
    """Return how many characters are lost, in words."""
    return "1 casualty" if lost == 1 else f"{lost} casualties"


BARRED = {
    "pinned": "is pinned",
    "let-loose": "has let loose",
    "withdraw": "is withdrawing",
}
"""States in which an element can do nothing in this activation. Source: Infantry Combat, Status
Damage; Morale, Failed Morale Test."""
RELOAD = "reload"
ALL_THE_SAME = "If your group allows it, do it all the same."


def format_loss(lost: int, members: int | None) -> str:
    """Return what an element loses in words: whoever is left is pinned."""
    if not lost:
        return ""
    said = format_casualties(lost)
    return said if members == lost else f"{said} and is pinned"


def refuse_unfit(unit: Unit | None, option: str) -> None:
    """Raise UserError for who can do nothing in this activation, or has to reload first."""
    if unit is None or not unit.name:
        return
    if unit.state in BARRED:
        what = f"{unit.word} {BARRED[unit.state]} and can do nothing in this activation."
        raise UserError(what, hint=ALL_THE_SAME, option=option, code="card-forbids")
    if RELOAD in unit.marks:
        what = f"{unit.word} has to reload first."
        hint = phrase(
            '`/ucn act unit="{name}" action=reload` does it.',
            name=unit.word,
        )
        raise UserError(what, hint=hint, option=option, code="card-forbids")


def list_overrides(units: Iterable[Unit]) -> tuple[str, ...]:
    """Return who of these acts although the card forbids it, and why it does."""
    known = {unit.name: unit for unit in units if unit.name}.values()
    barred = [(unit.word, BARRED[unit.state]) for unit in known if unit.state in BARRED]
    reloads = [(unit.word, "has to reload first") for unit in known if RELOAD in unit.marks]
    return tuple([f"{name} {why}, and acts all the same" for name, why in (*barred, *reloads)])


# -- how answers call weapons and elements, and what a status means in few words

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
"""Weapons as players call them, where that differs from the sheet."""
_PINNED = (
    "prone, −6 to all skills until it passes a Morale test, surrenders to an enemy within 4 inches"
)
UNDER_FIRE = {
    "hesitant": "prone and crawls, −4 to all skills",
    "pinned": _PINNED,
    "combat-ineffective": _PINNED,
}
"""What the statuses of fire mean. Source: Infantry Combat, Status Damage."""


def format_weapon(word: str) -> str:
    """A weapon as players call it."""
    return WEAPONS.get(word, word)


def name_unit(unit: Unit | None, otherwise: str) -> str:
    """The unit that an answer is about, or what it is called where none was named."""
    return otherwise if unit is None else unit.word


# -- what acting costs an element whose AP the roster knows: additional AP go into the skill first,
# then its own are spent. Source: Action Points, AP Expenditure; Additional AP; Skills


class Payment(NamedTuple):
    """The AP that a shot takes from an element: its own, additional ones, and what it lacks."""

    unit: Unit
    own: int
    lent: int
    shortfall: int

    @property
    def remaining(self) -> int:
        """The AP that are left after the shot, additional ones among them."""
        return get_ap_left(self.unit) + _get_number(self.unit, "more_ap") - self.own - self.lent

    def describe(self) -> str:
        """Say what it uses: `Red uses 1 AP and 1 additional (2 left)`."""
        if self.shortfall:
            return f"{self.unit.name} lacks AP, and acts all the same"
        if self.lent and not self.own:
            return f"{self.unit.name} uses {self.lent} additional AP ({self.remaining} left)"
        lent = f" and {self.lent} additional" if self.lent else ""
        return f"{self.unit.name} uses {self.own} AP{lent} ({self.remaining} left)"

    def build_change(self) -> Change:
        """Return what it takes from the roster unit."""
        new: dict[str, Any] = {"spent": _get_number(self.unit, "spent") + self.own}
        if self.lent:
            new["more_ap"] = _get_number(self.unit, "more_ap") - self.lent
        return Change(self.unit.name, set=new, mark=frozenset({"activated", "shot"}))


def list_payments(tables: Tables, units: Iterable[Unit], extra: int) -> tuple[Payment, ...]:
    """Return what each element that shoots pays, with `extra` AP for its skill."""
    return tuple([_build_payment(tables, unit, extra) for unit in list_units_with_ap(units)])


def list_units_with_ap(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Return the elements whose AP the roster knows, each once."""
    known = {unit.name: unit for unit in units if unit.name and unit.numbers.get("ap") is not None}
    return tuple(known.values())


def get_ap_left(unit: Unit) -> int:
    """Return an element's own AP that are left in this activation."""
    return max(0, _get_number(unit, "ap") - _get_number(unit, "spent"))


def _build_payment(tables: Tables, unit: Unit, extra: int) -> Payment:
    is_second = "shot" in unit.flags
    cost = int(tables["ap-costs"](action="shoot", second=is_second)["ap"]) + extra
    lent = min(_get_number(unit, "more_ap"), max(extra, cost - get_ap_left(unit)))
    own = min(get_ap_left(unit), cost - lent)
    return Payment(unit, own, lent, cost - lent - own)


def _get_number(unit: Unit, key: str) -> int:
    return int(unit.numbers.get(key) or 0)


def refuse_overdraft(payments: Iterable[Payment]) -> None:
    """Raise UserError for an element with fewer AP than the shot takes."""
    for payment in payments:
        if payment.shortfall:
            has = payment.own + payment.lent
            what = f"{payment.unit.word} has {has or 'no'} AP left, and this takes {has + payment.shortfall}."
            raise UserError(what, hint=ALL_THE_SAME, option="shooters", code="card-forbids")


WHOLE = ("heavy-weapon-crew", "vehicle")
"""Types that have AP as a whole, not for each character."""


def exhaust(unit: Unit, weapons: Sequence[str]) -> tuple[Change, str]:
    """Return what natural 20s take from an element, and say it; `weapons` are those they fired.

    Each character who rolls one loses what AP are left. Source: Action Points and Skills, Skills.
    """
    characters = int(unit.numbers.get("members") or 1)
    without = min(characters, _get_number(unit, "without_ap") + len(weapons))
    if unit.type in WHOLE or without >= characters:
        spent = max(_get_number(unit, "ap"), _get_number(unit, "spent"))
        return Change(
            unit.name, set={"spent": spent, "more_ap": None}
        ), f"{unit.name} has no AP left"
    new: dict[str, Any] = {"without_ap": without}
    if unit.numbers.get(LOADOUT):
        new[IDLE] = add_pieces(unit.numbers.get(IDLE) or (), weapons)
    lost = "has lost its" if without == 1 else "have lost their"
    said = f"{without} of {characters} characters of {unit.name} {lost} AP to a natural 20"
    return Change(unit.name, set=new), said


# -- skill checks: 1d20 at or under the final skill, a 1 always and a 20 never

FACES = range(1, 21)
LAST = 20
LOWEST = -60
HIGHEST = 80
MAX_BONUS = 60
Parts: TypeAlias = tuple[tuple[str, int | float], ...]


class Check(NamedTuple):
    """A final skill with what made it up, what it has above 20, and which faces of the d20
    succeed.
    """

    final: int
    over: int
    passes: tuple[bool, ...]
    parts: Parts = ()


def build_check(tables: Tables, parts: Iterable[tuple[str, int | float]]) -> Check:
    """The check against the sum of `parts`, the skill first."""
    kept = tuple(parts)
    final = int(sum([value for _, value in kept]))
    # Beyond the edges of the table nothing changes any more: only a 1 succeeds, only a 20 fails.
    skill = min(HIGHEST, max(LOWEST, final))
    read = tables["skill-check"].get_column("success", skill=skill, roll=FACES)
    return Check(final, max(0, final - LAST), (False, *read), kept)


def build_sum_line(check: Check, whose: str = "") -> Line:
    """How a final skill comes about, the skill first: `Skill: Spot 11 + 4 target moving = 15`."""
    return Line(whose or "skill", (), check.parts[1:], check.final, contributors=check.parts[:1])


def d20(label: str) -> tuple[Die, ...]:
    """One d20 that is rolled for `label`."""
    return (Die(label, LAST),)


class Alone(NamedTuple):
    """One die that is owed, or that has been rolled."""

    owes: str | None


def build_die_part(
    path: str, tells: Callable[[int], Outputs], key: Hashable
) -> IndependentPart[Any]:
    """For odds: one d20 as a part of its own, with all that each face `tells`, at `path` and of
    the totals.
    """
    steps = {"die": ruled(d20("die"), lambda _, roll: Ruling(Alone(None), tells(roll[0])))}
    return IndependentPart((path,), lambda: Plan(Alone("die"), steps, resolve_never), key)


def build_status_part(tables: Tables, given: Given, unit: Unit) -> Parts:
    """Return the skill modifier for the status of the element that acts.

    A typed status counts, else the state of the roster unit.
    Source: Infantry Combat, Status Damage; Failed Morale Test.
    """
    is_from_roster = unit.name and "status" not in given.typed
    status = unit.state if is_from_roster else given.word("status")
    effects = tables["status-effects"]
    if status not in effects.get_option("status").values:
        return ()
    modifier = int(effects(status=status)["skill_modifier"])
    name = MODIFIER_NAMES.get(status, status)
    return ((name, modifier),) if modifier else ()


def format_needed(final: int) -> str:
    """Return the text that says which d20 succeeds: a 1 always does, a 20 never."""
    return "needs a 1" if final <= 1 else f"{min(final, LAST - 1)} or less needed"


def build_mod_part(given: Given) -> Parts:
    """Any other modifier, if there is one."""
    return (("modifier", given.int("mod")),) if given.int("mod") else ()


def format_lost_ap(roll: Roll) -> str:
    """What natural 20s add to the line of a roll, or nothing: the characters that rolled them
    lose their AP.
    """
    count = roll.count(LAST)
    if not count:
        return ""
    return (
        ", natural 20: loses the remaining AP"
        if count == 1
        else f", {count} natural 20s: each loses the remaining AP"
    )


# -- small arms: damage dice, fixed addition, and whether the characters hit may save. Source:
# Infantry Combat, Firearms, Machine Guns, Specialist Weapons, Save, Status Damage

TABLES = ("firearms", "machine-guns", "specialist-weapons")
STATUSES = ("none", "hesitant", "pinned", "combat-ineffective")  # from the mildest to the worst
CASUALTY = STATUSES.index("combat-ineffective")
MODIFIER_NAMES = {"go-firm": "gone firm", "hesitant-morale": "hesitant"}
"""How a line names the modifier of a status, if not by its own word."""
RANKS = {status: rank for rank, status in enumerate(STATUSES)}


Saves: TypeAlias = tuple[str, ...]
SAVED = "saved"


class Weapon(NamedTuple):
    """A weapon: its word, damage dice per hit, what is added to each, whether a hit may be
    saved, its area.
    """

    word: str
    dice: int
    bonus: int
    saves: bool
    area: str


class Damage(NamedTuple):
    """The damage of one hit: its dice, what is added to each, and the status that each face from
    1 on gives.
    """

    dice: int
    bonus: int
    statuses: tuple[str, ...]

    def rank(self, face: int) -> int:
        """How bad the status of a face is: its place in the list of statuses."""
        return RANKS[self.statuses[face - 1]]

    def casualties(self, roll: Roll) -> int:
        """Return how many of the dice are casualties."""
        return [self.rank(face) for face in roll].count(CASUALTY)

    def worst(self, roll: Roll) -> int:
        """The worst status among the dice."""
        return max([self.rank(face) for face in roll])


def find_weapon(tables: Tables, word: str) -> Weapon:
    """The weapon called `word`, from the table that has it. Raises UserError."""
    for name in TABLES:
        table = tables[name]
        if word in table.get_option("weapon").values:
            row = table(weapon=word)
            dice = int(row["damage_dice"])
            bonus = int(row["damage_bonus"])
            return Weapon(word, dice, bonus, bool(row["save"]), str(row["area"]))
    raise UserError(f"{word} is not a weapon.", code="unknown-weapon")


def format_area(area: str) -> str:
    """The area of effect of a weapon in words, in inches; empty for none."""
    if area == "none":
        return ""
    if area.startswith("kz"):
        _, kill, _, danger = area.split("-")
        return f"kill zone {kill} inches, danger zone {danger} inches"
    if area.startswith("radius"):
        radius = area.removeprefix("radius-")
        return f"radius {radius} {'inch' if radius == '1' else 'inches'}"
    return f"{area.replace('x', ' x ')} inches"


def find_carried_weapon(tables: Tables, unit: Unit) -> Weapon:
    """The weapon of a shooter: the word itself, or what the roster unit carries. Raises
    UserError for none.
    """
    word = unit.numbers.get("weapon") if unit.name else unit.type
    if word is None:
        hint = phrase(
            "Add it after the name: {name} weapon=lmg. To keep it: `/unit edit {typed} weapon=lmg`",
            name=unit.word,
            typed=f'"{unit.word}"' if " " in unit.word else unit.word,
        )
        raise UserError(
            f"{unit.word} has no weapon.", hint=hint, option="shooters", code="no-weapon"
        )
    return find_weapon(tables, str(word))


# -- the characters that fire: weapon, check to hit, damage of a hit, and whether a hit may be saved

MORALE_LOSS = 2  # per casualty
GO_FIRM = 5  # by how much a Morale test was failed


class Shooter(NamedTuple):
    """One character: what the dice and the answer call them, where their outputs are, and how
    they fire.

    `arms` is the weapon in words, with the number of characters who fire it: `6 rifles`.
    """

    unit: Unit
    label: str
    shown: str
    arms: str
    path: str
    weapon: Weapon
    check: Check
    damage: Damage
    saves: Saves | None


Armed: TypeAlias = tuple[Weapon, Check, Damage, Saves | None]
"""How a character fires: weapon, check to hit, damage of a hit, what each face of a save does
where one is allowed.
"""


def read_shooters(
    tables: Tables, given: Given, modifiers: Callable[[Unit], Parts]
) -> tuple[Shooter, ...]:
    """The characters of `shooters` in order; `modifiers` gives what the card adds for each.

    Raises UserError for a shooter without weapon or skill, for flags, and for one who is out of the
    game.
    """
    units = given.units("shooters")
    labels = [unit.name or unit.word for unit in units]
    if len(units) > 1:
        labels = [f"{number} {label}" for number, label in enumerate(labels, 1)]
    armed = [_arm_shooter(tables, given, unit, modifiers(unit)) for unit in units]
    names = {unit.name for unit in units}
    called = [
        format_weapon(weapon.word) if len(names) == 1 else name_with_weapon(unit, weapon)
        for unit, (weapon, *_) in zip(units, armed, strict=True)
    ]
    counts = Counter(called)
    shown = number_repeated(called)  # as the answer calls them
    return tuple(
        [
            Shooter(
                unit, labels[at], shown[at], count_arms(called[at], counts[called[at]]),
                f"shooters[{at}]", *armed[at],
            )
            for at, unit in enumerate(units)
        ]
    )  # fmt: skip


def name_with_weapon(unit: Unit, weapon: Weapon) -> str:
    """Return what a character is called by the element and the weapon: `MG Team's pistol`."""
    arm = format_weapon(weapon.word)
    return f"{unit.name}'s {arm}" if unit.name else arm


def count_arms(arm: str, count: int) -> str:
    """Return a weapon with the number of those who fire it: `6 rifles`, `MMG`."""
    return f"{count} {format_plural(arm)}" if count > 1 else arm


def _arm_shooter(tables: Tables, given: Given, unit: Unit, modifiers: Parts) -> Armed:
    _refuse(unit)
    if not given.flag("anyway"):
        refuse_unfit(unit, "shooters")
    weapon = find_carried_weapon(tables, unit)
    own = (("own modifier", unit.number("mod")),) if unit.numbers.get("mod") else ()
    held = (*build_status_part(tables, given, unit), *build_mod_part(given))
    found = build_check(tables, (("Firearms", _get_skill(given, unit)), *modifiers, *held, *own))
    saves = read_saves(tables, weapon) if given.flag("saves") else None
    return weapon, found, read_damage(tables, weapon, found.over), saves


def read_damage(tables: Tables, weapon: Weapon, over: int) -> Damage:
    """Return the damage of a hit; `over` is what the skill has above 20."""
    bonus = weapon.bonus + over
    statuses = tables["status-damage"].get_column("status", roll=FACES, bonus=min(bonus, MAX_BONUS))
    return Damage(weapon.dice, bonus, statuses)


def read_saves(tables: Tables, weapon: Weapon) -> Saves | None:
    """Return what each face of a save does, None for a weapon that allows none."""
    if not weapon.saves:
        return None
    return tables["save-roll"].get_column("result", weapon=weapon.word, roll=FACES)


def _refuse(unit: Unit) -> None:
    if not unit.name and (unit.flags or unit.numbers.get("weapon") is not None):
        word = next(iter(unit.flags), "weapon=")
        what = f"{word} cannot follow {unit.word}: it belongs to a roster unit."
        raise UserError(
            what, hint=f"{unit.word} n=2 skill=14 mod=-4", option="shooters", code="bad-unit"
        )
    if unit.state in (GONE, "surrendered", "destroyed"):
        raise UserError(
            f"{unit.word} is {unit.state.replace('-', ' ')} and cannot fire.",
            option="shooters",
            code="unit-unfit",
        )


def _get_skill(given: Given, unit: Unit) -> int:
    for own in (
        unit.numbers.get("skill"),
        unit.numbers.get("firearms"),
        given.get_optional("skill"),
    ):
        if own is not None:
            return int(own)
    what = f"skill is missing, and {unit.word} has none of its own: the Firearms skill, a whole number from 1 to 30."
    raise UserError(what, option="skill", code="missing")


def build_skill_lines(shooters: Iterable[Shooter]) -> tuple[Line, ...]:
    """Return how each different final skill comes about.

    Modifiers that several different skills have in common stand in a line of their own, once.
    """
    checks: dict[Parts, Check] = {}
    words: dict[Parts, dict[str, None]] = {}
    for shooter in shooters:
        parts = shooter.check.parts
        checks[parts] = shooter.check
        words.setdefault(parts, {})[format_weapon(shooter.weapon.word)] = None
    if len(checks) == 1:
        return tuple([build_sum_line(check) for check in checks.values()])
    shared = _list_shared(checks)
    lines = [_build_shared_line(shared)] if shared else []
    lines += [
        build_sum_line(_merge_shared(check, shared), join_names(words[parts]))
        for parts, check in checks.items()
    ]
    return tuple(lines)


FEWEST_SHARED = 2
"""One modifier takes no less room in a line of its own."""
FOR_ALL = "for all"


def _list_shared(skills: Iterable[Parts]) -> Parts:
    """Return the modifiers that all skills have, in the order of the first; () for too few."""
    first, *others = skills
    shared = [part for part in first[1:] if all(part in other[1:] for other in others)]
    return tuple(shared) if len(shared) >= FEWEST_SHARED else ()


def _build_shared_line(shared: Parts) -> Line:
    return Line(FOR_ALL, (), shared, _sum_values(shared))


def _merge_shared(check: Check, shared: Parts) -> Check:
    """Return the check with the sum of the shared modifiers in their place."""
    if not shared:
        return check
    skill, *modifiers = check.parts
    own = [part for part in modifiers if part not in shared]
    return check._replace(parts=(skill, (FOR_ALL, _sum_values(shared)), *own))


def _sum_values(parts: Parts) -> int | float:
    return sum([value for _, value in parts])


def build_firm_cover(tables: Tables, given: Given) -> Parts:
    """The cover of a target that a failed Morale test made go firm, off the skill. Source:
    Failed Morale Test.
    """
    if not given.flag("target_firm_cover"):
        return ()
    return (
        ("target's firm cover", -int(tables["morale-failed"](failed_by=GO_FIRM)["cover_bonus"])),
    )
