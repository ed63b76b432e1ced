"""`choose`: the sequence asks a side for a decision, then goes on with the answer.

The answer comes in like an input. If it is missing, play stops with the question after all items of
a list have asked. Odds are counted for one choice at a time, so there it is always given.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bot.rules.declared.compile_context import Name, Path, describe_type
from bot.rules.declared.formula import Env, Formula, build_constant
from bot.rules.declared.formula_functions import LISTS, NONE
from bot.rules.declared.interpreter import END, LINES, NOTES, Do, Here, Keys
from bot.rules.declared.odds_limits import Names, PossibleValues, StateCounter
from bot.rules.declared.program import OPEN, KnownValuesPass, Slicer, Statement
from bot.rules.declared.step_parser import StepScope
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import ACTOR, ASKED, Choice, ChoiceRequest

KEYS = ("who", "ask", "options", "else")
MOST_CHOICES, MOST_OPTIONS = 2, 6
WORD = re.compile(r"(?=.{1,32}$)[a-z][a-z0-9]*([-_][a-z0-9]+)*")
BESIDE = frozenset(("each", "as", "into", "only", "when", "choose"))
"""The other keys that a step may have if it makes a choice for each item."""


def get_pick_key(name: str) -> str:
    """Return the key of the answers: (option, ...) in the order of the questions, a single one for
    all, or none.
    """
    return f"pick {name}"


@dataclass(frozen=True)
class Choose(Statement):
    """One option of several, for the current item or for all. `count` is the key that counts the
    questions asked so far.
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
        """Return the statement without its question, because odds ask nobody."""
        if slicer.asked is None:
            return self
        return replace(self, who=None, item=None, ask=build_constant(""), options=())

    def run_partly(self, _known_pass: KnownValuesPass, env: Env, /) -> bool:
        picks = env.get(get_pick_key(self.choice.name), NONE)
        index = env[self.count]
        is_open = picks == NONE or (index is OPEN and len(picks) > 1)
        env[self.key] = OPEN if is_open else self._pick(picks, index)
        env[self.count] = OPEN if index is OPEN else index + 1
        return False

    def _pick(self, picks: tuple[str, ...], index: int) -> str:
        """Return the answer to the question at this index, from 0. Raises UserError for too few
        answers.
        """
        if len(picks) == 1:
            return picks[0]
        if index >= len(picks):
            raise self.choice.make_error(f"has {len(picks)} answers, but more are needed")
        return picks[index]

    def do(self, _context: Here, /) -> Do:
        """Return the function that sets the key to the player's answer.

        If there is none, it sets the default and notes the question. Without options, as in odds,
        it raises UserError instead.
        """
        choice = self.choice
        key = self.key
        count = self.count
        pick = get_pick_key(self.choice.name)

        def do(env: Env) -> None:
            picks = env[pick]
            index = env[count]
            env[count] = index + 1
            if picks != NONE:
                env[key] = self._pick(picks, index)
            elif not self.options:
                raise choice.make_missing_error()
            else:
                env[key] = choice.default
                env[NOTES].append(("ask", self._build_request(env)))

        return do

    def _build_request(self, env: Env) -> ChoiceRequest:
        """Return the question for the player, with its options in words."""
        chooser_names = (ACTOR,) if self.who is None else _names(self.who.run(env))
        options = tuple([(option, str(text.run(env))) for option, text in self.options])
        item = "" if self.item is None else str(self.item.run(env))
        return ChoiceRequest(
            self.choice.name,
            chooser_names,
            str(self.ask.run(env)),
            options,
            self.choice.default,
            item,
        )

    def bound(self, _counter: StateCounter, names: Names, states: float, /) -> float:
        """Return `states` as it is: the answer is known before the first die, so it adds none.

        Record in `names` that the answer may be any option.
        """
        names[self.key] = PossibleValues(frozenset(self.choice.options))
        names[self.count] = PossibleValues()
        return states


@dataclass(frozen=True)
class Pause(Statement):
    """The point at which play stops if an earlier question has no answer. `count` is the key of the
    number of questions.
    """

    choice: Choice
    count: str
    tells = True
    ends = True

    @cached_property
    def reads(self) -> Keys:
        return frozenset((self.count, get_pick_key(self.choice.name)))

    def do(self, _context: Here, /) -> Do:
        """Return the function that stops play here if an earlier question has no answer.

        It raises UserError for a wrong number of answers. With an answer to each question, or
        without a question, play goes on.
        """
        choice = self.choice
        count = self.count
        pick = get_pick_key(self.choice.name)

        def do(env: Env) -> Any:
            picks = env[pick]
            request_count = env[count]
            if picks == NONE:
                return END if request_count else None
            if request_count and len(picks) not in (1, request_count):
                raise choice.make_error(f"has {len(picks)} answers for {request_count}")
            if request_count:
                env[LINES].append(ASKED)
            return None

        return do


def _names(units: Any) -> tuple[str, ...]:
    """Return the roster names of the units, without those that are not on the roster."""
    unit_list = units if isinstance(units, LISTS) else (units,)
    return tuple([unit.name for unit in unit_list if isinstance(unit, Unit) and unit.name])


def read_choose(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read `choose: {answer: {who: targets, ask: "...", options: {...}, else: ...}}`.

    A side chooses one of the options. Raises TableError for a fault in a choice, and for `choose`
    as a step in a loop.
    """
    if scope.loops and not scope.asking_item:
        raise scope.make_error(
            "within an each, choose is a key of the each itself: - each: ..., choose: ...", path
        )
    for name, choice_spec in scope.mapping(spec, path).items():
        yield from _read(str(name), choice_spec, scope, (*path, name))


def _read(name: str, spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read one choice, named `unit.NAME` if each item of a loop is asked.

    Yield the statement that asks and, outside a loop, the one that stops play until the answer is
    known. Adds the choice and its words to the sheet of the sequence.

    Raises TableError for a name that cannot be used, and for a key that is missing or unknown.
    """
    sheet = scope.sheet
    owner = scope.asking_item
    scope.check_name(name, path)
    short_name = name.rpartition(".")[2]
    _check_choice_name(name, short_name, scope, path)
    if not isinstance(spec, Mapping):
        raise scope.make_error("a choice has who, ask, options and else", path)
    scope.check_keys("a choice", spec, KEYS, path)
    missing_keys = [key for key in KEYS if not spec.get(key)]
    if missing_keys:
        raise scope.make_error(f"the choice needs {missing_keys[0]}", path)
    options = _read_options(short_name, spec, scope, path)
    words = tuple(word for word, _ in options)
    choice = Choice(short_name, words, str(spec["else"]), str(spec["who"]))
    sheet.choices[short_name] = choice
    ask = scope.text(spec["ask"], (*path, "ask"))
    chooser = _read_who(str(spec["who"]), scope, (*path, "who"))
    item = scope.text(f"{{{owner}}}", path) if owner else None
    sheet.formulas.tokens |= set(words)
    key = scope.set_name(name, "text")
    count = f"asked {short_name}"
    sheet.begins[count] = 0
    if not owner:
        sheet.begins[key] = NONE
        sheet.chosen[name] = Name(key, "text")
    yield Choose(choice, key, count, chooser, item, ask, options)
    if not owner:
        yield Pause(choice, count)


def _check_choice_name(name: str, short_name: str, scope: StepScope, path: Path) -> None:
    """Raise TableError if a choice cannot have this name, or if the sequence has too many choices.

    `short_name` is the name without its item: `react` for `unit.react`.
    """
    sheet = scope.sheet
    owner = scope.asking_item
    expected_name = f"{owner}.{short_name}" if owner else short_name
    if name != expected_name:
        problem = f"call it {short_name}"
        if owner:
            problem = f"this choice is called {expected_name}, because each has its own"
        raise scope.make_error(problem, path)
    if short_name in sheet.inputs:
        raise scope.make_error(f"{short_name} is already an input", path)
    if short_name in sheet.choices:
        raise scope.make_error(
            f"there is already a choice {short_name}; each needs a name of its own, even if "
            "only one of them can come up",
            path,
        )
    if len(sheet.choices) >= MOST_CHOICES:
        raise scope.make_error(
            f"a sequence has at most {MOST_CHOICES} choices, including those of which only "
            "one can come up; ask once, and let the steps say what the answer means",
            path,
        )


def _read_options(
    short_name: str, spec: Mapping[str, Any], scope: StepScope, path: Path
) -> tuple[tuple[str, Formula], ...]:
    """Read the options of a choice as pairs of a word and its text.

    Raises TableError for fewer or more options than a choice has, a word that cannot be one, and if
    `else` is none of them.
    """
    options_path = (*path, "options")
    option_texts = scope.mapping(spec["options"], options_path)
    if not 2 <= len(option_texts) <= MOST_OPTIONS:
        raise scope.make_error(f"a choice has 2 to {MOST_OPTIONS} options", options_path)
    options = tuple(
        [
            (str(word), scope.text(text, (*options_path, word)))
            for word, text in option_texts.items()
        ]
    )
    words = [word for word, _ in options]
    for word in words:
        if not WORD.fullmatch(word):
            problem = f"{word} cannot be an option: write a word such as go-to-ground"
            raise scope.make_error(problem, options_path)
    if short_name in words:
        problem = f"an option called {short_name} could not be told apart from the choice"
        raise scope.make_error(problem, options_path)
    default_word = str(spec["else"])
    if default_word not in words:
        problem = f"else must be one of the options, and {default_word} is not"
        raise scope.make_error(problem, (*path, "else"), default_word, words)
    return options


def _read_who(spec: str, scope: StepScope, path: Path) -> Formula | None:
    """Return the formula of the units whose side chooses, None for the acting side.

    Raises TableError if `spec` names no units.
    """
    if spec == ACTOR:
        return None
    units = [name for name, name_info in scope.names.items() if name_info.type in ("unit", "units")]
    if spec not in scope.names:
        raise scope.make_error(
            f"who must be {ACTOR} or an input of units, but there is no {spec}",
            path,
            spec,
            units,
        )
    formula = scope.formula(spec, path)
    if formula.type not in ("unit", "units"):
        raise scope.make_error(
            f"who must be {ACTOR} or an input of units, not {describe_type(formula.type)}",
            path,
            spec,
            units,
        )
    return formula
