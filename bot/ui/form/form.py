"""The guided form of a command: its fields, their order, names and choices, and what is filled in
already.

This is the one place that decides them. Adapters only draw a `Form`, each in its platform's own
parts, and hand back what was filled in (`submission.py`).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from bot.rules.inputs.options import (
    CHOSEN,
    Option,
    is_flag_on,
    is_of_target,
    list_counting_options,
    split_words,
)
from bot.rules.text.names import join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import capitalize_first
from bot.ui.form.borne_flags import drop_unborne
from bot.ui.form.line_and_keypad import REST, build_rest_example, format_rest, shorten_label
from bot.ui.form.roster_flags import find_roster_flags
from bot.ui.form.titles import get_form_title, get_form_verb
from bot.ui.form.unit_menu import MORE, FormPick, drop_unable, keep_roster_items, list_unit_picks
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import (
    ACTING,
    OF_MACROS,
    CompletionContext,
    keep_usable_context,
    list_words_now,
)

FLAGS, HOW, OTHERS = "?flags", "?how", "?more-units"
WAY = f"{HOW}="
"""How an entry among the modifiers begins that says how to roll, where HOW has no place."""
"""Fields that are no single option, as REST: the modifiers, what is to be done, and units for which
the menus have no room. No option can have a name with a question mark.
"""
ROLL, ODDS, SECRET, HAND, COMPARE = "roll", "odds", "secret", "hand", "compare"
"""What may be done with a filled-in form."""
_OF_ROLLS = (ODDS, SECRET, HAND, COMPARE, "rounds")
ABOUT_ANSWER = ("private", "picture", "whole")
"""Flags of a look-up that are about its answer."""
COMMON_TICKS = 6
STEPS = 4
"""A common number, such as the terrain, is a tick for each of 1 to this where a form has too few
fields.
"""
NARROW = 5
"""A form of so few fields has the words of common enums among its modifiers, in one menu."""
FEW = 6
"""A form of so many fields hides none."""
FIRST = 3
"""So many are always shown."""

Kind = Literal["picks", "pick", "ticks", "number", "text", "lines", "file", "channel", "how"]
Options = Mapping[str, object]


class Room(NamedTuple):
    """What a platform's form holds: fields, entries of a menu, ticks. `folds` where further fields
    wait behind a button; else what has no room goes into one line of text. `counts` where it shows
    odds inside."""

    fields: int = 100
    picks: int = 100
    ticks: int = 100
    folds: bool = False
    counts: bool = False


class Field(NamedTuple):
    """One thing to fill in: an option by its name, or FLAGS, REST, HOW.

    `value` is what was typed so far, `picks` what can be chosen, `hint` a line about it, `example`
    what could be typed. `needed`: nothing goes without it. `rare`: shown only when asked for.
    `wrong`: why what was given was refused.
    """

    name: str
    kind: Kind
    label: str
    hint: str = ""
    picks: tuple[FormPick, ...] = ()
    value: str = ""
    example: str = ""
    needed: bool = False
    rare: bool = False
    wrong: str = ""
    option: Option | None = None
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """A form as it is now. `verb` is what submitting it does, `given` the options that it is filled
    in with: what was refused is left out."""

    title: str
    verb: str
    fields: tuple[Field, ...]
    given: Options

    def find_field(self, name: str) -> Field | None:
        """The field with this name."""
        return next((field for field in self.fields if field.name == name), None)

    def find_field_of_option(self, option: str) -> str:
        """The name of the field where an option is filled in; that of the first one where there
        is none.
        """
        if self.find_field(option) is not None:
            return option
        holds = [field.name for field in self.fields if option in field.covers]
        return (holds or [self.fields[0].name if self.fields else option])[0]


def drop_inactive_options(spec: CommandSpec, options: Options) -> CommandSpec:
    """The command with those of its options that count by what has been given so far."""
    has_some = any(option.when for option in spec.options)
    return spec._replace(options=list_counting_options(spec.options, options)) if has_some else spec


def opens_form(spec: CommandSpec, options: Options) -> bool:
    """Return whether a command as typed opens its form, rather than run: it lacks something, or can
    hardly be meant so.

    A sequence called alone is not meant with all at 0, nor an import of nothing. A unit may bring
    what is left out. A whole table needs no input.
    """
    if spec.family == "lookup" and is_flag_on(options, "whole"):
        return False
    own = [option for option in spec.options if option.name not in _OF_ROLLS]
    alone = not options and (spec.family == "sequence" or spec.path in ASK_ALONE)
    return bool(own) and (alone or bool(list_missing(spec, options)))


def list_missing(spec: CommandSpec, options: Options) -> list[Option]:
    """Return the options that a command needs and that are not given."""
    asked = drop_inactive_options(spec, options).options
    return [option for option in asked if option.is_required and not _is_given(option, options)]


def get_lasting_inputs(
    spec: CommandSpec, last: Options, known: CompletionContext
) -> dict[str, object]:
    """Return the inputs of the last use that prefill a new form.

    With a roster, only numbers and words that belong to who acts, such as the range of a gun, but
    no card in play: the next target has its own terrain. Without a roster, all inputs.
    """
    if not keep_usable_context(known, spec).roster:
        return dict(last)
    targets = [
        option.name
        for option in spec.options
        if option.type in ("units", "unit") and option.name not in ACTING
    ]
    names = {
        option.name
        for option in spec.options
        if option.type in ("int", "number", "enum")
        and not option.in_play
        and not any(is_of_target(option, target) for target in (*targets, ""))
    }
    return {name: value for name, value in last.items() if name in names}


def get_roll_mode(spec: CommandSpec, options: Options) -> str:
    """What is to be done by the options: who asked for odds, in whatever words, gets no shot."""
    if spec.find_option(ODDS) is not None and spec.counts_only_odds(options):
        return ODDS
    return SECRET if is_flag_on(options, SECRET) else HAND if options.get(HAND) else ROLL


def set_roll_mode(spec: CommandSpec, options: Options, way: str) -> dict[str, object]:
    """Return the options with the roll mode `way` and no other: odds, secret, dice by hand, or none
    of these.
    """
    if spec.find_option(SECRET) is None:
        return dict(options)
    ways = (
        ODDS,
        SECRET,
        HAND,
        *((COMPARE,) if way != ODDS and spec.find_option(ODDS) is not None else ()),
    )
    kept = {name: value for name, value in options.items() if name not in ways}
    if way == ODDS:
        return {**kept, ODDS: True}
    return kept | (
        {SECRET: True} if way == SECRET else {HAND: options.get(HAND) or "?"} if way == HAND else {}
    )


ASK_ALONE = (("unit", "import"), ("order", "write"), ("game", "start"))


def _is_given(option: Option, options: Options) -> bool:
    """Return whether an option was given, or the unit that brings it."""
    brought = str(options.get(option.brings.partition(".")[0]) or "").strip()
    return options.get(option.name) not in (None, "") or bool(brought)


def build_form(
    spec: CommandSpec,
    options: Options,
    known: CompletionContext,
    room: Room,
    wrong: str = "",
    message: str = "",
    title: str = "",
) -> Form:
    """The form for what has been given so far. What the option `wrong` holds was refused for the
    reason `message`: it is left out, but for the units of it that are known."""
    known = keep_usable_context(known, spec)
    spec = drop_inactive_options(spec, options)
    shown = {
        name: value
        for name, value in options.items()
        if name != wrong or _keeps_refused_value(spec, name)
    }
    if (
        (option := spec.find_option(wrong)) is not None
        and (option.type == "units" or option.many)
        and known.roster
    ):
        shown[wrong] = keep_roster_items(str(shown.get(wrong) or ""), known.roster)
    shown |= _drop_unable(spec, shown, known)
    spec = drop_unborne(spec, shown, known)
    fields = [
        _build_field(option, shown, known, room)
        for option in spec.options
        if _has_field(option, spec)
    ]
    roster_flags = find_roster_flags(spec, shown, known)
    how = _build_roll_mode_fields(spec, shown, room)
    is_crowded = len(fields) + len(how) > room.fields
    if flags := _build_flags_field(spec, shown, room, roster_flags, is_crowded=is_crowded):
        fields.append(flags)
    fields = _order_fields(fields, spec, known, room)
    if not room.folds:
        has_flags = any(field.name == FLAGS for field in fields)
        if has_flags and is_crowded and _build_other_units_field(fields):
            # the modifiers need its place, and offer what else it does
            fields = [_with_ways(field, how, room) for field in fields]
            how = []
        fields = _fit_fields(fields, spec, shown, room.fields - len(how))
    elif any(field.kind == "picks" for field in fields):
        fields = [
            *_insert_other_units_field(fields, _build_other_units_field(fields)),
            _build_typed_units_field(spec),
        ]
    title = title or get_form_title(spec)
    if not how and spec.find_option(SECRET) is not None and get_roll_mode(spec, shown) != ROLL:
        title = f"{title}: {_SHORT_WAYS[get_roll_mode(spec, shown)]}"
    form = Form(title, get_form_verb(spec), (*fields, *how), shown)
    at = form.find_field_of_option(wrong) if message else ""
    marked = [field._replace(wrong=message) if field.name == at else field for field in form.fields]
    return replace(form, fields=tuple(marked)) if message else form


def _drop_unable(
    spec: CommandSpec, options: Options, known: CompletionContext
) -> dict[str, object]:
    """Return the lists of the options without the roster units that cannot be in them."""
    return {
        option.name: drop_unable(option, str(options[option.name]), known)
        for option in spec.options
        if option.name in known.reasons and options.get(option.name)
    }


def _keeps_refused_value(spec: CommandSpec, name: str) -> bool:
    option = spec.find_option(name)
    return option is not None and (
        option.many or option.type in ("units", "str", "dice", "mods", "bool")
    )


def _has_field(option: Option, spec: CommandSpec) -> bool:
    is_how = option.name == HAND and spec.find_option(SECRET) is not None
    return option.type not in ("bool", "mods") and option.complete != CHOSEN and not is_how


# One field


def _build_field(option: Option, options: Options, known: CompletionContext, room: Room) -> Field:
    value = options.get(option.name, option.default)
    text = (
        "" if value is None or (option.type == "units" and value == option.default) else str(value)
    )
    kind, picks = _list_picks(option, text, known, room)
    return Field(
        option.name,
        kind,
        option.display_name,
        _build_hint(option, known, is_menu=bool(picks)),
        picks,
        text if not picks and text != str(option.default) else "",
        _get_example(option),
        needed=option.is_required and not _may_come_from_unit(option, known),
        option=option,
        covers=(option.name,),
    )


def _may_come_from_unit(option: Option, known: CompletionContext) -> bool:
    """Return whether a unit may bring the value of an option: on the roster or as it is typed."""
    holder, _, key = option.brings.partition(".")
    if not key or not known.roster or option.type not in ("int", "number") or option.through:
        return bool(key)
    sides = ("", known.own_side) if holder in ACTING and known.own_side else known.sides
    units = [unit for unit in known.roster if not sides or unit.side in ("", *sides)]
    return any(key in unit.numbers for unit in units)


def _list_picks(
    option: Option, text: str, known: CompletionContext, room: Room
) -> tuple[Kind, tuple[FormPick, ...]]:
    if option.complete == "channel":
        return "channel", ()
    if option.type == "file":
        return "file", ()
    if option.type in ("units", "unit") or option.complete == "unit":
        many = (option.type == "units" and option.most != 1) or option.many
        picks = list_unit_picks(option, text, known, room.picks)
        return ("picks" if many else "pick", picks) if picks else ("lines" if many else "text", ())
    if option.complete == "sealed" and known.sealed:
        chosen = text or str(known.sealed[0] if len(known.sealed) == 1 else "")
        return "pick", tuple(
            FormPick(str(number), f"#{number}", "", str(number) == chosen)
            for number in known.sealed
        )
    if option.complete == "rule" and known.game is not None and known.game.rules:
        return "pick", tuple(
            FormPick(f"{name}={word}", f"{rule.title}: {word}", "", text == f"{name}={word}")
            for name, rule in known.game.rules.items()
            for word in ("on", "off")
        )
    if option.complete == "systems" and option.values:
        return "ticks", tuple(
            FormPick(one, option.format_word(one), "", one in text.split()) for one in option.values
        )
    words = {"side": known.sides, "player": known.players}.get(option.complete) or list_words_now(
        option, known
    )
    if (
        option.complete in ("side", "player")
        and text
        and comparison_key(text) not in map(comparison_key, words)
    ):
        words = (*words, text)
    if words and len(words) <= room.picks:
        chosen = comparison_key(text)
        said = {word: option.format_word(word) if option.values else word for word in words}
        about = option.meanings
        return "pick", tuple(
            FormPick(word, said[word], about.get(word, ""), comparison_key(word) == chosen)
            for word in words
        )
    if option.type in ("int", "number"):
        return "number", ()
    return ("lines" if option.complete == "stats" or option.name == "text" else "text"), ()


HINT = 100
"""The most that every platform shows below a label."""


def _build_hint(option: Option, known: CompletionContext, *, is_menu: bool) -> str:
    """A line about an option: its help without the example in it, and whether a unit brings it."""
    if option.complete == "stats":
        return _build_stats_hint(known)
    if is_menu and option.complete in ("unit", "sealed"):
        return ""  # how it is typed is no help for a menu
    about = (
        option.help.partition(": ")[0].partition(", e.g. ")[0]
        if option.type == "units"
        else option.help
    )
    about = about.removeprefix("unit list; ").removeprefix("unit list")
    about = option.brief if len(about) > HINT - 2 and option.brief else about
    if _is_in_label(about, option):
        about = ""
    if option.complete not in OF_MACROS:  # there the sign is part of what is typed
        about = _PAIR.sub(" ", about)
    about = f"{about[:1].upper()}{about[1:]}".rstrip(".") + "." if about.strip() else ""
    brought = "The unit brings it." if option.brings else ""
    expected = (
        ""
        if option.values or option.type not in ("int", "number", "dice")
        else f"{option.expectation}."
    )
    for piece in (brought, expected[:1].upper() + expected[1:]):
        about = f"{about} {piece}".strip() if len(about) + len(piece) < HINT else about
    return about


def _is_in_label(about: str, option: Option) -> bool:
    """Return whether the label of a field says all that its help says: `One man` says `one man`,
    and `Their cover` says `of the targets`.
    """
    words = {*_LETTERS.findall(about.casefold())} - _SMALL_WORDS
    label = {*_LETTERS.findall(option.display_name.casefold())}
    return words <= label or ("their" in label and words <= _TARGETS)


_LETTERS = re.compile(r"[a-z']+|\d+")
_SMALL_WORDS = {"a", "an", "the", "of", "in", "who", "that"}
_TARGETS = {"target", "targets"}


def _build_stats_hint(known: CompletionContext) -> str:
    """Return what can be changed of a unit, by examples of the game: `morale 5, shaken, moved`."""
    if known.game is None:
        return "Its numbers, state and markers."
    units = known.game.game["units"]
    numbers = [key for key, one in known.game.words["units"].keys.items() if one.type == "int"]
    pieces = [f"{key} 5" for key in numbers[:1]]
    pieces += [*(units.get("states") or ())][1:2] + [*(units.get("markers") or ())][:1]
    return f"Such as {', '.join(pieces)}." if pieces else "Its numbers, state and markers."


_PAIR = re.compile(r"(?<=\w)=\s?(?=\S)")


def drop_signs(text: str) -> str:
    """Return an example of units as people write it: `squad fp 2 sw 3` for `squad fp=2 sw=3`.

    >>> drop_signs("soldier weapon=lmg-belt no_assistant")
    'soldier weapon lmg-belt no-assistant'
    """
    return _PAIR.sub(" ", text).replace("_", "-")


def _get_example(option: Option) -> str:
    if option.type == "units":
        about, _, example = option.help.partition(": ")
        if about.endswith("left out"):
            return ""
        return drop_signs(example or option.help.partition(", e.g. ")[2])
    return (
        f"{option.default} if left empty"
        if option.default not in (None, "") and not option.values
        else ""
    )


def _build_flags_field(
    spec: CommandSpec,
    options: Options,
    room: Room,
    roster_flags: Collection[str],
    *,
    is_crowded: bool,
) -> Field | None:
    """The modifiers, those that are needed most first; as many as the platform has room for.

    Those that units bring (`roster_flags`) are ticked. If the other fields are too many for the
    form (`is_crowded`), common words such as the terrain are among them.
    """
    steps = (
        []
        if room.folds
        else [pick for option in spec.options for pick in _list_steps(option, spec, options)]
    )
    choices = _list_common_words(spec, options) if room.fields <= NARROW and is_crowded else []
    is_menu = bool(choices)
    steps = [*choices, *steps]
    picks = list_flag_picks(spec, options, roster_flags)
    ticks = (room.picks if is_menu else room.ticks) - len(steps)
    if len(picks) > ticks:
        rank = {name: at for at, name in enumerate(spec.common)}
        first = sorted(picks, key=lambda pick: (not pick.chosen, rank.get(pick.value, len(rank))))
        kept = {
            pick.value
            for pick in first[: max(COMMON_TICKS, min(ticks, sum(p.chosen for p in picks)))]
        }
        picks = [pick for pick in picks if pick.value in kept]
    if not (picks or steps):
        return None
    named = dict.fromkeys(pick.value.partition("=")[0] for pick in (*steps, *picks))
    is_about_answer = spec.family == "lookup" and {*named} <= {*ABOUT_ANSWER}
    kind = "modifiers" if spec.family in ("sequence", "lookup") else "also"
    kind = "how it is shown" if is_about_answer else kind
    abouts = [shorten_label(about).lower() for about in dict.fromkeys(pick.about for pick in steps)]
    about = join_names([*abouts, kind] if picks else abouts)
    field = Field(
        FLAGS, "ticks", capitalize_first(about), picks=(*steps, *picks), covers=(*named, "mods")
    )
    return field._replace(kind="picks") if is_menu else field


def _list_common_words(spec: CommandSpec, options: Options) -> list[FormPick]:
    """An entry for each word of the common enums, such as the terrain, apart from their defaults."""
    return [
        FormPick(
            f"{option.name}={word}",
            option.format_word(word),
            option.display_name,
            str(options.get(option.name) or "") == word,
        )
        for option in spec.options
        if option.type == "enum" and option.name in spec.common and option.default is not None
        for word in option.values
        if word != option.default
    ]


def _list_steps(option: Option | None, spec: CommandSpec, options: Options) -> list[FormPick]:
    """A tick for each usual value of a common number that is 0 unless given; none where it has
    another value now.
    """
    if (
        option is None
        or option.type != "int"
        or option.name not in spec.common
        or option.default != 0
    ):
        return []
    now = str(options.get(option.name) or 0)
    name = shorten_label(option.display_name)
    if now not in map(str, range(STEPS + 1)):
        return []
    return [
        FormPick(f"{option.name}={at}", f"{name} {at}", name, now == str(at))
        for at in range(1, STEPS + 1)
    ]


def list_flag_picks(
    spec: CommandSpec, options: Options, roster_flags: Collection[str] = ()
) -> list[FormPick]:
    """All flags and further modifier words with what each adds: the common ones first.

    Those that units bring (`roster_flags`) are ticked as well.
    """
    worded = split_words(options.get("mods") or ())
    how = (ODDS, SECRET) if spec.find_option(SECRET) is not None else ()
    how = (*how, COMPARE) if not options.get(COMPARE) else how  # no modifier; *What if* does it
    picks = [
        FormPick(
            option.name,
            option.format_word(option.name),
            option.help,
            is_on(option, options)
            or option.name in worded
            or (option.name in roster_flags and option.name not in options),
        )
        for option in spec.options
        if option.type == "bool" and option.name not in how
    ]
    mods = spec.find_option("mods")
    if mods is not None and mods.type == "mods":
        picks += [
            FormPick(word, mods.format_word(word), mods.meanings.get(word, ""), word in worded)
            for word in mods.values
        ]
    return sorted(picks, key=lambda pick: pick.value not in spec.common)


def is_on(option: Option, options: Options) -> bool:
    """Return whether a flag is set."""
    return bool(options.get(option.name, option.default))


_WAYS = {
    ROLL: "Roll",
    ODDS: "Show the odds first",
    SECRET: "Roll sealed",
    HAND: "I roll my own dice",
}


_SHORT_WAYS = {ODDS: "odds", SECRET: "sealed", HAND: "own dice"}


def _build_roll_mode_fields(spec: CommandSpec, options: Options, room: Room) -> list[Field]:
    if spec.find_option(SECRET) is None:
        return []
    now = get_roll_mode(spec, options)
    known = [one for one in _WAYS.items() if spec.find_option(one[0]) is not None or one[0] == ROLL]
    shown = [one for one in known if one[0] != ODDS or now == ODDS or not room.counts]
    picks = tuple(FormPick(value, label, "", value == now) for value, label in shown)
    return [
        Field(HOW, "how", "Do what", picks=picks, needed=True, covers=(SECRET, HAND, ODDS, COMPARE))
    ]


def _with_ways(field: Field, how: list[Field], room: Room) -> Field:
    """Return the modifiers with a sealed roll and real dice among them; any other field as it is."""
    if field.name != FLAGS:
        return field
    ways = tuple(
        pick._replace(value=WAY + pick.value)
        for one in how
        for pick in one.picks
        if pick.value in (SECRET, HAND)
    )
    kept = field.picks[: room.picks - len(ways)]
    is_menu = field.kind == "picks" or len(kept) + len(ways) > room.ticks
    label = f"{field.label.replace(' and ', ', ')} and dice" if ways else field.label
    return field._replace(
        label=label, kind="picks" if is_menu else field.kind, picks=(*kept, *ways)
    )


# Their order


def _order_fields(
    fields: list[Field], spec: CommandSpec, known: CompletionContext, room: Room
) -> list[Field]:
    """What is needed first, then the other units, the modifiers, and the rest, of which much is
    rare: on Slack that is behind *More fields*."""
    brings = {
        option.brings.partition(".")[0]
        for option in spec.options
        if option.is_required and option.brings
    }

    def get_position(field: Field) -> tuple[int, bool]:
        acts = field.option is not None and field.name in ACTING and not field.option.brings
        is_unit = field.option is not None and field.option.complete == "unit"
        return get_rank(field), not (acts and (_is_units(field) or is_unit))

    def get_rank(field: Field) -> int:
        option = field.option
        if option is None:
            return 3
        if option.type in ("units", "unit"):
            first = option.is_required or (option.name in brings and bool(known.roster))
            useless = option.type == "unit" and not field.picks and not option.free
            is_acting = option.name in ACTING and not option.brings
            acts = is_acting and bool(known.roster) and bool(brings)
            return 0 if first or acts else 5 if useless else 2
        if option.is_required:
            return 1
        return 3 if option.name in spec.common else 4

    fields = sorted(fields, key=get_position)
    rare = len(fields) > FEW and room.folds
    return [
        field._replace(rare=rare and get_rank(field) > 3 and at >= FIRST)
        for at, field in enumerate(fields)
    ]


def _fit_fields(
    fields: list[Field], spec: CommandSpec, options: Options, slots: int
) -> list[Field]:
    """As many fields as there is room for, and one line of text for all else."""
    ticks = next((field for field in fields if field.name == FLAGS), None)
    covered = ticks.covers if ticks is not None else ()
    hidden = [pick.value for pick in list_flag_picks(spec, options) if pick.value not in covered]
    alone = [field for field in fields if field.name not in covered]
    others = _build_other_units_field(fields)
    if len(alone) + len(others) <= slots and not hidden:
        return _insert_other_units_field(alone, others)
    kept = _choose_fields(alone, slots - 1 - len(others))
    if FLAGS not in kept:
        covered = ()
        hidden = [pick.value for pick in list_flag_picks(spec, options)]
    left = [field for field in fields if field.name not in (*kept, *covered, FLAGS)]
    rest = [_build_rest_field(spec, options, left, hidden)] if left or hidden else []
    return [
        *_insert_other_units_field([field for field in alone if field.name in kept], others),
        *rest,
    ]


def _choose_fields(fields: list[Field], size: int) -> list[str]:
    """The names of those that have a field of their own: menus of units and what is needed, the
    modifiers, others. A needed number takes the place of the modifiers, then that of a menu behind
    the first two; with a menu of modifiers it goes into the line of text."""
    menus = [field for field in fields if field.picks and (field.needed or _is_units(field))]
    flags = [field for field in fields if field.name == FLAGS]
    kept = list(dict.fromkeys([*menus, *flags, *fields]))[:size]
    if flags and flags[0] not in kept and not kept[-1].needed:
        kept[-1] = flags[0]
    is_menu = bool(flags) and flags[0].kind == "picks"
    numbers = [field for field in fields if field.needed and field.kind == "number"]
    for field in fields:
        if is_menu and numbers == [field]:
            continue
        free = [
            other for other in (*flags, *reversed(kept[2:])) if other in kept and not other.needed
        ]
        if field.needed and field not in kept and free:
            kept[kept.index(free[0])] = field
    return [field.name for field in kept]


def _is_units(field: Field) -> bool:
    return field.option is not None and field.option.type in ("units", "unit")


def _build_other_units_field(fields: list[Field]) -> list[Field]:
    """A line for the handles of units for which menus have no room, told apart by their sides;
    empty: they have.
    """
    cut = {field.name: pick.about for field in fields for pick in field.picks if pick.value == MORE}
    about = "By handle, a comma between two: whom the menu has no room for."
    return (
        [
            Field(
                OTHERS,
                "text",
                "Other units",
                about,
                example=", ".join(cut.values()),
                covers=(*cut,),
            )
        ]
        if cut
        else []
    )


def _insert_other_units_field(fields: list[Field], others: list[Field]) -> list[Field]:
    """The line of other units behind the menus that it adds to, none of which is needed then."""
    cut = others[0].covers if others else ()
    at = max((at + 1 for at, field in enumerate(fields) if field.name in cut), default=0)
    fields = [field._replace(needed=field.needed and field.name not in cut) for field in fields]
    return [*fields[:at], *others, *fields[at:]]


def _build_rest_field(
    spec: CommandSpec, options: Options, left: list[Field], flags: Collection[str]
) -> Field:
    """The line of text for what has no field: `terrain 1, rubber boat`. One needed number may
    come without its name.
    """
    names = [field.name for field in left]
    wanted = [field for field in left if field.needed]
    labels = [shorten_label(field.label) for field in wanted or left]
    called = [
        label if label[1:2].isupper() else f"{label[:1].lower()}{label[1:]}" for label in labels
    ]
    pieces = [
        *called,
        *(["rarer modifiers"] if flags else ["the rest"] if len(left) > len(called) else []),
    ]
    label = pieces[0] if len(pieces) == 1 else f"{', '.join(pieces[:-1])} and {pieces[-1]}"
    if len(label) > 45:
        label = "Numbers and rarer modifiers" if flags else "Anything else"
    bare = wanted[0].option if len(wanted) == 1 and wanted[0].kind == "number" else None
    said = build_rest_example(
        spec, [name for name in names if bare is None or name != bare.name], flags
    )
    needed = (
        bare.expectation if bare is not None else f"Needed: {', '.join(called)}" if wanted else ""
    )
    also = f"{'Also' if wanted else 'Such as'} {said}" if said else ""
    hint = f"{'. '.join(filter(None, (capitalize_first(needed), also)))}."
    return Field(
        REST,
        "text",
        capitalize_first(label),
        hint,
        (),
        format_rest(
            spec,
            options,
            [*names, *flags],
            [field.name for field in wanted] if bare is None else (),
        ),
        build_rest_example(spec, names, flags),
        bool(wanted),
        option=bare,
        covers=(*names, *flags, "mods"),
    )


def _build_typed_units_field(spec: CommandSpec) -> Field:
    """The line for units that no roster knows, behind all other fields."""
    lists = [option for option in spec.options if option.type == "units"]
    example = ", ".join(
        f"{shorten_label(option.display_name).casefold()} squad fp 2" for option in lists[:1]
    )
    hint = (
        "As in a command: units that are not in the roster, or several at once, such as us1..us4."
    )
    return Field(REST, "text", "Anything else", hint, example=example, rare=True)
