"""A combat sequence, defined once for two uses: play with dice, and exact odds.

A `Plan` holds the steps of one sequence for given inputs. Its state names the next step. The step
asks for dice and rules on the roll: the next state, the outputs that are decided, and (only in play)
the lines of the answer. So play and odds cannot drift apart. The state holds only what later steps
need, so equal states merge in the odds.

Paths name outputs: `hit`, `targets[0].result`, `targets[0].damage[1].status`. Each path is set
at most once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from bot.rules.dice import Die, RolledDie, Source
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.tracks import TrackMove
from bot.rules.tables import table
from bot.rules.text.line import Line as Line
from bot.rules.text.line import format_minus as format_minus
from bot.rules.text.normalize import ITEM_ENDS, comparison_key

# -- one roll: the dice that it asks for, and the ruling on what they show

Roll = tuple[int, ...]
Outputs = Mapping[str, Any]
Weighted = tuple[tuple[int, Roll], ...]
"""Pairs of (weight, roll): the roll stands for that many equally likely rolls."""
_NOTHING: Outputs = MappingProxyType({})
NO_INPUTS = Given({})


MOST_ROLLED = 400
"""The maximum number of dice in one play of a declared sequence."""


class State(Protocol):
    """The position in a sequence between two rolls: a frozen, hashable value."""

    @property
    def next_step(self) -> str | None:
        """The name of the next step, or None at the end."""
        ...


S = TypeVar("S", bound=State)


def _list_no_lines() -> Iterable[Line]:
    return ()


class Ruling(NamedTuple, Generic[S]):
    """The ruling on one roll.

    `outputs` are those that this roll decides, as {path: value}. `build_lines` returns the lines of
    the answer; it is called only in play, so odds never pay for words.
    `notes` are the notes of this roll, for a sequence that resolves its result from notes.

    >>> class Now(NamedTuple):
    ...     next_step: str | None
    >>> def to_hit(now, roll):
    ...     return Ruling(Now(None), {"hit": roll[0] >= 5}, lambda: [Line("to hit", roll, result="needs a 5")])
    >>> ruling = to_hit(Now("to hit"), (6,))
    >>> ruling.next_state, ruling.outputs, [line.result for line in ruling.build_lines()]
    (Now(next_step=None), {'hit': True}, ['needs a 5'])
    """

    next_state: S
    outputs: Outputs = _NOTHING
    build_lines: Callable[[], Iterable[Line]] = _list_no_lines
    notes: tuple[Any, ...] = ()


class Step(Protocol[S]):
    """The protocol of one roll of a sequence. `RuledStep` is the simple case."""

    def rule(self, state: S, roll: Roll, /) -> Ruling[S]:
        """Return the ruling on the roll."""
        ...

    def list_dice(self, state: S, /) -> tuple[Die, ...]:
        """Return the dice to roll in `state`, in order."""
        ...

    def group_rolls(self, state: S, /) -> Weighted | None:
        """Return one roll for each group that `rule` treats the same in `state`, with its weight.

        None means that `rule` may treat every roll differently.
        """
        ...


class RuledStep(NamedTuple, Generic[S]):
    """One roll of a sequence: `rule` takes the state and the roll and returns the ruling.

    `dice` are the dice to roll, or a function that returns them for a state.
    """

    dice: tuple[Die, ...] | Callable[[S], tuple[Die, ...]]
    rule: Callable[[S, Roll], Ruling[S]]

    def list_dice(self, state: S) -> tuple[Die, ...]:
        """Return the dice to roll in `state`, in order."""
        dice = self.dice
        return dice if isinstance(dice, tuple) else dice(state)

    def group_rolls(self, _state: S) -> None:
        """Return None: odds look at every roll, and equal states merge anyway."""


ruled = RuledStep


# -- the sequence: its result, its parts, and its plan


class Change(NamedTuple):
    """A change of a roster unit by a result."""

    unit: str
    """The name of the unit."""
    set: Mapping[str, Any] = _NOTHING
    """New values of `state` or attributes, by name."""
    mark: frozenset[str] = frozenset()
    """Markers and flags to put on."""
    unmark: frozenset[str] = frozenset()
    """Markers and flags to take off."""
    add: Mapping[str, int] = _NOTHING
    """Amounts to add to whole numbers that the unit has; none goes below 0."""
    of: str = ""
    """If given, change every unit whose attribute `of` names `unit` (the men of a squad) instead of
    the unit itself. `resolve_links` makes plain changes of these."""
    drop: bool = False
    """Take `unit` off the list in the attribute `of`."""
    turn: bool = False
    """First flip the unit to its reduced side, if it has one."""


class Arrival(NamedTuple):
    """A unit that comes into play: its type, the roster unit next to which it appears, and its
    first state and markers.
    """

    type: str
    near_unit: str
    state: str = ""
    mark: frozenset[str] = frozenset()


class UnitResult(NamedTuple):
    """The result of one unit, as a token that `results` of the game.yaml puts into words.

    `detail` replaces `{more}` in these words. `earlier_results` are the unit's earlier results in
    this play, as (token, detail).
    """

    unit: str
    token: str
    detail: str = ""
    earlier_results: tuple[tuple[str, str], ...] = ()


ACTOR = "actor"
"""The value of `chooser` if the side that acts makes the choice."""


class Choice(NamedTuple):
    """A choice that a side makes: its name, the options, and the default if nobody answers.

    `chooser` is the input whose side chooses, or `actor`.
    """

    name: str
    options: tuple[str, ...]
    default: str
    chooser: str = ACTOR

    @property
    def subject(self) -> str:
        """The subject and verb before the chosen option: `the targets choose `."""
        if self.chooser == ACTOR:
            return "who acts chooses "
        name = self.chooser.replace("_", " ")
        verb = "choose" if name.endswith("s") else "chooses"
        return f"the {name} {verb} "

    def parse_picks(self, raw: object) -> tuple[str, ...]:
        """Parse the options that a user typed: one for all units, or one for each, with commas.

        Raises UserError for an unknown option.
        """
        words = raw if isinstance(raw, list | tuple) else re.split(ITEM_ENDS, str(raw))
        picks = tuple([comparison_key(str(word)).replace(" ", "-") for word in words])
        for pick in picks:
            if pick not in self.options:
                raise self.make_error(f'has no option "{pick[:40]}"')
        return picks

    def make_error(self, problem: str) -> UserError:
        """Return the error for a wrong answer to this choice: its name, then `problem`."""
        return UserError(
            f"{self.name} {problem}.", hint=self.expectation, option=self.name, code="bad-value"
        )

    def make_missing_error(self) -> UserError:
        """Return the error for a choice that must be given with the command."""
        return UserError(
            f"This needs {self.name}: the option chosen.",
            hint=self.expectation,
            option=self.name,
            code="missing",
        )

    @property
    def expectation(self) -> str:
        """The hint that lists the options."""
        return f"{self.name} must be one of {', '.join(self.options)}."


class ChoiceRequest(NamedTuple):
    """A pending choice that a side must make before the sequence goes on."""

    name: str
    choosers: tuple[str, ...]
    """The names of the units whose side chooses, or ACTOR."""
    question: str
    """The question."""
    options: tuple[tuple[str, str], ...]
    """Pairs of an option and its words."""
    default: str
    """The option that counts if nobody chooses."""
    item: str = ""
    """The unit that the choice is about, if each of several units has its own; else ""."""


class Resolution(NamedTuple):
    """The result of a sequence after its last die."""

    headline: str
    """The result in a few words. It goes into the log and is checked by verify, so it never changes
    without a new edition."""
    unit_words: tuple[tuple[str, str], ...] = ()
    """Pairs of (unit, word of its result). Not shown if there are `unit_results`."""
    next_steps: tuple[str, ...] = ()
    """The orders for what to do next (`run crash`)."""
    changes: tuple[Change, ...] = ()
    """The changes of roster units."""
    unit_results: tuple[UnitResult, ...] = ()
    """The results of units as tokens, for the first line of the answer."""
    state_changes: tuple[str, ...] = ()
    """Changes of states, and other changes, in words. They are shown after "Now:"."""
    cause: str = ""
    """The cause, if it is not the acting unit (`no loss to US Squad 3`)."""
    notes: tuple[str, ...] = ()
    """Remarks, in small print."""
    sum_lines: tuple[Line, ...] = ()
    """Short lines that replace the lines of single units if these are left out."""
    arrivals: tuple[Arrival, ...] = ()
    """Units that come into play."""
    unarmed_units: tuple[str, ...] = ()
    """Units whose weapons are out of ammunition or jammed."""
    choice_requests: tuple[ChoiceRequest, ...] = ()
    """Choices to wait for. If there are any, the sequence is not finished and nothing has changed
    yet."""
    track_moves: tuple[TrackMove, ...] = ()
    """The changes of tracks."""
    form_buttons: tuple[tuple[str, str], ...] = ()
    """Buttons that open a form, as (label, command)."""


def tell_nothing(_state: Any) -> Outputs:
    """Return no further outputs at the end of a sequence."""
    return _NOTHING


class OddsRow(NamedTuple):
    """A row of odds: one unit (or the whole), under the name that the answer uses."""

    name: str
    paths: tuple[str, ...]
    """The outputs that decide the result. A single one is the result itself."""
    read: Callable[[Outputs], Any]
    """A function that returns the result from the outputs, or None while they do not decide it."""
    format_result: Callable[[str], str] = str
    """A function that turns a result into the words of the answer."""
    unit_count: int = 1
    """The number of units that the row stands for."""
    assumed_choices: tuple[str, ...] = ()
    """The option assumed in this row for each choice that the odds leave open."""


def build_row(path: str, name: str = "") -> OddsRow:
    """Return the row of odds whose result is the output `path` itself."""
    return OddsRow(name, (path,), lambda outputs: outputs.get(path))


class IndependentPart(NamedTuple, Generic[S]):
    """A part of a sequence that does not depend on the other parts.

    `prefixes` are those of its outputs; no other part sets them. `known_outputs` are those of its
    outputs that need no dice. Parts with the same `key` differ only in `prefixes` and
    `known_outputs`, so odds count them once.
    """

    prefixes: tuple[str, ...]
    build_plan: Callable[[], Plan[S]]
    key: Hashable = None
    known_outputs: Outputs = _NOTHING


class IndependentParts(NamedTuple, Generic[S]):
    """The independent parts of a state. Odds count each part by itself and multiply the results.

    `totals` maps an output to which every part adds a share to the function that adds two shares.
    When all parts have ended, `rule_on_totals` takes the totals that `reads` names and returns the
    next ruling; without it the sequence ends there. `reads` maps a total to the only outputs that depend
    on it (`{"ones": ("losses",)}`), or to none if everything may.

    Two men who shoot at a tank, which is out when one of them hits:

    >>> from operator import or_
    >>> from bot.rules.dice import d6
    >>> from bot.rules.odds.odds import compute_joint_odds
    >>> class Now(NamedTuple):
    ...     next_step: str | None
    ...     hit: bool = False
    >>> def man(at):
    ...     shot = ruled((d6("shot"),), lambda _, roll: Ruling(Now(None, roll[0] == 6), {f"men[{at}].roll": roll[0]}))
    ...     return Plan(Now("shot"), {"shot": shot}, print, closing=lambda now: {"out": now.hit})
    >>> men = [
    ...     IndependentPart((f"men[{index}]",), lambda index=index: man(index), "man")
    ...     for index in (0, 1)
    ... ]
    >>> parts = IndependentParts(men, {"out": or_})
    >>> compute_joint_odds(
    ...     Plan(Now("fire"), {}, print, find_independent_parts=lambda now: parts), ["out"]
    ... )
    {('false',): Fraction(25, 36), ('true',): Fraction(11, 36)}
    """

    parts: Sequence[IndependentPart[S]]
    totals: Mapping[str, Callable[[Any, Any], Any]] = _NOTHING
    rule_on_totals: Callable[..., Ruling[S]] | None = None
    reads: Mapping[str, Collection[str]] = _NOTHING

    def go_on(self, totals: Mapping[str, Any]) -> Ruling[S]:
        """Return the ruling after all parts, from the totals that were added up."""
        assert self.rule_on_totals is not None
        return self.rule_on_totals(**{name: totals[name] for name in self.reads if name in totals})


class Plan(NamedTuple, Generic[S]):
    """A sequence for given inputs, ready for play or odds.

    - `start`: the first state. `steps`: the steps by name.
    - `resolve`: a function that returns the result and its consequences from the finished outputs.
    - `opening`: the outputs known before the first die (with empty lists for list outputs).
    - `closing`: a function that returns the outputs known at the end, from the last state.
    - `lines`: the lines of the answer before the first die.
    - `narrow`: for a declared sequence, a function that returns a smaller plan for odds, limited to
      the steps that the given outputs depend on.
    - `odds_rows`: the units whose odds are shown (or a function that returns them); none if the odds
      output says everything.
    - `list_output`: an output that is a list of words and may be a result of odds as a whole.
    - `resolve_notes`: if given, it returns the result from the notes, and `resolve` is not called.
      The first notes are `notes`.
    - `find_independent_parts`: a function that returns the independent parts of a state, or None if there are none.

    One shot at 5 or more, and a hit kills at 4 or more:

    >>> from bot.rules.dice import Script, d6
    >>> class Shot(NamedTuple):
    ...     next_step: str | None
    >>> def shoot(_, roll):
    ...     hit = roll[0] >= 5
    ...     return Ruling(Shot("kill" if hit else None), {"hit": hit} if hit else {"hit": hit, "killed": False})
    >>> def kill(_, roll):
    ...     return Ruling(Shot(None), {"killed": roll[0] >= 4})
    >>> steps = {"shot": ruled((d6("to hit"),), shoot), "kill": ruled((d6("to kill"),), kill)}
    >>> plan = Plan(Shot("shot"), steps, lambda out: Resolution("killed" if out["killed"] else "no effect"))
    >>> played = play(plan, Script([6, 3]))
    >>> played.resolution.headline, played.out, [die.label for die in played.dice]
    ('no effect', {'hit': True, 'killed': False}, ['to hit', 'to kill'])
    >>> from bot.rules.odds.odds import compute_joint_odds
    >>> compute_joint_odds(plan, ["killed"])
    {('false',): Fraction(5, 6), ('true',): Fraction(1, 6)}
    """

    start: S
    steps: Mapping[str, Step[S]]
    resolve: Callable[[Mapping[str, Any]], Resolution]
    opening: Outputs = _NOTHING
    closing: Callable[[S], Outputs] = tell_nothing
    lines: tuple[Line, ...] = ()
    narrow: Callable[[tuple[str, ...]], Plan[S]] | None = None
    odds_rows: Sequence[OddsRow] | Callable[[], Sequence[OddsRow]] = ()
    list_output: str = ""
    notes: tuple[Any, ...] = ()
    resolve_notes: Callable[[list[Any]], Resolution] | None = None
    find_independent_parts: Callable[[S], IndependentParts[S] | None] | None = None


def resolve_never(_out: Any) -> Resolution:
    """Raise AssertionError: the `resolve` of a plan that is only counted, or that has `resolve_notes`."""
    raise AssertionError("nobody resolves this by its outputs")


ASKED = Line("a side was asked")
"""A separator in the lines of a play: the lines before it were already shown with the question.

It is not part of any answer.
"""


class Play(NamedTuple):
    """A sequence played to its end, once or for several units in turn.

    Answers, records and pages are made from it. `play` fills in the fields up to
    `lines_before_choice`; a game with its roster and tracks adds the others.
    """

    out: dict[str, Any]
    """The outputs, as the log keeps them."""
    dice: tuple[RolledDie, ...]
    """The dice in the order in which they were rolled."""
    lines: tuple[Line, ...]
    """The lines of the answer about these dice."""
    resolution: Resolution
    """The result: of units, and what it changes."""
    lines_before_choice: int = 0
    """The number of lines before the last choice of a side."""
    given: Given = NO_INPUTS
    """The inputs that it was played with."""
    tracks: Mapping[str, Any] = _NOTHING
    """The new values of tracks, by name."""
    unit: str = ""
    """The unit that it is for, if it is one of the `unit_plays` of another play."""
    unit_plays: tuple[Play, ...] = ()
    """The plays for single units, if it was played for several in turn. Then `out`, `dice` and
    `resolution` are those of all of them together, and it has no lines of its own."""

    @property
    def single_plays(self) -> tuple[Play, ...]:
        """The play itself, or the plays for single units if there are several."""
        return self.unit_plays or (self,)

    @property
    def result(self) -> str:
        """The result in a few words, without the unit's name in front."""
        return self.resolution.headline.removeprefix(f"{self.unit}: ")


def play(plan: Plan[S], source: Source) -> Play:
    """Play the plan to its end with dice from `source`.

    Raises UserError (DieOwed) if the source runs out or holds an impossible die, and UserError for
    too many dice of a pack.
    """
    state = plan.start
    outputs = {**plan.opening}
    rolled: list[RolledDie] = []
    lines = [*plan.lines]
    notes = [*plan.notes]
    steps = plan.steps
    draw = source.draw
    while (step_name := state.next_step) is not None:
        step = steps[step_name]
        faces: list[Any] = []
        for die in step.list_dice(state):
            face = draw(die)
            faces.append(face)
            rolled.append(RolledDie(die.label, die.sides, face, die.faces, die.pile))
        if len(rolled) > MOST_ROLLED and plan.resolve_notes is not None:
            raise make_too_many_dice_error()
        state, new_outputs, build_lines, new_notes = step.rule(state, tuple(faces))
        outputs.update(new_outputs)
        lines += build_lines()
        notes += new_notes
    outputs.update(plan.closing(state))
    out = nest_outputs(outputs)
    resolution = plan.resolve(out) if plan.resolve_notes is None else plan.resolve_notes(notes)
    answer_lines = tuple([line for line in lines if line is not ASKED])
    lines_before = 0
    if len(answer_lines) < len(lines):
        separators = [index for index, line in enumerate(lines) if line is ASKED]
        lines_before = separators[-1] + 1 - len(separators)
    return Play(out, tuple(rolled), answer_lines, resolution, lines_before)


def make_too_many_dice_error() -> UserError:
    """Return the error for more dice than one command may roll."""
    return UserError(
        f"This would roll more than {MOST_ROLLED} dice.", hint="Take fewer units.", code="too-large"
    )


def nest_outputs(outputs: Outputs) -> dict[str, Any]:
    """Return outputs as nested dicts and lists, from {path: value}.

    Items of a list are sorted by position; gaps in the positions are left out. A value of a whole
    list must come before all its items, or after them; then it replaces them.
    """
    out: dict[Any, Any] = {}
    for path, value in outputs.items():
        branch = out
        keys = _split_path(path)
        for key in keys[:-1]:
            if branch.get(key).__class__ is not _Within:
                branch[key] = _Within()
            branch = branch[key]
        branch[keys[-1]] = value
    return {
        name: _nest_value(value) if value.__class__ is _Within else value
        for name, value in out.items()
    }


class _Within(dict[Any, Any]):
    """The outputs below a path, by name or by position."""


def _nest_value(value: _Within) -> Any:
    """Return the outputs below a path, as a list if all keys are positions."""
    items = {
        key: _nest_value(item) if item.__class__ is _Within else item for key, item in value.items()
    }
    if {*map(type, items)} == {int}:
        return [items[position] for position in sorted(items)]
    return items


@lru_cache(4096)
def _split_path(path: str) -> tuple[str | int, ...]:
    """Return the names and positions of a path. Cached: a game has a few hundred paths."""
    return tuple([name or int(index) for index, name in _KEY.findall(path)])


_KEY = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def list_modifiers(
    parts: Iterable[table.ModifierPart], total: str | None = None
) -> tuple[tuple[str, int | float], ...]:
    """Return the modifiers of a chart's answer as (name, value), those of one total or all."""
    return tuple(
        [(part.name, part.value) for part in parts if total is None or part.total == total]
    )
