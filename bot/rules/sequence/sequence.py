"""A combat sequence, written once and read two ways: played with dice, or folded into exact odds.

A `Plan` holds the steps of one sequence for given inputs. Its state says which step it owes; the
step says which dice it asks for and rules on the roll: the next state, the outputs that are
decided, and (only in play) the lines of the answer. So play and odds cannot drift apart, and the
state holds only what later steps need: equal states merge in the odds.

Paths name outputs: `hit`, `targets[0].result`, `targets[0].damage[1].status`. Each path is told
once at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from bot.rules.dice import Die, RolledDie, Source
from bot.rules.errors import UserError
from bot.rules.inputs.tracks import TrackMove
from bot.rules.tables import table
from bot.rules.text.line import Line as Line
from bot.rules.text.line import format_minus as format_minus
from bot.rules.text.normalize import ITEM_ENDS, comparison_key

# -- one roll: the dice that it asks for, and the ruling that its function gives once they have
# fallen

Roll = tuple[int, ...]
Outputs = Mapping[str, Any]
Weighted = tuple[tuple[int, Roll], ...]
"""Rolls, each with how many equally likely ones it stands for."""
_NOTHING: Outputs = MappingProxyType({})


MOST_ROLLED = 400
"""Dice of one sequence that is written as data."""


class State(Protocol):
    """What a sequence is in the middle of: frozen, hashable, and naming the step that it owes
    (None at the end).
    """

    @property
    def owes(self) -> str | None:
        """The step that must be rolled for next."""
        ...


S = TypeVar("S", bound=State)


def _list_no_lines() -> Iterable[Line]:
    return ()


class Ruling(NamedTuple, Generic[S]):
    """What one roll comes to.

    `after` is the next state, `told` {path: value} for the outputs that this roll decides. `story`
    gives the lines of the answer and is called only in play, so odds never pay for words. `notes`
    are what a sequence that settles by notes takes down.

    >>> class Now(NamedTuple):
    ...     owes: str | None
    >>> def to_hit(now, roll):
    ...     return Ruling(Now(None), {"hit": roll[0] >= 5}, lambda: [Line("to hit", roll, result="needs a 5")])
    >>> ruling = to_hit(Now("to hit"), (6,))
    >>> ruling.after, ruling.told, [line.result for line in ruling.story()]
    (Now(owes=None), {'hit': True}, ['needs a 5'])
    """

    after: S
    told: Outputs = _NOTHING
    story: Callable[[], Iterable[Line]] = _list_no_lines
    notes: tuple[Any, ...] = ()


class Step(Protocol[S]):
    """One roll of a sequence, as `RuledStep` says it."""

    def rule(self, state: S, roll: Roll, /) -> Ruling[S]:
        """What the roll comes to."""
        ...

    def asks(self, state: S, /) -> tuple[Die, ...]:
        """The dice owed in `state`, in the order in which they are rolled."""
        ...

    def group_rolls(self, state: S, /) -> Weighted | None:
        """The rolls that `rule` tells apart in `state`, each with how many it stands for; None
        where it may tell all apart."""
        ...


class RuledStep(NamedTuple, Generic[S]):
    """One roll of a sequence: `rule` takes the state and the roll and gives the ruling.

    `dice` are those asked for, or a function of the state.
    """

    dice: tuple[Die, ...] | Callable[[S], tuple[Die, ...]]
    rule: Callable[[S, Roll], Ruling[S]]

    def asks(self, state: S) -> tuple[Die, ...]:
        """The dice owed in `state`, in the order in which they are rolled."""
        dice = self.dice
        return dice if isinstance(dice, tuple) else dice(state)

    def group_rolls(self, _state: S) -> None:
        """Rules know nothing of odds: states that are equal come together by themselves."""


ruled = RuledStep


# -- the sequence: what it comes to, its parts, and its plan


class Change(NamedTuple):
    """What a result makes of a roster unit: by name, with the attributes, state, markers and flags
    to set.

    `set` maps `state` or an attribute to its new value; `mark` and `unmark` name markers and flags.
    `add` raises or lowers whole numbers, never below 0, where the unit has them. With `of` the
    change is for every unit whose attribute `of` names `unit` (the men of a squad); `drop` takes
    `unit` off the list in it; for single units see `bot/rules/sequence/linked_units.py`. `turn`:
    first its reduced side comes up, if it has one.
    """

    unit: str
    set: Mapping[str, Any] = _NOTHING
    mark: frozenset[str] = frozenset()
    unmark: frozenset[str] = frozenset()
    add: Mapping[str, int] = _NOTHING
    of: str = ""
    drop: bool = False
    turn: bool = False


class Joining(NamedTuple):
    """A unit that comes into play: its type, the roster unit beside which it appears, and the state
    and markers that it has then.
    """

    type: str
    beside: str
    state: str = ""
    mark: frozenset[str] = frozenset()


class UnitResult(NamedTuple):
    """What came of one unit, as a token that `results` of the game.yaml puts into words.

    `more` adds to it, in the place of `{more}` where the words have that. `also` are what came of
    it before, as tokens with what adds to each.
    """

    unit: str
    token: str
    more: str = ""
    also: tuple[tuple[str, str], ...] = ()


ACTOR = "actor"
"""Who is asked where that is the side that acts."""


class Choice(NamedTuple):
    """What a side is asked for: its name, the options, and the one that counts where nobody
    answers; `who` is the input whose side it is, or `actor`."""

    name: str
    options: tuple[str, ...]
    otherwise: str
    who: str = ACTOR

    @property
    def subject(self) -> str:
        """Whose choice it is, before the option: `the targets choose `."""
        who = self.who.replace("_", " ")
        return (
            "who acts chooses "
            if who == ACTOR
            else f"the {who} {'choose' if who.endswith('s') else 'chooses'} "
        )

    def parse_picks(self, raw: object) -> tuple[str, ...]:
        """What was chosen, as typed: one word for all, or as many with commas as are asked.
        Raises UserError.
        """
        words = raw if isinstance(raw, list | tuple) else re.split(ITEM_ENDS, str(raw))
        picks = tuple([comparison_key(str(word)).replace(" ", "-") for word in words])
        if strange := [pick for pick in picks if pick not in self.options]:
            raise self.make_error(f'has no option "{strange[0][:40]}"')
        return picks

    def make_error(self, what: str) -> UserError:
        """The error for an answer that does not fit."""
        return UserError(
            f"{self.name} {what}.", hint=self.expectation, option=self.name, code="bad-value"
        )

    def make_missing_error(self) -> UserError:
        """The error where it has to be known beforehand."""
        return UserError(
            f"This needs {self.name}: what is chosen.",
            hint=self.expectation,
            option=self.name,
            code="missing",
        )

    @property
    def expectation(self) -> str:
        """What to type for it."""
        return f"{self.name} is one of {', '.join(self.options)}."


class ChoiceRequest(NamedTuple):
    """A choice that is owed: by the side of which units (ACTOR: of who acts), the question, each
    option with its words, and the one that counts otherwise; `item` is the unit that it is about,
    where each of several has one."""

    name: str
    who: tuple[str, ...]
    ask: str
    options: tuple[tuple[str, str], ...]
    otherwise: str
    item: str = ""


class Resolution(NamedTuple):
    """What is said and done when the last die is rolled: the result in a few words, a line per
    unit, the changes.

    `headline` goes into the log and is checked by verify, so it never changes without a new
    edition. `units` pairs each unit hit with the word of its result; `then` says what comes next
    (`run crash`). `fates` are the same results as tokens, from which the first line of the answer
    is made. `by` is its cause, where that is not who acts (`no loss to US Squad 3`). `now` says
    what changed besides and `notes` what else is worth knowing, both in small print. Where a
    sequence tells its fates, its `units` are not shown. `sums` say in short what the lines of
    single units come to, where these are left out. `joins` are units that come into play. `out` are
    those whose weapons are out of ammunition or jammed. `asks` are choices that it waits for: then
    it is not at its end, and nothing is changed yet. `forms` are buttons that open a form: the
    label, and its command.
    """

    headline: str
    units: tuple[tuple[str, str], ...] = ()
    then: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    fates: tuple[UnitResult, ...] = ()
    now: tuple[str, ...] = ()
    by: str = ""
    notes: tuple[str, ...] = ()
    sums: tuple[Line, ...] = ()
    joins: tuple[Joining, ...] = ()
    out: tuple[str, ...] = ()
    asks: tuple[ChoiceRequest, ...] = ()
    tracks: tuple[TrackMove, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()


def tell_nothing(_state: Any) -> Outputs:
    """Nothing more is told at the end."""
    return _NOTHING


class OddsRow(NamedTuple):
    """One unit (or the whole) as the odds show it: under the name and by the words of the answer.

    `read` gives its result from what was told, or None where that does not decide it; `paths` are
    the outputs that it looks at: a single one is its result. `said` turns a result into the words
    of the answer, `alike` is how many units the row stands for. `under` is what is chosen there, of
    each choice that the odds leave open.
    """

    name: str
    paths: tuple[str, ...]
    read: Callable[[Outputs], Any]
    said: Callable[[str], str] = str
    alike: int = 1
    under: tuple[str, ...] = ()


def build_row(path: str, name: str = "") -> OddsRow:
    """The row of a single output."""
    return OddsRow(name, (path,), lambda told: told.get(path))


class IndependentPart(NamedTuple, Generic[S]):
    """A part of a sequence that knows nothing of the others: its own `plan`, and what its outputs
    begin with (`heads`).

    Only it tells those; what is `known` of them needs no die. Parts of one `key` differ in nothing
    but their heads and that, so odds count them once.
    """

    heads: tuple[str, ...]
    plan: Callable[[], Plan[S]]
    key: Hashable = None
    known: Outputs = _NOTHING


class IndependentParts(NamedTuple, Generic[S]):
    """What falls apart in a state, for odds: each part is counted by itself, and they multiply.

    `totals` are outputs of which every part tells its share, and how two shares are added up. When
    all are at their ends, `then` takes the totals that `reads` names and rules on how it goes on;
    without it that is all. A total that matters to some outputs alone is read with those: `{"ones":
    ("losses",)}`, else with none.

    Two men who shoot at a tank, which is out when one of them hits:

    >>> from operator import or_
    >>> from bot.rules.dice import d6
    >>> from bot.rules.odds.odds import compute_joint_odds
    >>> class Now(NamedTuple):
    ...     owes: str | None
    ...     hit: bool = False
    >>> def man(at):
    ...     shot = ruled((d6("shot"),), lambda _, roll: Ruling(Now(None, roll[0] == 6), {f"men[{at}].roll": roll[0]}))
    ...     return Plan(Now("shot"), {"shot": shot}, print, closing=lambda now: {"out": now.hit})
    >>> men = [
    ...     IndependentPart((f"men[{index}]",), lambda index=index: man(index), "man")
    ...     for index in (0, 1)
    ... ]
    >>> parts = IndependentParts(men, {"out": or_})
    >>> compute_joint_odds(Plan(Now("fire"), {}, print, apart=lambda now: parts), ["out"])
    {('false',): Fraction(25, 36), ('true',): Fraction(11, 36)}
    """

    each: Sequence[IndependentPart[S]]
    totals: Mapping[str, Callable[[Any, Any], Any]] = _NOTHING
    then: Callable[..., Ruling[S]] | None = None
    reads: Mapping[str, Collection[str]] = _NOTHING

    def go_on(self, totals: Mapping[str, Any]) -> Ruling[S]:
        """The ruling behind all parts, from those totals that were added up."""
        assert self.then is not None
        return self.then(**{name: totals[name] for name in self.reads if name in totals})


class Plan(NamedTuple, Generic[S]):
    """A sequence for given inputs, ready to be played or counted.

    `opening` are the outputs known before the first die (with empty lists for list outputs),
    `lines` the story so far. `closing` tells the outputs known at the end from the last state.
    `settle` reads the finished outputs and says the result and its consequences. `by_list` is a
    list of words that odds may go by as a whole.

    `apart` names the parts that are independent once a state is known, None where there are none. A
    declared sequence knows what its steps read: `focus` gives its plan for the outputs that odds
    are asked for, and no more.

    `rows` are the units whose odds are shown (or what makes them when odds are asked for), none
    where its own `odds_by` says all. A plan that `settles` by notes begins with those of its
    `notes`; `settle` is not asked.

    One shot at 5 or more, and a hit kills at 4 or more:

    >>> from bot.rules.dice import Script, d6
    >>> class Shot(NamedTuple):
    ...     owes: str | None
    >>> def shoot(_, roll):
    ...     hit = roll[0] >= 5
    ...     return Ruling(Shot("kill" if hit else None), {"hit": hit} if hit else {"hit": hit, "killed": False})
    >>> def kill(_, roll):
    ...     return Ruling(Shot(None), {"killed": roll[0] >= 4})
    >>> steps = {"shot": ruled((d6("to hit"),), shoot), "kill": ruled((d6("to kill"),), kill)}
    >>> plan = Plan(Shot("shot"), steps, lambda out: Resolution("killed" if out["killed"] else "no effect"))
    >>> played = play(plan, Script([6, 3]))
    >>> played.settlement.headline, played.out, [die.label for die in played.dice]
    ('no effect', {'hit': True, 'killed': False}, ['to hit', 'to kill'])
    >>> from bot.rules.odds.odds import compute_joint_odds
    >>> compute_joint_odds(plan, ["killed"])
    {('false',): Fraction(5, 6), ('true',): Fraction(1, 6)}
    """

    start: S
    steps: Mapping[str, Step[S]]
    settle: Callable[[Mapping[str, Any]], Resolution]
    opening: Outputs = _NOTHING
    closing: Callable[[S], Outputs] = tell_nothing
    lines: tuple[Line, ...] = ()
    focus: Callable[[tuple[str, ...]], Plan[S]] | None = None
    rows: Sequence[OddsRow] | Callable[[], Sequence[OddsRow]] = ()
    by_list: str = ""
    notes: tuple[Any, ...] = ()
    settles: Callable[[list[Any]], Resolution] | None = None
    apart: Callable[[S], IndependentParts[S] | None] | None = None


def resolve_never(_out: Any) -> Resolution:
    """Nobody asks: a part is counted, not played, and a declared sequence settles by its notes."""
    raise AssertionError("nobody settles this by its outputs")


ASKED = Line("a side was asked")
"""Between the lines of a story: what is before it was said with the question. It is in no
answer.
"""


class Play(NamedTuple):
    """A sequence played to its end: outputs, dice in order, the story, and the settlement; so many
    lines were said `before` what was chosen last."""

    out: dict[str, Any]
    dice: tuple[RolledDie, ...]
    lines: tuple[Line, ...]
    settlement: Resolution
    before: int = 0


def play(plan: Plan[S], source: Source) -> Play:
    """Carry the plan on with dice from `source` until no roll is owed.

    Raises UserError (DieOwed) from a source that runs out or holds an impossible die, and for too
    many dice of a pack.
    """
    state = plan.start
    told = {**plan.opening}
    rolled: list[RolledDie] = []
    lines = [*plan.lines]
    notes = [*plan.notes]
    steps = plan.steps
    draw = source.draw
    while (owed := state.owes) is not None:
        step = steps[owed]
        faces: list[Any] = []
        for die in step.asks(state):
            face = draw(die)
            faces.append(face)
            rolled.append(RolledDie(die.label, die.sides, face, die.faces, die.pile))
        if len(rolled) > MOST_ROLLED and plan.settles is not None:
            raise make_too_many_dice_error()
        state, more, story, noted = step.rule(state, tuple(faces))
        told.update(more)
        lines += story()
        notes += noted
    told.update(plan.closing(state))
    out = nest_outputs(told)
    settlement = plan.settle(out) if plan.settles is None else plan.settles(notes)
    said = tuple([line for line in lines if line is not ASKED])
    asked = [at for at, line in enumerate(lines) if line is ASKED] if len(said) < len(lines) else ()
    return Play(out, tuple(rolled), said, settlement, asked[-1] + 1 - len(asked) if asked else 0)


def make_too_many_dice_error() -> UserError:
    """The error for more dice than one command rolls."""
    return UserError(
        f"This would roll more than {MOST_ROLLED} dice.", hint="Take fewer units.", code="too-large"
    )


def nest_outputs(told: Outputs) -> dict[str, Any]:
    """Outputs as values inside values, from {path: value}.

    Items of a list are put in the order of their positions; a gap in the positions is left out.
    What is told of a list as a whole comes before all its items, or after them in their stead.
    """
    out: dict[Any, Any] = {}
    for path, value in told.items():
        here = out
        keys = _split_path(path)
        for key in keys[:-1]:
            if here.get(key).__class__ is not _Within:
                here[key] = _Within()
            here = here[key]
        here[keys[-1]] = value
    return {
        name: _nest_value(value) if value.__class__ is _Within else value
        for name, value in out.items()
    }


class _Within(dict[Any, Any]):
    """What is told within a path, by names or by positions."""


def _nest_value(value: _Within) -> Any:
    """What is told within a path; the items of a list in order, where they were told one by one."""
    found = {
        key: _nest_value(one) if one.__class__ is _Within else one for key, one in value.items()
    }
    return [found[at] for at in sorted(found)] if {*map(type, found)} == {int} else found


@lru_cache(4096)
def _split_path(path: str) -> tuple[str | int, ...]:
    """The names and positions of a path; those of a game are a few hundred."""
    return tuple([name or int(place) for place, name in _KEY.findall(path)])


_KEY = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def list_modifiers(
    parts: Iterable[table.ModifierPart], total: str | None = None
) -> tuple[tuple[str, int | float], ...]:
    """The modifiers of a chart's answer as (name, value), those of one total or all."""
    return tuple(
        [(part.name, part.value) for part in parts if total is None or part.total == total]
    )
