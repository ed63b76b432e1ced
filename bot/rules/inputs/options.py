"""Options: the inputs of a command, table or sequence, and the conversion of typed text to values.

One definition serves the console, Discord, Slack, batch, help and the docs.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bot.rules.errors import Hint, Slip, UserError, did_you_mean, suggest_names
from bot.rules.text.normalize import (
    comparison_key,
    normalize_text,
    normalize_value,
    plain_signs,
    word_key,
)
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import has_control

OptionType = Literal[
    "int", "number", "bool", "enum", "str", "units", "unit", "mods", "dice", "file"
]
MAX_TEXT = 4000
OWN, CHOSEN = "own", "chosen"
OF_TARGET, OF_HEX = "target", "target-hex"
"""The values of `of` for an option that belongs to the target, or to the target's hex."""
TURN = "turn"
"""The value of `phases` for a whole number that is the number of the turn."""
MOST_DIGITS = 12
MOST_LISTED = 40
_WHOLE = re.compile(rf"[+-]?[0-9]{{1,{MOST_DIGITS}}}")
_NUMBER = re.compile(rf"[+-]?[0-9]{{1,{MOST_DIGITS}}}(\.[0-9]{{1,6}})?")
_BETWEEN_WORDS = re.compile(r"(?:-?[^\w+-]+-?)+|_")
_LETTER_DOT = re.compile(r"(?<=[^\W\d_])\.")
"""The dot after a letter, as in `O.K.`"""
_BOOL = {"yes": True, "true": True, "on": True, "1": True, "y": True, "x": True}
_BOOL |= {"no": False, "false": False, "off": False, "0": False, "n": False}


ACTS, HELPS, TARGETS = ROLES = ("acts", "helps", "targets")
"""The roles of units of an input: they act, they help those who act, or they are targets."""
UNITS = {"inches": "inch", "hexes": "hex", "squares": "square", "yards": "yard", "meters": "meter"}
"""Units that the name of a number may end in (`Distance in hexes`), with their singular."""
ACTING = ("attackers", "shooters", "unit", "units", "attacker", "shooter", "firers", "firer")
"""Names of inputs for acting units; docs/pack-sequence.md lists them."""
AIMED = ("targets", "target", "defenders")
"""Names of inputs for targets."""


def get_role_of_name(name: str) -> str:
    """Return the role of an input by its name; "" for a name that says nothing."""
    if name in ACTING:
        return ACTS
    return TARGETS if name in AIMED else ""


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name, type, limits, default and help."""

    name: str
    type: OptionType = "str"
    help: str = ""
    min: float | None = None
    max: float | None = None
    values: tuple[str, ...] = ()
    """The words of an enum or of a `mods` list; for a file, the allowed endings of its name."""
    default: Any = None
    optional: bool = False
    clamp: str = ""
    """The limit that replaces values beyond it instead of a refusal ("high", "low", "both")."""
    brings: str = ""
    """The value of a roster unit that fills in a missing one, as `unit.morale`."""
    units: str = ""
    """The unit list of the game with which the text is parsed."""
    complete: str = ""
    """What to offer during typing."""
    free: bool = False
    """Whether an option of type unit also takes a name that is not on the roster, as words for the report
    only, or a unit type with its numbers."""
    many: bool = False
    """Whether an option of type unit takes several units of the roster, one after the other."""
    most: int = 0
    """The most units of a list, 0 for any number."""
    meanings: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Explanations of the words of `values`."""
    brief: str = ""
    """The help in a few words, for small screens."""
    label: str = ""
    """The option's own name for people."""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Names of the words of `values`."""
    worths: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The modifier of a flag, by its name, or of a word of `values`: `{"night": "-3"}`."""
    likely: tuple[str, ...] = ()
    """States, markers and types of the units to offer first; OWN for those of the player's own
    side. A unit that is out of the game is taken only if its state is named here."""
    lends: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The source of a value if nothing is typed:

    - a unit of a list: `{"from": "attackers", "type": "leader", "not": "shaken", "beside":
      "others"}`
    - the number of weapons that a unit carries, at most one for each attacker: `{"from": "unit",
      "carried": "smg", "most": "attackers"}`
    - the rating of the squad's leader who is not in the list: `{"from": "attackers", "type":
      "leader", "through": "squad", "group": "squad", "number": "lr", "not": "killed", "says":
      "leader rating"}`
    - the unit that names the other option's unit in a list: `{"from": "weapon", "holder": "holds"}`
    - a unit of a type in such a list: `{"from": "unit", "held": "holds", "type": "gun"}`
    """
    through: str = ""
    """The attribute by which a unit names another one, which supplies the value if the unit itself
    does not."""
    reads: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The words of that attribute, translated to those of the option: `{"broken": "bad"}`."""
    phases: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The values that the phase of a started game fills in: `{"rally": "rally", "own movement":
    "friendly-mph", "*": "other"}`; "own" applies in the turn of the acting side. For a whole number
    the value `turn` is the number of the turn."""
    counts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """When a flag counts by itself, so that a form has its box ticked: `{"from": "targets",
    "flags": ["moved"], "types": ["mmc"]}`, by flags of the listed units and classes or types of
    units."""
    form_only: bool = False
    """Whether only forms and typed commands have the option, because slash commands have no room for it."""
    of: str = ""
    """`target` if it belongs to the target, `target-hex` if all units in the target's hex share it.
    It is not carried over to the next target."""
    in_play: tuple[str, ...] = ()
    """The decks from which it takes a card in play."""
    used: str = ""
    """Where that card goes then; "" if it stays."""
    role: str = ""
    """The role of its units if its name does not say it: acts, helps or targets."""
    ruled: tuple[str, ...] = ()
    """The optional rules of the game that set it."""
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Alternative words of the card for a word of `values`."""
    when: str = ""
    """The condition on other inputs under which it counts. `matters` tests it with their values;
    None if it always counts."""
    matters: Callable[[Mapping[str, Any]], bool] | None = field(
        default=None, compare=False, hash=False
    )

    @property
    def part(self) -> str:
        """The role of its units by its role or its name: one of `ROLES`, or ""."""
        return self.role or get_role_of_name(self.name)

    @property
    def display_name(self) -> str:
        """The name for people: `Who is firing`."""
        return self.label or format_code_word(self.name)

    def format_value(self, value: object) -> str:
        """Format a value after the name for people: `Cover light`.

        A number whose name ends in its unit has the unit after it: `Range 30"`, `Distance 1 hex`.
        """
        text = self.labels.get(str(value), str(value))
        name, _, unit = self.display_name.rpartition(" in ")
        if not name or unit not in UNITS:
            return f"{self.display_name} {text}"
        if unit == "inches":
            return f'{name} {text}"'
        return f"{name} {text} {UNITS[unit] if text == '1' else unit}"

    def format_word(self, word: str) -> str:
        """Format a flag (by its own name) or a word of `values` for people, with its modifier:
        `Night −3`.
        """
        label = (
            self.display_name
            if word == self.name
            else self.labels.get(word) or format_code_word(word)
        )
        worth = self.worths.get(word, "").replace("-", "\u2212")
        return f"{label} {worth}".strip()

    @property
    def is_required(self) -> bool:
        """True if the command cannot run without it."""
        return not self.when and self._is_needed

    @property
    def _is_needed(self) -> bool:
        return self.default is None and not self.optional and self.type not in ("bool", "mods")

    def check(self, values: Mapping[str, Any], subject: str) -> None:
        """Raise UserError if it was typed but does not count, or counts but is missing. `subject`
        names the command.
        """
        counts = self.matters is None or self.matters(values)
        is_given = values[self.name] not in (self.default, False)
        if is_given and not counts:
            problem = f"{self.name} applies only if {self.when}."
            raise UserError(
                problem, hint=f"Leave out {self.name}.", option=self.name, code="not-together"
            )
        if counts and self._is_needed and not is_given:
            raise make_missing_option_error(self, subject)

    @property
    def expectation(self) -> str:
        """The expected input, for errors and help: `a whole number from 1 to 12`."""
        if self.type in ("int", "number"):
            kind = "a whole number" if self.type == "int" else "a number"
            low = _format_limit(self.min)
            high = _format_limit(self.max)
            if low and high:
                return f"{kind} from {low} to {high}"
            return f"{kind} of at least {low}" if low else kind
        if self.type == "bool":
            return "yes or no"
        if self.values:
            return (
                "one of " + ", ".join(self.values)
                if self.type == "enum"
                else "words of " + ", ".join(self.values)
            )
        if self.most == 1:
            return "a unit from the roster, or one with its numbers"
        if self.free:
            return "a unit from the roster, or any name"
        if self.many:
            return "one or more units from the roster"
        return {
            "units": "a list of units",
            "unit": "a unit from the roster",
            "dice": "dice such as 2d6+1",
        }.get(self.type, "text")


def format_code_word(word: str) -> str:
    """Format a code word for people: `Hit and run`."""
    words = word.replace("_", " ").replace("-", " ")
    return words[:1].upper() + words[1:]


def format_number(value: object) -> str:
    """Format a number of a unit for people; several become `3 + 2`."""
    return " + ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def clean(option: Option, raw: object) -> Any:
    """Return the value of `option` for what was typed, or given as JSON.

    Raises UserError with the option, the fault and what was expected.
    """
    return CLEANERS[option.type](option, raw)


_IN_PLAIN_SIGNS = ("int", "number", "bool", "enum", "mods", "units", "unit")
"""Types whose values are numbers, words or names that the bot already knows."""


class BareValue(str):
    """A value typed without the name of its option: `us1` in `fire us1`.

    A command that comes back from a store or a form has only plain texts.
    """

    __slots__ = ()


def normalize_typed(option: Option | None, raw: object) -> object:
    """Return a typed value in its stored form: a text keeps its signs, all other types are in plain
    signs. Files are left as they are, and a bare value stays a bare value.
    """
    if not isinstance(raw, str) or raw.isascii() or (option is not None and option.type == "file"):
        return raw
    text = normalize_text(raw)
    is_plain = option is not None and option.type in _IN_PLAIN_SIGNS and not option.free
    normalized = plain_signs(text) if is_plain else text
    if isinstance(raw, BareValue):
        return BareValue(normalized)
    return normalized


def is_left_out(option: Option, raw: object) -> bool:
    """Return whether nothing was typed. Platforms and forms send an empty text for that, which only
    a text option may have as its value.
    """
    return raw is None or (raw == "" and option.type != "str")


def is_flag_on(options: Mapping[str, object], name: str) -> bool:
    """Return whether a typed flag is on. A word that is neither yes nor no counts as off here;
    `clean` refuses it.
    """
    value = options.get(name)
    return value is not None and _BOOL.get(comparison_key(str(value)), False)


def is_yes_or_no(typed: str) -> bool:
    """Return whether a text is a valid value of a flag."""
    return comparison_key(typed) in _BOOL


def list_counting_options(
    options: Iterable[Option], raw: Mapping[str, object]
) -> tuple[Option, ...]:
    """Return the options that count with the values typed so far, without their conditions.

    A missing or bad value counts as the default of its option.
    """
    options = tuple(options)
    values = dict[str, Any]()
    for option in options:
        value = raw.get(option.name)
        values[option.name] = _get_default(option)
        if is_left_out(option, value):
            continue
        with suppress(UserError):
            values[option.name] = clean(option, value)
    counting_options = []
    for option in options:
        if option.matters is None or option.matters(values):
            if option.when:
                help_text = option.help.rpartition(" (if ")[0]
                option = replace(option, when="", matters=None, help=help_text)
            counting_options.append(option)
    return tuple(counting_options)


def is_of_target(option: Option, target: str) -> bool:
    """Return whether the value of an option belongs to the units of the option `target`, or to
    their hex.
    """
    is_brought = bool(option.brings) and option.brings.partition(".")[0] == target
    return bool(option.of) or is_brought or option.counts.get("from") == target


def make_missing_option_error(option: Option, subject: str) -> UserError:
    """Return the error for a required option that was left out."""
    about = f": {option.help}" if option.help else ""
    expectation = f" ({option.expectation})" if option.expectation != "text" else ""
    lacks = f"{subject} needs {option.name}{expectation}{about}."
    if option.type == "units":
        question = f"{option.label}? " if option.label else ""
        lacks = f"{question}{subject} needs at least one unit in {option.name}."
    return UserError(lacks, hint=_make_example(option), option=option.name, code="missing")


def _make_example(option: Option) -> str:
    """Return an example of what to type for an option, "" if there is none."""
    if option.type == "enum" and option.values:
        return f"Add {option.name}={option.values[0]}, or another of these."
    if option.type == "int":
        return f"Add {option.name}={min(max(5, option.min or 0), option.max or 5):g}, or another number."
    return (
        phrase("Add {name}=NAME; `/unit list` shows them all.", name=option.name)
        if option.type == "unit"
        else ""
    )


def make_unknown_option_error(
    name: str, subject: str, option_names: Iterable[str] = (), hint: str = ""
) -> UserError:
    """Return the error for an option that `subject`, a table or command, does not have.

    Its hint is `hint`, else the most similar of `option_names`, else all of these.
    """
    names = list(option_names)
    if not hint:
        hint = did_you_mean(name, names)
    if not hint:
        hint = f"It takes {', '.join(names)}." if names else "It takes no options."
    problem = f'{subject} has no option "{name[:40]}".'
    return UserError(problem, hint=hint, option=name[:40], code="unknown-option")


def unfold_mods(
    options: Mapping[str, Option], raw: Mapping[str, object], subject: str
) -> dict[str, object]:
    """Return the typed options, with flags that were typed as words of `mods` as options of their
    own, and modifiers that were typed as options (`tis=yes`) as words of `mods`.

    Options without a value are left out. Raises UserError for a word of `mods` that `subject`, a
    table or command, does not have, and for one that is typed twice.
    """
    values = {name: value for name, value in raw.items() if value is not None}
    mods_option = options.get("mods")
    mods_type = None if mods_option is None else mods_option.type
    modifiers = mods_option.values if mods_option is not None and mods_type == "mods" else ()
    _move_modifiers_into_mods(values, options, modifiers)
    if "mods" not in values or mods_type not in (None, "mods"):
        return values
    flags = {name for name, option in options.items() if option.type == "bool"}
    mod_words = _take_mod_words(values, flags, modifiers, subject)
    if mods_option is not None:
        values["mods"] = tuple(word for word in mod_words if word.split("=")[0] in modifiers)
    return values


def _take_mod_words(
    values: dict[str, Any], flags: Collection[str], modifiers: Sequence[str], subject: str
) -> list[str]:
    """Remove `mods` from `values`, set the flags among its words there, and return all its words.

    Raises UserError as `unfold_mods` does.
    """
    mod_words: list[str] = []
    for typed_word in split_words(values.pop("mods")):
        word = typed_word.replace("-", "_")
        is_flag = word in flags
        if word in mod_words or (is_flag and values.get(word) is not None):
            problem = f'The flag "{word[:40]}" is given twice.'
            raise UserError(problem, hint="Give it once.", option="mods", code="given-twice")
        if is_flag:
            values[word] = True
        elif word.split("=")[0] not in modifiers:
            raise _make_unknown_modifier_error(word, subject, modifiers, flags)
        mod_words.append(word)
    return mod_words


def _move_modifiers_into_mods(
    values: dict[str, Any], options: Mapping[str, Option], modifiers: Sequence[str]
) -> None:
    """Replace each modifier that was typed as an option by a word of `mods`, in place.

    `tis=yes` becomes `tis` and `smoke=2` the word `smoke=2`; `tis=no` is removed.
    """
    for name in [name for name in values if name not in options and name in modifiers]:
        value = str(values.pop(name)).strip().casefold()
        is_on = None if value.isdigit() else _BOOL.get(value)
        if not value or is_on is False:
            continue
        word = name if is_on else f"{name}={value}"
        values["mods"] = [*split_words(values.get("mods") or ()), word]


def _make_unknown_modifier_error(
    word: str, subject: str, modifiers: Sequence[str], flags: Collection[str]
) -> UserError:
    """Return the error for a word of `mods` that is neither a modifier nor a flag of `subject`."""
    hint: str = did_you_mean(word, [*modifiers, *flags])
    if not hint:
        names = ", ".join([*modifiers, *sorted(flags)]) or "none"
        hint = f"It takes {names}."
    problem = f'{subject} has no modifier "{word[:40]}".'
    return UserError(problem, hint=hint, option="mods", code="unknown-modifier")


def split_words(raw: object) -> list[str]:
    """Return the words of a list typed with spaces or commas, or given as a JSON list."""
    if isinstance(raw, list | tuple):
        return [str(word) for word in raw]
    return plain_signs(str(raw)).replace(",", " ").split()


class InputReader:
    """A reader of options that belong together, with everything prepared once."""

    def __init__(self, options: Iterable[Option]) -> None:
        self.options = {option.name: option for option in options}
        all_options = tuple(self.options.values())
        self._defaults = {option.name: _get_default(option) for option in all_options}
        self._needed = {
            option.name for option in all_options if option.is_required and not option.brings
        }
        self.units = tuple(option for option in all_options if option.type in ("units", "unit"))
        """The options that take units."""
        self.bringing_options = tuple(option for option in all_options if option.brings)
        """The options whose value a unit of another option may bring."""
        self.leader_options = tuple(option for option in all_options if "through" in option.lends)
        """The options that a leader of the units' squad supplies."""
        self._conditional = tuple(option for option in all_options if option.when)

    def read(self, raw: Mapping[str, object], subject: str) -> dict[str, Any]:
        """Return values for all options: typed ones converted, others by default.

        The default is that of the option, else None, or False for a bool. `subject` is the name of
        the table or command for messages. Booleans may also come as words of `mods`. A required
        option may be left out only if it `brings` its value from a roster unit.

        Raises UserError for an unknown or missing option, a value that does not fit, a flag that is
        given twice, and an option that does not count with the others.
        """
        typed: Mapping[str, object] = raw
        if "mods" in raw or not self.options.keys() >= raw.keys():
            typed = unfold_mods(self.options, raw, subject)
            unknown_names = [name for name in typed if name not in self.options]
            if unknown_names:
                raise make_unknown_option_error(unknown_names[0], subject, self.options)
        values = self._defaults.copy()
        for name, option in self.options.items():
            value = typed.get(name)
            if value is not None and not _stays_out(option, value):
                values[name] = clean(option, value)
            elif name in self._needed:
                raise make_missing_option_error(option, subject)
        for option in self._conditional:
            option.check(values, subject)
        return values


def _stays_out(option: Option, value: object) -> bool:
    """Return whether the default applies: nothing was typed, or `none` for an option that the card
    leaves blank.
    """
    is_none = value == "none" and (
        (option.optional and option.type in ("int", "number")) or _brings_a_word(option)
    )
    return is_none or is_left_out(option, value)


def _brings_a_word(option: Option) -> bool:
    """Return whether the word `none` replaces the value that a unit would supply for this
    option.
    """
    has_default = option.type == "enum" and option.default is not None
    return bool(option.brings) and has_default and "none" not in option.values


def _get_default(option: Option) -> Any:
    if option.type == "bool":
        return bool(option.default)
    return () if option.type == "mods" else option.default


def _format_limit(number: float | None) -> str:
    if number is None:
        return ""
    return f"{int(number)}" if number == int(number) else f"{number:g}"


def _make_refusal(option: Option, raw: object, hint: str = "") -> UserError:
    typed = str(raw)
    typed = typed if len(typed) <= 40 else typed[:39] + "…"
    return UserError(
        f'{option.name} must be {option.expectation}, not "{typed}".',
        hint=hint,
        option=option.name,
        code="bad-value",
    )


def _check_range(option: Option, value: float, raw: object) -> float:
    """Return a number within the limits of an option, or the limit if the option clamps there.

    Raises UserError for any other number.
    """
    low = option.min
    high = option.max
    if low is not None and value < low:
        if option.clamp in ("low", "both"):
            return low
    elif high is None or value <= high:
        return value
    elif option.clamp in ("high", "both"):
        return high
    # What it means is said as well: its help often says why there is a limit.
    raise _make_refusal(option, raw, f"{option.name}: {option.help}." if option.help else "")


def _strip_unit_marks(text: str) -> str:
    """Return a typed number without the # of an event's number (`#4`) and the mark of inches (`30"`)."""
    return text.removeprefix("#").rstrip("\"'\u2033\u201d")


def clean_whole(option: Option, raw: object) -> int:
    """Return a typed whole number, with or without a sign and blanks, or a float that is whole.

    It may be written as an event's number (`#4`) or in inches (`30"`).

    Raises UserError for anything else, and for a number beyond the option's limits.
    """
    if isinstance(raw, str) and _WHOLE.fullmatch(text := _strip_unit_marks(normalize_value(raw))):
        value = int(text)
    elif (isinstance(raw, int) and not isinstance(raw, bool)) or (
        isinstance(raw, float) and raw.is_integer()
    ):
        value = int(raw)
    else:
        raise _make_refusal(option, raw)
    return int(_check_range(option, value, value))


def _clean_number(option: Option, raw: object) -> float:
    """Return a typed number, as an int if it is whole.

    Raises UserError for anything else, and for a number beyond the option's limits.
    """
    if isinstance(raw, str):
        text = _strip_unit_marks(normalize_value(raw))
        if not _NUMBER.fullmatch(text):
            raise _make_refusal(option, raw)
        raw = float(text)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise _make_refusal(option, raw)
    if isinstance(raw, float) and not _is_writable(raw):
        raise _make_refusal(option, raw)
    value = _check_range(option, raw, raw)
    return int(value) if value == int(value) else value


def _is_writable(number: float) -> bool:
    """Return whether a log can hold the number in plain digits, not as nan, inf or 1e-07."""
    return repr(number).replace(".", "").removeprefix("-").isdecimal()


def _clean_bool(option: Option, raw: object) -> bool:
    """Return a typed truth value. Raises UserError for a word that is neither yes nor no."""
    if isinstance(raw, bool):
        return raw
    word = comparison_key(str(raw))
    if word not in _BOOL:
        raise _make_refusal(option, raw)
    return _BOOL[word]


def fold_word(word: str) -> str:
    """Return a word in the form in which words of the card are compared; signs count.

    >>> fold_word("Rifle (bolt-action)"), fold_word("Path/Road"), fold_word("-1"), fold_word("O.K.")
    ('rifle-bolt-action', 'path-road', '-1', 'ok')
    """
    word = _LETTER_DOT.sub("", comparison_key(word))
    return _BETWEEN_WORDS.sub("-", word.strip(" ()")).strip()


def _clean_enum(option: Option, raw: object) -> str:
    """Return the value of an option for a typed word.

    The word may be the value in any spelling, another word of the card for it (`also`), or its
    label if the option has values of the game in play. Raises UserError for any other word.
    """
    word = str(raw).strip()
    if isinstance(raw, bool):  # a JSON or YAML true where the card's word is yes
        word = "yes" if raw else "no"
    if word in option.values:
        return word
    folded = word_key(word).replace(" ", "-")
    for value in option.values:
        if folded == comparison_key(value).replace("_", "-"):
            return value
    printed = fold_word(word)
    for value in option.values:
        if printed in (fold_word(value), *map(fold_word, option.also.get(value, ()))):
            return value
    for value in option.values:
        if option.in_play and comparison_key(word) == comparison_key(option.labels[value]):
            return value
    raise _make_refusal(option, raw, _suggest_value(option, word, folded))


def _suggest_value(option: Option, word: str, folded: str) -> Hint:
    """Return a hint with the value that is most similar to a refused word, or else with the values
    that have another word (`also`) which begins with it: lnlt for `lock`.
    """
    hint = did_you_mean(folded, option.values)
    if hint:
        return hint
    names = [
        value
        for value, words in option.also.items()
        if value in option.values
        and any(fold_word(other).split("-")[0] == fold_word(word) for other in words)
    ]
    return suggest_names(word, names)


def _clean_text(option: Option, raw: object) -> str:
    """Return a typed text or number as text. Raises UserError if it is too long or has control or
    invisible characters.
    """
    if not isinstance(raw, str | int | float) or isinstance(raw, bool):
        raise _make_refusal(option, raw)
    if isinstance(raw, float) and not _is_writable(raw):
        raise _make_refusal(option, raw)
    text = str(raw)
    if len(text) > MAX_TEXT:
        raise UserError(
            f"{option.name} is too long: at most {MAX_TEXT} characters.",
            option=option.name,
            code="too-long",
        )
    if has_control(text):
        raise UserError(
            f"{option.name} contains control or invisible characters.",
            option=option.name,
            code="bad-characters",
        )
    return text


def _clean_file(option: Option, raw: object) -> str:
    """Return the text of a file. Adapters read it from their platform."""
    if not isinstance(raw, str):
        raise _make_refusal(option, raw)
    return raw


CLEANERS: Mapping[str, Callable[[Option, object], Any]] = {
    "int": clean_whole,
    "number": _clean_number,
    "bool": _clean_bool,
    "enum": _clean_enum,
    "str": _clean_text,
    "units": _clean_text,
    "unit": _clean_text,
    "dice": _clean_text,
    "file": _clean_file,
    "mods": lambda _, raw: tuple(split_words(raw)),
}


_KINDS: Mapping[str, tuple[Any, str]] = {
    **dict.fromkeys(("min", "max"), (int | float, "a number")),
    "most": (int, "how many units"),
    **dict.fromkeys(
        ("help", "brief", "brings", "through", "units", "complete", "label", "of", "role"),
        (str, "a text"),
    ),
    **dict.fromkeys(("optional", "free", "form_only"), (bool, "true or false")),
    "meanings": (Mapping, "word: what it means"),
    "likely": (list, "a list of states, markers and types"),
    "lends": (
        Mapping,
        "{from: a unit or a list, type: who lends it, not: a flag, beside: others; carried: weapon, most: who; "
        "riders: vehicles; acquired: who is shot at; holder or held: a list of names; "
        "through: squad, group: squad, number: lr, says: a line's word}",
    ),
    "reads": (Mapping, "word of the related unit: word of the option"),
    "counts": (Mapping, "{from: a list of units, flags: any of these, types: classes or types}"),
    "phases": (
        Mapping,
        "phase: value of the option; own PHASE in the acting side's turn, * for others; for a number: turn",
    ),
}


FIELDS = (
    "help", "brief", "min", "max", "default", "optional", "brings", "units", "complete", "free", "meanings", "label",
    "likely", "lends", "most", "through", "reads", "phases", "counts",
    "form_only", "of", "role",
)  # fmt: skip
"""Keys of an entry that are the fields of an Option."""
FURTHER = ("type", "values", "clamp")


class TokenLists(dict[str, tuple[str, ...]]):
    """The token lists of a game by name. `also` are alternative words of the card for a token."""

    also: Mapping[str, tuple[str, ...]] = {}


def build_option(name: str, spec: Mapping[str, Any], lists: Mapping[str, Iterable[str]]) -> Option:
    """Build an Option from its entry in a YAML file. `values` may name one of the game's token
    lists.

    Raises Slip with the fault of the entry.
    """
    _check_keys(name, spec)
    values = _list_values(name, spec.get("values", ()), lists)
    option_type = _read_type(spec)
    _check_fields(name, spec, option_type, values)
    fields = {key: spec[key] for key in FIELDS if key in spec}
    if isinstance(lists, TokenLists):
        fields["also"] = {value: lists.also[value] for value in values if value in lists.also}
    _check_limits(fields.get("min"), fields.get("max"))
    if "likely" in spec:
        fields["likely"] = tuple(map(str, spec["likely"]))
    clamp = spec.get("clamp") or ""
    if clamp not in (True, "", "high", "low", "both"):
        raise Slip(f"option {name}: clamp must be true, high or low, not {clamp!r}")
    clamp = "both" if clamp is True else clamp
    option = Option(name=name, type=option_type, values=values, clamp=clamp, **fields)
    _check_phases(option)
    if option.role and (option.role not in ROLES or option.type not in ("unit", "units")):
        raise Slip(
            f"option {name}: role must be acts, helps or targets, and the type unit or units"
        )
    _check_default(option)
    return option


def _check_default(option: Option) -> None:
    """Raise Slip if an option cannot have its default; that of `mods` is not checked."""
    if option.default is None or option.type == "mods":
        return
    try:
        clean(option, option.default)
    except UserError as error:
        raise Slip(f"option {option.name}: its default does not fit: {error.message}") from None


def _check_keys(name: Any, spec: Any) -> None:
    """Raise Slip for the name of an option that is not a text, and for an entry that is no mapping or
    has unknown keys.
    """
    if not isinstance(name, str):  # a bare no is false
        raise Slip(f"YAML does not read the name of option {name} as text; quote it")
    if not isinstance(spec, Mapping):
        raise Slip(f"option {name} must be {{type: ..., help: ...}}")
    unknown_keys = set(spec) - {*FIELDS, *FURTHER}
    if unknown_keys:
        key = min(map(str, unknown_keys))
        hint: str = did_you_mean(key, (*FIELDS, *FURTHER))
        if ":" in key:
            hint = "Put a space after the colon."
        raise Slip(f'an option has no key "{key[:40]}". {hint}'.rstrip())


def _read_type(spec: Mapping[str, Any]) -> Any:
    """Return the type in the entry of an option, `str` without one. Raises Slip for an unknown
    type.
    """
    option_type = spec.get("type", "str")
    if option_type == "string":
        return "str"
    if option_type not in list(CLEANERS):
        hint = did_you_mean(str(option_type), CLEANERS) or f"It can be {', '.join(CLEANERS)}."
        raise Slip(f'there is no type "{str(option_type)[:40]}". {hint}')
    return option_type


def _check_fields(
    name: str, spec: Mapping[str, Any], option_type: str, values: tuple[str, ...]
) -> None:
    """Raise Slip if a field in the entry of an option has a value of the wrong kind."""
    for key, (allowed, problem) in _KINDS.items():
        value = spec.get(key)
        if value is None:
            continue
        is_unexpected_bool = allowed is not bool and isinstance(value, bool)
        if is_unexpected_bool or not isinstance(value, allowed):
            raise Slip(f"option {name}: {key} must be {problem}, not {value!r}")
    if "most" in spec and (option_type != "units" or not 1 <= spec["most"] <= MOST_LISTED):
        raise Slip(f"option {name}: most must be how many units a list takes, 1 to {MOST_LISTED}")
    if spec.get("of") not in (None, OF_TARGET, OF_HEX):
        raise Slip(f"option {name}: of must be {OF_TARGET} or {OF_HEX}, not {spec['of']!r}")
    unknown_words = [word for word in spec.get("meanings") or () if word not in values]
    if unknown_words:
        raise Slip(f"option {name} explains {unknown_words[0]}, which is not among its values")


def _check_phases(option: Option) -> None:
    """Raise Slip if a phase fills in a word that is not among the option's values."""
    fillings = option.values if option.type == "enum" else (TURN,)
    for word in option.phases.values():
        if word not in fillings:
            raise Slip(f"option {option.name}: phases has {word}, which is not among its values")


def _check_limits(low: float | None, high: float | None) -> None:
    """Raise Slip if both limits are given and the lower one is above the upper one."""
    if low is not None and high is not None and low > high:
        raise Slip(f"its min, {low}, is above its max, {high}")


def _list_values(name: str, values: Any, lists: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return the tokens of an entry, or of the list that it names. Raises Slip for anything but
    text.
    """
    if isinstance(values, str):
        if values not in lists:
            hint: str = did_you_mean(values, lists)
            if not hint and lists:
                hint = f"Its lists are {', '.join(sorted(lists)[:20])}."
            raise Slip(f"game.yaml has no list {values[:40]}. {hint}".rstrip())
        values = lists[values]
    if not isinstance(values, list | tuple) or any(not isinstance(value, str) for value in values):
        raise Slip(f"option {name} has values that are not text; quote them")
    return tuple(values)
