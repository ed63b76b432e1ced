"""The guided form of a command: its fields, their order, names and choices, and the values that
are filled in already.

Only this module decides them. Adapters draw a `Form`, each with the parts of its platform, and
return the values that were filled in (`submission.py`).
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
"""Fields that are no single option, as REST: the modifiers, the roll mode, and the units for which
the menus have no room. No option can have a name with a question mark.
"""
ROLL_MODE_PREFIX = f"{HOW}="
"""The beginning of an entry among the modifiers for a roll mode, if HOW has no room."""
ROLL, ODDS, SECRET, HAND, COMPARE = "roll", "odds", "secret", "hand", "compare"
"""The roll modes: what a filled-in form does."""
_OF_ROLLS = (ODDS, SECRET, HAND, COMPARE, "rounds")
ABOUT_ANSWER = ("private", "picture", "whole")
"""Flags of a look-up that are about its answer, not its inputs."""
COMMON_TICKS = 6
"""Number of modifiers that a form without room for all of them still shows."""
STEPS = 4
"""Largest value of a common number, such as the terrain, that has a tick. A form that does not fold
has a tick for each value from 1.
"""
NARROW = 5
"""A form with room for at most this many fields has the words of common enums among its modifiers,
in one menu.
"""
FEW = 6
"""A form with at most this many fields hides none."""
FIELDS_NEVER_HIDDEN = 3
"""Number of fields that are never hidden."""
MAX_REST_LABEL = 45
"""Maximum number of characters in the label of the line of text."""

Kind = Literal["picks", "pick", "ticks", "number", "text", "lines", "file", "channel", "how"]
Options = Mapping[str, object]


class Room(NamedTuple):
    """The capacity of a platform's form: the numbers of fields, entries of a menu, and ticks.

    `folds`: further fields wait behind a button; else one line of text takes what has no room.
    `counts`: the form shows odds inside.
    """

    fields: int = 100
    picks: int = 100
    ticks: int = 100
    folds: bool = False
    counts: bool = False


class Field(NamedTuple):
    """One field of a form."""

    name: str
    """The option that it fills in, or one of FLAGS, HOW, OTHERS and REST."""
    kind: Kind
    label: str
    hint: str = ""
    """A line of help."""
    picks: tuple[FormPick, ...] = ()
    """The choices."""
    value: str = ""
    """The text so far."""
    example: str = ""
    """A text that could be typed."""
    needed: bool = False
    """Whether the command does not run without it."""
    rare: bool = False
    """Whether it is hidden until the player asks for more fields."""
    wrong: str = ""
    """Why the value was refused; "" if it was not."""
    option: Option | None = None
    covers: tuple[str, ...] = ()
    """The options that are filled in with this field."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form in its present state.

    `verb` is the label of its button. `options` are those that it is filled in with, without a
    refused value.
    """

    title: str
    verb: str
    fields: tuple[Field, ...]
    options: Options

    def find_field(self, name: str) -> Field | None:
        """Return the field with this name, or None."""
        return next((field for field in self.fields if field.name == name), None)

    def find_field_of_option(self, option: str) -> str:
        """Return the name of the field in which an option is filled in.

        If there is none, it is the first field; in an empty form, the option's own name.
        """
        if self.find_field(option) is not None:
            return option
        for field in self.fields:
            if option in field.covers:
                return field.name
        return self.fields[0].name if self.fields else option


def drop_inactive_options(spec: CommandSpec, options: Options) -> CommandSpec:
    """Return the command without the options that do not count with the values set so far."""
    has_conditions = any(option.when for option in spec.options)
    if not has_conditions:
        return spec
    return spec._replace(options=list_counting_options(spec.options, options))


def opens_form(spec: CommandSpec, options: Options) -> bool:
    """Return whether a command as typed opens its form rather than runs.

    It does if a required option is missing that no unit brings, or if a sequence, or a command of
    ASK_ALONE, is typed alone. A whole table needs no input.
    """
    if spec.family == "lookup" and is_flag_on(options, "whole"):
        return False
    has_fields = any(option.name not in _OF_ROLLS for option in spec.options)
    if not has_fields:
        return False
    if not options and (spec.family == "sequence" or spec.path in ASK_ALONE):
        return True
    return bool(list_missing(spec, options))


def list_missing(spec: CommandSpec, options: Options) -> list[Option]:
    """Return the required options that are not set and that no unit in the options brings."""
    active = drop_inactive_options(spec, options).options
    return [option for option in active if option.is_required and not _is_given(option, options)]


def get_lasting_inputs(
    spec: CommandSpec, last_inputs: Options, context: CompletionContext
) -> dict[str, object]:
    """Return the inputs of the last use that prefill a new form.

    With a roster, these are only numbers and words that belong to the units that act, such as the
    range of a gun, and no card in play: the next target has its own terrain. Without a roster, all
    inputs.
    """
    if not keep_usable_context(context, spec).roster:
        return dict(last_inputs)
    targets = [option.name for option in spec.options if _takes_targets(option)]
    names = set()
    for option in spec.options:
        is_of_targets = any(is_of_target(option, target) for target in (*targets, ""))
        if option.type in ("int", "number", "enum") and not option.in_play and not is_of_targets:
            names.add(option.name)
    return {name: value for name, value in last_inputs.items() if name in names}


def _takes_targets(option: Option) -> bool:
    """Return whether an option takes units that do not act."""
    return option.type in ("units", "unit") and option.name not in ACTING


def get_roll_mode(spec: CommandSpec, options: Options) -> str:
    """Return the roll mode that the options set: ODDS if they ask for odds in any way, else SECRET,
    HAND or ROLL.
    """
    if spec.find_option(ODDS) is not None and spec.counts_only_odds(options):
        return ODDS
    if is_flag_on(options, SECRET):
        return SECRET
    return HAND if options.get(HAND) else ROLL


def set_roll_mode(spec: CommandSpec, options: Options, mode: str) -> dict[str, object]:
    """Return the options with the roll mode `mode` and no other.

    Options of a command without roll modes stay as they are. A comparison only stays for odds.
    """
    if spec.find_option(SECRET) is None:
        return dict(options)
    other_modes = [ODDS, SECRET, HAND]
    if mode != ODDS and spec.find_option(ODDS) is not None:
        other_modes.append(COMPARE)
    changed = {name: value for name, value in options.items() if name not in other_modes}
    if mode in (ODDS, SECRET):
        changed[mode] = True
    elif mode == HAND:
        changed[HAND] = options.get(HAND) or "?"
    return changed


ASK_ALONE = (("unit", "import"), ("order", "write"), ("game", "start"))


def _is_given(option: Option, options: Options) -> bool:
    """Return whether an option is set, or the unit that brings its value is."""
    if options.get(option.name) not in (None, ""):
        return True
    holder = option.brings.partition(".")[0]
    return bool(str(options.get(holder) or "").strip())


def build_form(
    spec: CommandSpec,
    options: Options,
    context: CompletionContext,
    room: Room,
    wrong: str = "",
    message: str = "",
    title: str = "",
) -> Form:
    """Return the form of a command, filled in with the options set so far.

    The value of the option `wrong` was refused with `message`. It is left out, except a text, and
    except the units of a list that are on the roster. `title` replaces the command's own title.
    """
    context = keep_usable_context(context, spec)
    spec = drop_inactive_options(spec, options)
    options = _drop_refused_values(spec, options, context, wrong)
    spec = drop_unborne(spec, options, context)
    fields = [
        _build_field(option, options, context, room)
        for option in spec.options
        if _has_field(option, spec)
    ]
    roster_flags = find_roster_flags(spec, options, context)
    mode_fields = _build_roll_mode_fields(spec, options, room)
    is_crowded = len(fields) + len(mode_fields) > room.fields
    flags_field = _build_flags_field(spec, options, room, roster_flags, is_crowded=is_crowded)
    if flags_field is not None:
        fields.append(flags_field)
    fields = _order_fields(fields, spec, context, room)
    if not room.folds:
        is_overfull = is_crowded and flags_field is not None
        if is_overfull and _build_other_units_field(fields):
            # no room for a field of roll modes: they become entries of the modifiers
            fields = [_add_roll_modes(field, mode_fields, room) for field in fields]
            mode_fields = []
        fields = _fit_fields(fields, spec, options, room.fields - len(mode_fields))
    elif any(field.kind == "picks" for field in fields):
        fields = _insert_other_units_field(fields, _build_other_units_field(fields))
        fields.append(_build_typed_units_field(spec))
    title = title or get_form_title(spec)
    if not mode_fields:
        title = _add_roll_mode_to_title(title, spec, options)
    form = Form(title, get_form_verb(spec), (*fields, *mode_fields), options)
    return _mark_refused_field(form, wrong, message) if message else form


def _drop_refused_values(
    spec: CommandSpec, options: Options, context: CompletionContext, wrong: str
) -> dict[str, object]:
    """Return the options without the refused value of the option `wrong`, and without units that
    cannot be in a list.

    A text stays to be corrected; of a list of units, those on the roster stay.
    """
    remaining = dict(options)
    if wrong in remaining and not _keeps_refused_value(spec, wrong):
        del remaining[wrong]
    option = spec.find_option(wrong)
    is_unit_list = option is not None and (option.type == "units" or option.many)
    if is_unit_list and context.roster:
        remaining[wrong] = keep_roster_items(str(remaining.get(wrong) or ""), context.roster)
    return remaining | _drop_unable(spec, remaining, context)


def _add_roll_mode_to_title(title: str, spec: CommandSpec, options: Options) -> str:
    """Return the title with the roll mode, if that is another than a plain roll."""
    mode = get_roll_mode(spec, options)
    if spec.find_option(SECRET) is None or mode == ROLL:
        return title
    return f"{title}: {_SHORT_ROLL_MODES[mode]}"


def _mark_refused_field(form: Form, option: str, message: str) -> Form:
    """Return the form with `message` at the field of the refused option."""
    name = form.find_field_of_option(option)
    fields = [
        field._replace(wrong=message) if field.name == name else field for field in form.fields
    ]
    return replace(form, fields=tuple(fields))


def _drop_unable(
    spec: CommandSpec, options: Options, context: CompletionContext
) -> dict[str, object]:
    """Return the unit lists in the options that have reasons against units, each without the units
    that cannot be in it.
    """
    return {
        option.name: drop_unable(option, str(options[option.name]), context)
        for option in spec.options
        if option.name in context.reasons and options.get(option.name)
    }


def _keeps_refused_value(spec: CommandSpec, name: str) -> bool:
    """Return whether a refused value of this option stays in the form: texts and flags do."""
    option = spec.find_option(name)
    if option is None:
        return False
    return option.many or option.type in ("units", "str", "dice", "mods", "bool")


def _has_field(option: Option, spec: CommandSpec) -> bool:
    """Return whether an option gets a field of its own: not flags, modifiers, dice by hand, and
    what a side is asked in the middle of a sequence.
    """
    is_roll_mode = option.name == HAND and spec.find_option(SECRET) is not None
    return option.type not in ("bool", "mods") and option.complete != CHOSEN and not is_roll_mode


# One field


def _build_field(option: Option, options: Options, context: CompletionContext, room: Room) -> Field:
    """Return the field of an option, with its present value."""
    value = options.get(option.name, option.default)
    is_default_list = option.type == "units" and value == option.default
    text = "" if value is None or is_default_list else str(value)
    kind, picks = _list_picks(option, text, context, room)
    has_own_text = not picks and text != str(option.default)
    return Field(
        option.name,
        kind,
        option.display_name,
        _build_hint(option, context, is_menu=bool(picks)),
        picks,
        text if has_own_text else "",
        _get_example(option),
        needed=option.is_required and not _may_come_from_unit(option, context),
        option=option,
        covers=(option.name,),
    )


def _may_come_from_unit(option: Option, context: CompletionContext) -> bool:
    """Return whether the value of an option may be left out because a unit brings it (`brings`).

    False for an option that no unit brings. With a roster, a number without `through` has to be set
    for some unit: if units that act bring it, one of the player's own side, else one of any side in
    the game (or of no side). Any other value may be typed with the unit, so it may always be left
    out.
    """
    holder, _, key = option.brings.partition(".")
    is_number = option.type in ("int", "number")
    if not key or not context.roster or not is_number or option.through:
        return bool(key)
    sides = context.sides
    if holder in ACTING and context.own_side:
        sides = (context.own_side,)
    units = [unit for unit in context.roster if not sides or unit.side in ("", *sides)]
    return any(key in unit.numbers for unit in units)


def _list_picks(
    option: Option, text: str, context: CompletionContext, room: Room
) -> tuple[Kind, tuple[FormPick, ...]]:
    """Return the kind of an option's field, and its choices, of which those in `text` are chosen;
    () for a field without choices.
    """
    if option.complete == "channel":
        return "channel", ()
    if option.type == "file":
        return "file", ()
    if option.type in ("units", "unit") or option.complete == "unit":
        return _list_unit_field_picks(option, text, context, room)
    if option.complete == "systems" and option.values:
        return "ticks", tuple(
            FormPick(system, option.format_word(system), "", system in text.split())
            for system in option.values
        )
    picks = _list_game_picks(option, text, context) or _list_word_picks(option, text, context, room)
    if picks:
        return "pick", picks
    if option.type in ("int", "number"):
        return "number", ()
    is_long = option.complete == "stats" or option.name == "text"
    return "lines" if is_long else "text", ()


def _list_unit_field_picks(
    option: Option, text: str, context: CompletionContext, room: Room
) -> tuple[Kind, tuple[FormPick, ...]]:
    """Return the kind of a field for units, and its menu: "picks" for several units or "pick" for
    one, or, if no unit can be offered, "lines" or "text" and ().
    """
    is_list = (option.type == "units" and option.most != 1) or option.many
    picks = list_unit_picks(option, text, context, room.picks)
    if picks:
        return "picks" if is_list else "pick", picks
    return "lines" if is_list else "text", ()


def _list_game_picks(option: Option, text: str, context: CompletionContext) -> tuple[FormPick, ...]:
    """Return the entries of an option for a sealed roll or an optional rule; () for any other.

    A sealed roll is chosen if it is the only one.
    """
    if option.complete == "sealed":
        numbers = [str(number) for number in context.sealed]
        chosen = text or (numbers[0] if len(numbers) == 1 else "")
        return tuple(FormPick(number, f"#{number}", "", number == chosen) for number in numbers)
    if option.complete == "rule" and context.game is not None:
        return tuple(
            FormPick(f"{name}={word}", f"{rule.title}: {word}", "", text == f"{name}={word}")
            for name, rule in context.game.rules.items()
            for word in ("on", "off")
        )
    return ()


def _list_word_picks(
    option: Option, text: str, context: CompletionContext, room: Room
) -> tuple[FormPick, ...]:
    """Return the entries of a menu of an option's words, sides or players; () if it has none, or
    too many for a menu. A side or player in `text` that the game does not know is added.
    """
    chosen = comparison_key(text)
    names = {"side": context.sides, "player": context.players}.get(option.complete)
    words = names or list_words_now(option, context)
    takes_names = option.complete in ("side", "player")
    if takes_names and text and chosen not in map(comparison_key, words):
        words = (*words, text)
    if len(words) > room.picks:
        return ()
    labels = {word: option.format_word(word) if option.values else word for word in words}
    meanings = option.meanings
    return tuple(
        FormPick(word, label, meanings.get(word, ""), comparison_key(word) == chosen)
        for word, label in labels.items()
    )


HINT = 100
"""Maximum number of characters that all platforms show below a label."""


def _build_hint(option: Option, context: CompletionContext, *, is_menu: bool) -> str:
    """Return a line of help about an option, of at most about HINT characters; "" if its label says
    enough.

    It is the option's help without the example. If there is room, it also says that a unit brings
    the value, and what value is expected.
    """
    if option.complete == "stats":
        return _build_stats_hint(context)
    if is_menu and option.complete in ("unit", "sealed"):
        return ""  # the help says how to type it, which a menu does not need
    hint = _shorten_help(option)
    if hint.strip():
        hint = f"{hint[:1].upper()}{hint[1:]}".rstrip(".") + "."
    else:
        hint = ""
    source = "Filled in from the roster." if option.brings else ""
    expectation = ""
    if not option.values and option.type in ("int", "number", "dice"):
        expectation = f"{option.expectation}."
    for piece in (source, expectation[:1].upper() + expectation[1:]):
        if len(hint) + len(piece) < HINT:
            hint = f"{hint} {piece}".strip()
    return hint


def _shorten_help(option: Option) -> str:
    """Return the help of an option without the example of a list of units and without equals signs.

    "" if the label says the same. A long help gives way to the option's short one.
    """
    text = option.help
    if option.type == "units":
        text = text.partition(": ")[0].partition(", e.g. ")[0]
    text = text.removeprefix("unit list; ").removeprefix("unit list")
    if len(text) > HINT - 2 and option.brief:
        text = option.brief
    if _is_in_label(text, option):
        return ""
    # the values of a macro are typed with the sign
    return text if option.complete in OF_MACROS else _PAIR.sub(" ", text)


def _is_in_label(text: str, option: Option) -> bool:
    """Return whether the label of an option says all that the text says: `One man` says `one man`,
    and `Their cover` says `of the targets`.
    """
    words = {*_LETTERS.findall(text.casefold())} - _SMALL_WORDS
    label = {*_LETTERS.findall(option.display_name.casefold())}
    return words <= label or ("their" in label and words <= _TARGETS)


_LETTERS = re.compile(r"[a-z']+|\d+")
_SMALL_WORDS = {"a", "an", "the", "of", "in", "who", "that"}
_TARGETS = {"target", "targets"}


def _build_stats_hint(context: CompletionContext) -> str:
    """Return a hint of what can be changed of a unit, with examples of the game: `morale 5, shaken,
    moved`.
    """
    if context.game is None:
        return "Its numbers, state and markers."
    units = context.game.game["units"]
    options = context.game.words["units"].keys
    numbers = [key for key, option in options.items() if option.type == "int"]
    states = list(units.get("states") or ())
    markers = list(units.get("markers") or ())
    pieces = [f"{key} 5" for key in numbers[:1]] + states[1:2] + markers[:1]
    return f"Such as {', '.join(pieces)}." if pieces else "Its numbers, state and markers."


_PAIR = re.compile(r"(?<=\w)=\s?(?=\S)")


def drop_signs(text: str) -> str:
    """Return an example of units as people write it: `squad fp 2 sw 3` for `squad fp=2 sw=3`.

    >>> drop_signs("soldier weapon=lmg-belt no_assistant")
    'soldier weapon lmg-belt no-assistant'
    """
    return _PAIR.sub(" ", text).replace("_", "-")


def _get_example(option: Option) -> str:
    """Return the example in a field: units, or the default value; "" if there is none."""
    if option.type == "units":
        about, _, example = option.help.partition(": ")
        if about.endswith("left out"):
            return ""
        return drop_signs(example or option.help.partition(", e.g. ")[2])
    if option.values or option.default in (None, ""):
        return ""
    return f"{option.default} if left empty"


def _build_flags_field(
    spec: CommandSpec,
    options: Options,
    room: Room,
    roster_flags: Collection[str],
    *,
    is_crowded: bool,
) -> Field | None:
    """Return the field of the modifiers, the common ones first, as many as there is room for.

    None if the command has none. Flags that units bring (`roster_flags`) are ticked. In a form
    without folding, common numbers such as the terrain are among the ticks. If a small form has too
    many other fields (`is_crowded`), the field is a menu with common words as well.
    """
    words = []
    if is_crowded and room.fields <= NARROW:
        words = _list_common_words(spec, options)
    is_menu = bool(words)
    extra_picks = [*words, *_list_all_steps(spec, options, room)]
    capacity = (room.picks if is_menu else room.ticks) - len(extra_picks)
    picks = _limit_picks(list_flag_picks(spec, options, roster_flags), spec, capacity)
    all_picks = (*extra_picks, *picks)
    if not all_picks:
        return None
    names = dict.fromkeys(pick.value.partition("=")[0] for pick in all_picks)
    topics = [
        shorten_label(about).lower() for about in dict.fromkeys(pick.about for pick in extra_picks)
    ]
    if picks:
        topics.append(_get_flags_topic(spec, names))
    return Field(
        FLAGS,
        "picks" if is_menu else "ticks",
        capitalize_first(join_names(topics)),
        picks=all_picks,
        covers=(*names, "mods"),
    )


def _list_all_steps(spec: CommandSpec, options: Options, room: Room) -> list[FormPick]:
    """Return the ticks for common numbers; none in a form that folds, which has fields for them."""
    if room.folds:
        return []
    return [pick for option in spec.options for pick in _list_steps(option, spec, options)]


def _limit_picks(picks: list[FormPick], spec: CommandSpec, size: int) -> list[FormPick]:
    """Return at most `size` of the picks, in their order: chosen ones go first, then common ones.

    At least COMMON_TICKS are kept; more only if they are chosen.
    """
    if len(picks) <= size:
        return picks
    rank = {name: index for index, name in enumerate(spec.common)}
    by_rank = sorted(picks, key=lambda pick: (not pick.chosen, rank.get(pick.value, len(rank))))
    chosen_count = sum(pick.chosen for pick in picks)
    limit = max(COMMON_TICKS, min(size, chosen_count))
    values = {pick.value for pick in by_rank[:limit]}
    return [pick for pick in picks if pick.value in values]


def _get_flags_topic(spec: CommandSpec, names: Collection[str]) -> str:
    """Return the noun for flags in the label of their field."""
    if spec.family == "lookup" and {*names} <= {*ABOUT_ANSWER}:
        return "how it is shown"
    return "modifiers" if spec.family in ("sequence", "lookup") else "also"


def _list_common_words(spec: CommandSpec, options: Options) -> list[FormPick]:
    """Return an entry for each word of the common enums, such as the terrain, except their
    defaults.
    """
    picks = []
    for option in spec.options:
        is_common = option.type == "enum" and option.name in spec.common
        if not is_common or option.default is None:
            continue
        value = str(options.get(option.name) or "")
        for word in option.values:
            if word != option.default:
                label = option.format_word(word)
                entry = f"{option.name}={word}"
                picks.append(FormPick(entry, label, option.display_name, value == word))
    return picks


def _list_steps(option: Option, spec: CommandSpec, options: Options) -> list[FormPick]:
    """Return a tick for each value from 1 to STEPS of a common number with the default 0.

    None for any other option, and if the number is greater at present.
    """
    if option.type != "int" or option.name not in spec.common or option.default != 0:
        return []
    value = str(options.get(option.name) or 0)
    label = shorten_label(option.display_name)
    if value not in map(str, range(STEPS + 1)):
        return []
    return [
        FormPick(f"{option.name}={step}", f"{label} {step}", label, value == str(step))
        for step in range(1, STEPS + 1)
    ]


def list_flag_picks(
    spec: CommandSpec, options: Options, roster_flags: Collection[str] = ()
) -> list[FormPick]:
    """Return an entry for each flag and each modifier word, with its value: the common ones first.

    Those that are set, or that units bring (`roster_flags`), are chosen. Roll modes are left out,
    and so is a comparison unless it is set: the button *What if* offers it.
    """
    words = split_words(options.get("mods") or ())
    hidden = {ODDS, SECRET} if spec.find_option(SECRET) is not None else set()
    if not options.get(COMPARE):
        hidden.add(COMPARE)
    picks = []
    for option in spec.options:
        name = option.name
        if option.type == "bool" and name not in hidden:
            comes_from_unit = name in roster_flags and name not in options
            is_chosen = is_on(option, options) or name in words or comes_from_unit
            about = _drop_value(option, name, option.help)
            picks.append(FormPick(name, option.format_word(name), about, is_chosen))
    mods = spec.find_option("mods")
    if mods is not None and mods.type == "mods":
        for word in mods.values:
            meaning = _drop_value(mods, word, mods.meanings.get(word, ""))
            picks.append(FormPick(word, mods.format_word(word), meaning, word in words))
    return sorted(picks, key=lambda pick: pick.value not in spec.common)


def _drop_value(option: Option, word: str, text: str) -> str:
    """Return the meaning of a modifier word without its value, which its label has already."""
    value = option.worths.get(word, "")
    return "" if text == value else text.removeprefix(f"{value}, ")


def is_on(option: Option, options: Options) -> bool:
    """Return whether a flag is set, or on by default."""
    return bool(options.get(option.name, option.default))


_ROLL_MODES = {
    ROLL: "Roll",
    ODDS: "Show the odds first",
    SECRET: "Roll sealed",
    HAND: "Enter my own dice",
}


_SHORT_ROLL_MODES = {ODDS: "odds", SECRET: "sealed", HAND: "own dice"}


def _build_roll_mode_fields(spec: CommandSpec, options: Options, room: Room) -> list[Field]:
    """Return the field for the roll mode in a list; [] for a command without roll modes.

    A form that shows odds inside offers odds only if they are set.
    """
    if spec.find_option(SECRET) is None:
        return []
    current = get_roll_mode(spec, options)
    picks = []
    for mode, label in _ROLL_MODES.items():
        is_possible = mode == ROLL or spec.find_option(mode) is not None
        is_hidden = mode == ODDS and current != ODDS and room.counts
        if is_possible and not is_hidden:
            picks.append(FormPick(mode, label, "", mode == current))
    covers = (SECRET, HAND, ODDS, COMPARE)
    return [Field(HOW, "how", "What now?", picks=tuple(picks), needed=True, covers=covers)]


def _add_roll_modes(field: Field, mode_fields: list[Field], room: Room) -> Field:
    """Return the field of the modifiers with a sealed roll and real dice as entries; any other
    field as it is.
    """
    if field.name != FLAGS:
        return field
    mode_picks = tuple(
        pick._replace(value=ROLL_MODE_PREFIX + pick.value)
        for mode_field in mode_fields
        for pick in mode_field.picks
        if pick.value in (SECRET, HAND)
    )
    picks = (*field.picks[: room.picks - len(mode_picks)], *mode_picks)
    is_menu = field.kind == "picks" or len(picks) > room.ticks
    label = f"{field.label.replace(' and ', ', ')} and dice" if mode_picks else field.label
    return field._replace(label=label, kind="picks" if is_menu else field.kind, picks=picks)


# Their order


def _order_fields(
    fields: list[Field], spec: CommandSpec, context: CompletionContext, room: Room
) -> list[Field]:
    """Return the fields in their order, the most needed first (see _rank_field).

    Many of the last are marked rare: on Slack they are hidden behind *More fields*.
    """
    holders = {
        option.brings.partition(".")[0]
        for option in spec.options
        if option.is_required and option.brings
    }
    ranks = {field.name: _rank_field(field, spec, context, holders) for field in fields}
    ordered = sorted(fields, key=lambda field: (ranks[field.name], not _is_of_acting_units(field)))
    may_be_rare = len(fields) > FEW and room.folds
    return [
        field._replace(rare=may_be_rare and ranks[field.name] > 3 and index >= FIELDS_NEVER_HIDDEN)
        for index, field in enumerate(ordered)
    ]


def _is_of_acting_units(field: Field) -> bool:
    """Return whether a field takes the units that act."""
    option = field.option
    if option is None or field.name not in ACTING or option.brings:
        return False
    return _is_units(field) or option.complete == "unit"


_TICKS_RANKS = {"sequence": 3, "lookup": 3}
"""The ranks of ticks by the family of the command: those of these families are modifiers."""


def _rank_field(
    field: Field, spec: CommandSpec, context: CompletionContext, holders: Collection[str]
) -> int:
    """Return the rank of a field in its form, from 0, the first.

    0 for needed units, 1 for what else is required, 2 for other units, 3 for the modifiers and
    common options, 4 for other options, 5 for a unit without a menu. `holders` are the unit options
    that bring a required value; with a roster they are needed, and units that act as well. Ticks
    that are no modifiers come after the other options.
    """
    option = field.option
    if option is None:
        return _TICKS_RANKS.get(spec.family, 4)
    if _is_units(field):
        is_acting = option.name in ACTING and not option.brings
        brings_value = option.name in holders or (is_acting and bool(holders))
        if option.is_required or (brings_value and context.roster):
            return 0
        is_useless = option.type == "unit" and not field.picks and not option.free
        return 5 if is_useless else 2
    if option.is_required:
        return 1
    return 3 if option.name in spec.common else 4


def _fit_fields(
    fields: list[Field], spec: CommandSpec, options: Options, slots: int
) -> list[Field]:
    """Return at most `slots` fields; a line of text stands for all that have no room."""
    flags_field = _find_flags_field(fields)
    covered = flags_field.covers if flags_field is not None else ()
    flags = [pick.value for pick in list_flag_picks(spec, options)]
    hidden_flags = [flag for flag in flags if flag not in covered]
    candidates = [field for field in fields if field.name not in covered]
    others = _build_other_units_field(fields)
    if len(candidates) + len(others) <= slots and not hidden_flags:
        return _insert_other_units_field(candidates, others)
    visible = _choose_fields(candidates, slots - 1 - len(others))
    names = {FLAGS, *(field.name for field in visible)}
    if flags_field not in visible:  # the line of text takes all modifiers
        covered = ()
        hidden_flags = flags
    hidden = [field for field in fields if field.name not in names.union(covered)]
    fitted = _insert_other_units_field(visible, others)
    if hidden or hidden_flags:
        fitted.append(_build_rest_field(spec, options, hidden, hidden_flags))
    return fitted


def _find_flags_field(fields: list[Field]) -> Field | None:
    """Return the field of the modifiers, or None."""
    return next((field for field in fields if field.name == FLAGS), None)


def _choose_fields(fields: list[Field], size: int) -> list[Field]:
    """Return the fields that are kept in a form with room for `size` of them, in their order.

    Menus of units and needed menus go first, then the modifiers, then others. A needed field takes
    the place of the modifiers, then that of a field after the first two. If the modifiers are a
    menu, a single needed number goes into the line of text.
    """
    menus = [field for field in fields if field.picks and (field.needed or _is_units(field))]
    flags = [field for field in fields if field.name == FLAGS]
    fitting = list(dict.fromkeys([*menus, *flags, *fields]))[:size]
    if flags and flags[0] not in fitting and not fitting[-1].needed:
        fitting[-1] = flags[0]
    for field in _list_needed_fields(fields, flags):
        if field not in fitting:
            _replace_unneeded_field(fitting, field, flags)
    names = [field.name for field in fitting]
    return [field for field in fields if field.name in names]


def _list_needed_fields(fields: list[Field], flags: list[Field]) -> list[Field]:
    """Return the needed fields that get a place of their own: all, except a single number if the
    modifiers are a menu.
    """
    needed = [field for field in fields if field.needed]
    numbers = [field for field in needed if field.kind == "number"]
    has_flags_menu = bool(flags) and flags[0].kind == "picks"
    if has_flags_menu and len(numbers) == 1:
        needed.remove(numbers[0])
    return needed


def _replace_unneeded_field(fitting: list[Field], field: Field, flags: list[Field]) -> None:
    """Put a needed field in the place of the modifiers in `fitting`, or else of the last field after
    the first two that is not needed; change nothing if there is none.
    """
    for other in (*flags, *reversed(fitting[2:])):
        if other in fitting and not other.needed:
            fitting[fitting.index(other)] = field
            return


def _is_units(field: Field) -> bool:
    return field.option is not None and field.option.type in ("units", "unit")


def _build_other_units_field(fields: list[Field]) -> list[Field]:
    """Return the line for handles of units that menus have no room for, in a list; [] if all menus
    have room. It stands for all these menus: the side of a unit tells which one it belongs to.
    """
    handles = {
        field.name: pick.about for field in fields for pick in field.picks if pick.value == MORE
    }
    if not handles:
        return []
    return [
        Field(
            OTHERS,
            "text",
            "Other units",
            "Not in the menu? Type their handles, separated by commas.",
            example=", ".join(handles.values()),
            covers=tuple(handles),
        )
    ]


def _insert_other_units_field(fields: list[Field], others: list[Field]) -> list[Field]:
    """Return the fields with the line of other units after the menus that it adds to.

    None of these menus is needed then. `others` is a list of that line, or empty.
    """
    covered = others[0].covers if others else ()
    position = 0
    inserted = []
    for index, field in enumerate(fields):
        if field.name in covered:
            position = index + 1
            field = field._replace(needed=False)
        inserted.append(field)
    inserted[position:position] = others
    return inserted


def _build_rest_field(
    spec: CommandSpec, options: Options, hidden: list[Field], flags: Collection[str]
) -> Field:
    """Return the line of text for fields and flags that have no room: `terrain 1, rubber boat`.

    If one number is needed and nothing else, it may be typed without its name.
    """
    names = [field.name for field in hidden]
    needed = [field for field in hidden if field.needed]
    labels = [_lower_first(shorten_label(field.label)) for field in needed or hidden]
    label = _build_rest_label(labels, has_more=len(hidden) > len(labels), flags=flags)
    bare = needed[0].option if len(needed) == 1 and needed[0].kind == "number" else None
    if bare is not None:
        expectation = bare.expectation
        asked_for = []
    else:
        expectation = f"Needed: {', '.join(labels)}" if needed else ""
        asked_for = [field.name for field in needed]
    example_names = [name for name in names if bare is None or name != bare.name]
    example = build_rest_example(spec, example_names, flags)
    return Field(
        REST,
        "text",
        capitalize_first(label),
        _build_rest_hint(expectation, example, is_needed=bool(needed)),
        (),
        format_rest(spec, options, [*names, *flags], asked_for),
        build_rest_example(spec, names, flags),
        bool(needed),
        option=bare,
        covers=(*names, *flags, "mods"),
    )


def _build_rest_hint(expectation: str, example: str, *, is_needed: bool) -> str:
    """Return the hint below the line of text: what is needed, if anything, and an example of the
    rest, if there is one.
    """
    sentences = [capitalize_first(expectation)] if expectation else []
    if example:
        sentences.append(f"{'Also' if is_needed else 'Such as'} {example}")
    if not sentences:
        return ""
    return f"{'. '.join(sentences)}."


def _build_rest_label(labels: list[str], *, has_more: bool, flags: Collection[str]) -> str:
    """Return the label of the line of text: the labels of what it takes, if that is short.

    `has_more`: it takes more than the labels name.
    """
    pieces = list(labels)
    if flags:
        pieces.append("less common modifiers")
    elif has_more:
        pieces.append("the rest")
    label = pieces[0] if len(pieces) == 1 else f"{', '.join(pieces[:-1])} and {pieces[-1]}"
    if len(label) <= MAX_REST_LABEL:
        return label
    return "Other modifiers" if flags else "Anything else"


def _lower_first(label: str) -> str:
    """Return a label with a small first letter, unless its second letter is a capital: `TM`."""
    return label if label[1:2].isupper() else f"{label[:1].lower()}{label[1:]}"


def _build_typed_units_field(spec: CommandSpec) -> Field:
    """Return the last line of a form, for units that are not on the roster."""
    lists = [option for option in spec.options if option.type == "units"]
    example = ", ".join(
        f"{shorten_label(option.display_name).casefold()} squad fp 2" for option in lists[:1]
    )
    hint = (
        "As in a command: units that are not on the roster, or several at once, such as us1..us4."
    )
    return Field(REST, "text", "Anything else", hint, example=example, rare=True)
