"""`/macro`: saved commands with gaps, run as if they had been typed by whoever runs them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from adapters.console.completer import ConsoleCompleter
from bot.commands.dispatch import load_shared_registry
from bot.execution.budgets import Budgets
from bot.preferences.macros import MOST_OWN
from bot.ui.form.form import Room, build_form
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec, Place
from bot.ui.typing.complete import CompletionContext
from bot.ui.typing.macro import FAMILIES, LONGEST, MOST_GAPS, PATHS, Macro
from tests.playing import Channel, two_sides

HITS = 'macro add h "roll {n=1}d10>=8 hand={dice}"'


async def managed(channel: Channel, line: str) -> Reply:
    """The answer to a line of a manager's, which may not fail."""
    reply = await channel.say("Host", line, manager=True)
    assert not reply.error, reply.format_text()
    return reply


@pytest.mark.parametrize(
    "line",
    [
        'macro run h n=3 dice="9,8,2"',
        'macro run h 3 "9,8,2"',
        'macro run h dice="9,8,2" 3',
        'macro h 3 "9,8,2"',
        'h 3 "9,8,2"',
        '/H n=3 dice="9,8,2"',
        'macro run name=h values="3 9,8,2"',
    ],
)
async def test_a_macro_is_run_with_its_gaps_filled_in_order_or_by_name(line: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", HITS)
    rolled = await channel.do("Anna", line)
    assert rolled.title == "2 successes"
    assert not rolled.private


async def test_the_log_and_again_have_what_was_run() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", HITS, 'h 2 "9,1"')
    assert "2d10>=8" in (await channel.do("Anna", "log")).format_text()
    again = await channel.do("Anna", "again")
    assert "2d10>=8" in again.format_text(), "without the dice by hand"


async def test_a_gap_has_its_default_or_is_asked_for() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", HITS)
    rolled = await channel.do("Anna", "h dice=8")
    assert rolled.title == "1 success"
    refused = await channel.refused("Anna", "h 3", "missing dice")
    assert "The macro h needs dice." in refused.format_text()
    await channel.refused("Anna", "h 3 9,9,9 more", "unknown-option values")
    await channel.refused("Anna", "h dic=9", "unknown-option values")
    await channel.refused("Anna", "h 3 n=4", "given-twice values")


async def test_a_gap_that_is_left_empty_takes_its_option_along() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", "macro add f lnlt fire attackers={who} targets={whom} tm={tm=} hand={dice}"
    )
    shot = await channel.do("Anna", 'f us1 vc1 dice="2,5"')
    assert "terrain" not in shot.format_text()
    covered = await channel.do("Anna", 'f us1 vc1 tm=2 dice="2,5"')
    assert "terrain" in covered.format_text()


@pytest.mark.parametrize(
    "nasty", ['x" hand=1 secret', "<@123> @everyone", "`rm` */_~", "{n} {dice}", "a; b = c"]
)
async def test_what_fills_a_gap_stays_one_value(nasty: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "macro add say roll {n=1}d6 label={why} hand=4")
    spec = channel.app.find_spec(("macro", "run"))
    rolled = await channel.app.run_parsed(
        spec, {"name": "say", "why": nasty}, channel.who("Anna"), channel.place, "nasty"
    )
    assert not rolled.error, rolled.format_text()
    assert rolled.title == f"4 for {nasty}"
    assert not rolled.private


async def test_own_macros_go_before_the_servers_and_only_managers_change_those() -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", 'macro add w "roll 1d6 hand=2" server', "not-manager server")
    await managed(channel, 'macro add w "roll 1d6 hand=2" server')
    assert (await channel.do("Anna", "w")).title == "2"
    await channel.do("Anna", 'macro add w "roll 1d6 hand=6"')
    assert (await channel.do("Anna", "w")).title == "6"
    assert (await channel.do("Bob", "w")).title == "2"
    listed = (await channel.do("Anna", "macro list")).format_text()
    assert "1 of your own, 1 of the server's" in listed
    assert "w: roll 1d6 hand=2 (yours is run instead)" in listed
    await channel.do("Anna", "macro remove w")
    await channel.refused("Anna", "macro remove w", "not-yours server")
    await channel.refused("Anna", "macro remove w server", "not-manager server")
    await managed(channel, "macro remove w server")
    await channel.refused("Anna", "macro run w", "unknown-macro name")
    assert (await channel.do("Anna", "macro list")).title == "No macros yet"


async def test_ones_own_go_along_to_other_servers_and_direct_messages() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'macro add h "roll 1d6 hand=5"')
    await managed(channel, 'macro add w "roll 1d6 hand=2" server')
    aside = Channel(channel.app, Place("console:dm/anna", "", "", owner="console:anna"), "dm")
    assert (await aside.do("Anna", "h")).title == "5"
    await aside.refused("Anna", "macro run w", "unknown-macro name")
    await aside.refused("Anna", 'macro add w "roll 1d6" server', "no-server server")


async def test_a_macro_runs_once_however_often_it_is_delivered_even_when_it_is_gone() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'macro add d "roll 10d10"')
    who, place = channel.who("Anna"), channel.place
    first = await channel.app.run_text("d", who, place, "once")
    second = await channel.app.run_text("macro run d", who, place, "once")
    assert second.seen
    assert second.format_text() == first.format_text()
    await channel.do("Anna", "macro remove d")
    third = await channel.app.run_text("macro run d", who, place, "once")
    assert third.seen
    assert third.format_text() == first.format_text()
    assert (await channel.game()).last == 2, "free play began, one roll"


async def test_it_runs_as_who_runs_it() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await managed(channel, "macro add shake unit edit {who} shaken server")
    await channel.refused("Carl", "shake us1", "not-player")
    await channel.do("Anna", "shake us1")
    shown = await channel.do("Anna", "unit show us1")
    assert "shaken" in shown.format_text()


SAVED = [spec for spec in load_shared_registry() if spec.family in FAMILIES or spec.path in PATHS]


@pytest.mark.sample(6)
@pytest.mark.parametrize("spec", SAVED, ids=lambda spec: " ".join(spec.path))
def test_every_command_of_play_can_be_a_macro(spec: CommandSpec) -> None:
    macro = Macro("x", spec.example.removeprefix("/"))
    assert macro.check(load_shared_registry()).path == spec.path
    assert macro.build_command({}, load_shared_registry()).spec.path == spec.path


@pytest.mark.parametrize(
    "text",
    [
        "macro run h",
        "macro add x roll",
        "privacy delete confirm",
        "game end confirm",
        "game delete confirm",
        "fair reveal",
        "setup systems lnlt",
        "pack remove few",
        "game settings hand_dice=no",
        "me ping off",
        "order open",
        "help dice",
    ],
)
async def test_nothing_else_can(text: str) -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", f'macro add x "{text}"', "not-in-macro text")


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ('macro add "two words" "roll 2d6"', "bad-name name"),
        ('macro add @everyone "roll 2d6"', "bad-name name"),
        ('macro add roll "roll 2d6"', "name-taken name"),
        ('macro add lnlt "roll 2d6"', "name-taken name"),
        ('macro add list "roll 2d6"', "name-taken name"),
        ('macro add x "{what} 2d6"', "unknown-command"),
        ('macro add x "roll {values}d6"', "bad-value text"),
        ('macro add x "roll {two words}d6"', "bad-value text"),
        ('macro add x "roll {n d6"', "bad-value text"),
        ('macro add x "roll {n=2d6"', "bad-value text"),
        ('macro add x "lnlt fire depth=3"', "unknown-option depth"),
        ('macro add x "lnlt fire tm={tm=99}"', "bad-value tm"),
        ('macro add x "log count=many"', "bad-value count"),
        ('macro add x "  "', "missing text"),
        (
            f'macro add x "roll {"+".join(f"{{g{n}}}d6" for n in range(MOST_GAPS + 1))}"',
            "too-many text",
        ),
        (f'macro add x "roll 2d6 label={"x" * LONGEST}"', "too-long text"),
    ],
)
async def test_what_is_wrong_is_said_when_it_is_saved(line: str, refused: str) -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", line, refused)


async def test_there_is_room_for_so_many() -> None:
    channel = await Channel.fresh()
    spec = channel.app.find_spec(("macro", "import"))
    who, place = channel.who("Anna"), channel.place
    lines = "\n".join(f"m{n}: roll {n}d6" for n in range(1, MOST_OWN + 1))
    saved = await channel.app.run_parsed(spec, {"file": lines}, who, place, "i1")
    assert saved.title == f"{MOST_OWN} macros saved"
    await channel.refused("Anna", 'macro add more "roll 2d6"', "too-many")
    assert (await channel.do("Anna", 'macro add m1 "roll 9d6"')).title == "Macro m1 is changed"


async def test_a_file_of_macros_is_exported_and_brought_in_elsewhere_whole_or_not_at_all() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", HITS, "macro add f lnlt fire attackers={who} targets={whom} adjacent")
    [file] = (await channel.do("Anna", "macro export")).files
    text = file.data.decode()
    assert text.splitlines() == [
        "f: lnlt fire attackers={who} targets={whom} adjacent",
        "h: roll {n=1}d10>=8 hand={dice}",
    ]
    spec, host = channel.app.find_spec(("macro", "import")), channel.who("Host", manager=True)

    async def bring(text: str, request: str, **more: Any) -> Reply:
        return await channel.app.run_parsed(
            spec, {"file": text, **more}, host, channel.place, request
        )

    faulty = await bring(f"# ours\n\n{text}x: privacy delete\n", "i1", server=True)
    assert faulty.error
    assert faulty.format_text().startswith("Line 5: /privacy delete cannot be a macro.")
    assert (await channel.do("Bob", "macro list")).title == "No macros yet"
    brought = await bring(f"# ours\n\n{text}", "i2", server=True)
    assert brought.title == "2 macros saved"
    assert (await channel.do("Bob", "h dice=9")).title == "1 success"
    for wrong in ("", "# nothing", "h roll 2d6", "\n" * 2_000 + "h: roll 2d6"):
        assert (await bring(wrong, f"w{len(wrong)}")).error


async def test_privacy_shows_exports_and_deletes_ones_own() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", HITS)
    await managed(channel, 'macro add w "roll 1d6 hand=2" server')
    assert "macros: 1." in (await channel.do("Anna", "privacy show")).format_text()
    [file] = (await channel.do("Anna", "privacy export")).files
    kept = [
        doc["data"]["text"] for doc in json.loads(file.data)["documents"] if doc["kind"] == "macro"
    ]
    assert kept == ["roll {n=1}d10>=8 hand={dice}"]
    await channel.do("Anna", "privacy delete confirm")
    await channel.refused("Anna", "macro run h dice=8", "unknown-macro name")
    assert (await channel.do("Anna", "w")).title == "2", "the server's stays"


async def test_names_and_gaps_are_completed() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", HITS, 'macro add wound "roll 1d6 hand=2"')
    app, who, place = channel.app, channel.who("Anna"), channel.place
    names = await app.complete_option(("macro", "run"), "name", "", {}, who, place)
    assert [(choice.name, choice.value) for choice in names] == [
        ("h: roll {n=1}d10>=8 hand={dice}", "h"),
        ("wound: roll 1d6 hand=2", "wound"),
    ]
    gaps = await app.complete_option(("macro", "run"), "values", "n=2 d", {"name": "h"}, who, place)
    assert [choice.value for choice in gaps] == ["n=2 dice="]
    commands = await app.complete_option(("macro", "add"), "text", "lnlt mora", {}, who, place)
    assert "lnlt morale-check" in [choice.value for choice in commands]

    completer = ConsoleCompleter(
        app.registry, CompletionContext(macros=await app.load_macros(who, place))
    )

    def tab(line: str) -> list[str]:
        return [one.text for one in completer.get_completions(Document(line), CompleteEvent())]

    assert "wound" in tab("wo")
    assert tab("macro run w") == ["wound"]
    assert tab("macro h ")[:2] == tab("h ")[:2] == tab("macro run h ")[:2] == ["n=1", "dice="]


async def test_its_form_asks_for_each_gap_as_for_what_it_fills() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "macro add f lnlt fire attackers={who} targets={whom} tm={tm=1}")
    typed = await channel.app.parse_line("f who=us1", channel.place, channel.who("Anna"))
    assert typed.options == {"name": "f", "who": "us1"}
    known = await channel.app.get_completion_context(channel.place, channel.who("Anna"))
    form = build_form(typed.spec, typed.options, known, Room())
    assert form.title == "Macro f"
    asked = {field.name: (field.kind, field.label, field.needed) for field in form.fields}
    assert asked["who"][0] == asked["whom"][0] == "picks"
    assert asked["who"][1:] == ("Who's firing", True)
    assert asked["tm"][0] == "number"
    assert not asked["tm"][2]


def test_help_tells_of_them() -> None:
    from bot.commands.help.help import show_help

    assert "/macro run h n=3" in show_help("macro run", load_shared_registry()).format_text()


async def test_it_costs_what_it_runs() -> None:
    channel = await Channel.fresh()
    channel.app.executor.budgets = Budgets(6, lambda: 0.0)
    await channel.do(
        "Anna",
        'macro add o lnlt fire attackers="squad fp=2" targets="squad morale=5" odds',
        "o",
        "o",
    )
    await channel.refused("Anna", "o", "over-budget")
    await channel.do("Anna", "roll 2d6")
