"""`choose`: the sequence asks a side in its middle, and goes on with what it chose.

What was chosen comes in like an input. Where it is missing, play stops with the question, once all
items of a list have asked; odds are told one choice at a time, so there it is always given.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from re import compile as pattern
from typing import Any

from bot.rules.declared.compile_context import Name, Path, describe_type
from bot.rules.declared.formula import Env, Formula, build_constant
from bot.rules.declared.formula_functions import LISTS, NONE
from bot.rules.declared.interpreter import END, LINES, NOTES, Do, Here, Keys
from bot.rules.declared.odds_limits import Counter, Names, PossibleValues
from bot.rules.declared.program import OPEN, Partial, Slicer, Statement
from bot.rules.declared.step_parser import StepScope
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import ACTOR, ASKED, Choice, ChoiceRequest

KEYS = ("who", "ask", "options", "else")
MOST_CHOICES, MOST_OPTIONS = 2, 6
WORD = pattern(r"(?=.{1,32}$)[a-z][a-z0-9]*([-_][a-z0-9]+)*")
BESIDE = frozenset(("each", "as", "into", "only", "when", "choose"))
"""What a step may have beside a choice for each item."""


def get_pick_key(name: str) -> str:
    """The key of what was chosen: (option, ...) in the order in which they are asked for, one
    for all, or none.
    """
    return f"pick {name}"


@dataclass(frozen=True)
class Choose(Statement):
    """One option of a few, for the item at hand or for all. `count` is the key that counts who
    has been asked.
    """

    choice: Choice
    key: str
    count: str
    who: Formula | None
    item: Formula | None
    ask: Formula
    options: tuple[tuple[str, Formula], ...]

    @property
    def sets(self) -> Keys:
        return frozenset((self.key, self.count))

    @cached_property
    def reads(self) -> Keys:
        return super().reads | {self.count, get_pick_key(self.choice.name)}

    def is_wanted(self, slicer: Slicer, /) -> bool:
        return slicer.asked is None or self.key in slicer.live

    def simplify(self, slicer: Slicer, /) -> Statement:
        """Odds ask nobody."""
        return (
            self
            if slicer.asked is None
            else replace(self, who=None, item=None, ask=build_constant(""), options=())
        )

    def run_partly(self, _partial: Partial, env: Env, /) -> bool:
        picks = env.get(get_pick_key(self.choice.name), NONE)
        at = env[self.count]
        env[self.key] = (
            OPEN if picks == NONE or (at is OPEN and len(picks) > 1) else self._pick(picks, at)
        )
        env[self.count] = OPEN if at is OPEN else at + 1
        return False

    def _pick(self, picks: tuple[str, ...], at: int) -> str:
        """What was chosen where this is asked as the one at that place, from 0. Raises UserError
        for too few.
        """
        if len(picks) == 1:
            return picks[0]
        if at >= len(picks):
            raise self.choice.make_error(f"has {len(picks)} answers, and more are asked for")
        return picks[at]

    def do(self, _here: Here, /) -> Do:
        """Set what was chosen; where that is missing, note the question, and what counts
        meanwhile.
        """
        choice = self.choice
        key = self.key
        count = self.count
        pick = get_pick_key(self.choice.name)

        def do(env: Env) -> None:
            picks = env[pick]
            at = env[count]
            env[count] = at + 1
            if picks != NONE:
                env[key] = self._pick(picks, at)
            elif not self.options:
                raise choice.make_missing_error()
            else:
                env[key] = choice.otherwise
                env[NOTES].append(("ask", self._build_request(env)))

        return do

    def _build_request(self, env: Env) -> ChoiceRequest:
        who = (ACTOR,) if self.who is None else _names(self.who.run(env))
        options = tuple([(option, str(text.run(env))) for option, text in self.options])
        item = "" if self.item is None else str(self.item.run(env))
        return ChoiceRequest(
            self.choice.name, who, str(self.ask.run(env)), options, self.choice.otherwise, item
        )

    def bound(self, _counter: Counter, names: Names, states: float, /) -> float:
        """It is given before the first die, so it adds nothing."""
        names[self.key] = PossibleValues(frozenset(self.choice.options))
        names[self.count] = PossibleValues()
        return states


@dataclass(frozen=True)
class Pause(Statement):
    """Play ends here while what was asked for before it has no answer. `count` is the key of how
    many were asked.
    """

    choice: Choice
    count: str
    tells = True
    ends = True

    @cached_property
    def reads(self) -> Keys:
        return frozenset((self.count, get_pick_key(self.choice.name)))

    def do(self, _here: Here, /) -> Do:
        """End, or raise UserError for more answers than were asked for."""
        choice = self.choice
        count = self.count
        pick = get_pick_key(self.choice.name)

        def do(env: Env) -> Any:
            picks = env[pick]
            asked = env[count]
            if picks == NONE:
                return END if asked else None
            if asked and len(picks) not in (1, asked):
                raise choice.make_error(f"has {len(picks)} answers for {asked}")
            if asked:
                env[LINES].append(ASKED)
            return None

        return do


def _names(units: Any) -> tuple[str, ...]:
    """The units whose side is asked, as the roster calls them; nobody for what is on none."""
    some = units if isinstance(units, LISTS) else (units,)
    return tuple([unit.name for unit in some if isinstance(unit, Unit) and unit.name])


def read_choose(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """`choose: {answer: {who: targets, ask: "...", options: {...}, else: ...}}`: a side chooses one
    of the options. Raises TableError."""
    if place.loops and not place.asks:
        raise place.make_error(
            "within an each, choose is a key of the each itself: - each: ..., choose: ...", where
        )
    for name, spec in place.mapping(said, where).items():
        yield from _read(str(name), spec, place, (*where, name))


def _read(name: str, said: object, place: StepScope, at: Path) -> Iterator[Statement]:
    sheet = place.sheet
    owner = place.asks
    place.check_name(name, at)
    own, dot, last = name.rpartition(".")
    if own != owner or dot != ("." if owner else ""):
        asked = f"{owner}.{last}" if owner else last
        raise place.make_error(
            f"this choice is called {asked}, as each has its own" if owner else f"call it {last}",
            at,
        )
    if last in sheet.choices or last in sheet.inputs:
        taken = (
            f"{last} is an input already"
            if last in sheet.inputs
            else f"there is a choice {last} already, and each has a name of its own, also where "
            "only one of them can come"
        )
        raise place.make_error(taken, at)
    if len(sheet.choices) >= MOST_CHOICES:
        raise place.make_error(
            f"a sequence has at most {MOST_CHOICES} choices, those included of which only one can "
            "come; ask once, and let the steps say what the answer means",
            at,
        )
    if not isinstance(said, Mapping):
        raise place.make_error("a choice has who, ask, options and else", at)
    place.check_keys("a choice", said, KEYS, at)
    if missing := [key for key in KEYS if not said.get(key)]:
        raise place.make_error(f"the choice needs {missing[0]}", at)
    written = place.mapping(said["options"], (*at, "options"))
    if not 2 <= len(written) <= MOST_OPTIONS:
        raise place.make_error(f"a choice has 2 to {MOST_OPTIONS} options", (*at, "options"))
    options = tuple(
        [(str(word), place.text(text, (*at, "options", word))) for word, text in written.items()]
    )
    words = tuple(word for word, _ in options)
    otherwise = str(said["else"])
    if strange := [word for word in words if not WORD.fullmatch(word)]:
        raise place.make_error(
            f"{strange[0]} cannot be an option: write a word such as go-to-ground", (*at, "options")
        )
    if last in words:
        raise place.make_error(
            f"an option called {last} could not be told from the choice", (*at, "options")
        )
    if otherwise not in words:
        raise place.make_error(
            f"else is one of the options, and {otherwise} is none", (*at, "else"), otherwise, words
        )
    choice = sheet.choices[last] = Choice(last, words, otherwise, str(said["who"]))
    ask = place.text(said["ask"], (*at, "ask"))
    who = _read_who(str(said["who"]), place, (*at, "who"))
    item = place.text(f"{{{owner}}}", at) if owner else None
    sheet.formulas.tokens |= set(words)
    key = place.set_name(name, "text")
    count = f"asked {last}"
    sheet.begins[count] = 0
    if not owner:
        sheet.begins[key], sheet.chosen[name] = NONE, Name(key, "text")
    yield Choose(choice, key, count, who, item, ask, options)
    if not owner:
        yield Pause(choice, count)


def _read_who(said: str, place: StepScope, where: Path) -> Formula | None:
    """The units whose side is asked; None for that of who acts."""
    if said == ACTOR:
        return None
    units = [name for name, known in place.names.items() if known.type in ("unit", "units")]
    if said not in place.names:
        raise place.make_error(
            f"who is asked is {ACTOR} or an input of units, and there is no {said}",
            where,
            said,
            units,
        )
    found = place.formula(said, where)
    if found.type not in ("unit", "units"):
        raise place.make_error(
            f"who is asked is {ACTOR} or an input of units, not {describe_type(found.type)}",
            where,
            said,
            units,
        )
    return found
