"""Commands to copy, as each platform takes them where they are read; and the parser reads all."""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.text.phrase import Phrase, Typed
from bot.ui.reply.parts import Entry, Grid, Small
from bot.ui.reply.reply import Button, Reply
from bot.ui.typing.command_text import parse_text
from bot.ui.typing.command_writer import CommandReader, write_command, write_commands


@pytest.mark.parametrize(
    ("text", "on_discord"),
    [
        (
            '/game start lnlt "Hill 875" sides="US, VC"',
            "/game start system:lnlt name:Hill 875 sides:US, VC",
        ),
        ("/log 10 page=2", "/log count:10 page:2"),
        ("/roll 2d6 + 3 label=fate", "/roll dice:2d6 + 3 label:fate"),
        (
            "/lnlt-table melee-odds attack=7 defense=5",
            "/lnlt-table combat melee-odds attack:7 defense:5",
        ),
        ("/unit edit us1 shaken moved", "/unit edit name:us1 stats:shaken moved"),
        ("/game undo", "/game undo"),
        ("/game link abc123", "/game link code:abc123"),
        ("roll 2d6", "/roll dice:2d6"),
        ("/lnlt nonsense x=1", "/lnlt nonsense x=1"),
        ("hand=4,1,?", "hand=4,1,?"),
        ('/few shoot targets="Gun 1; Gun 2" hand=4', "/few shoot targets:Gun 1; Gun 2 hand:4"),
        ("/game nonsense=1", "/game nonsense=1"),
    ],
)
def test_on_discord_each_value_is_behind_the_name_of_its_option(text: str, on_discord: str) -> None:
    assert write_command(text, CommandReader.DISCORD, load_shared_registry()) == on_discord


def test_flags_that_discord_has_no_room_for_go_into_mods() -> None:
    typed = write_command(
        '/lnlt fire attackers="US Squad 3; us4" targets=vc5 tm=1 adjacent no_hero rubber_boat',
        CommandReader.DISCORD,
        load_shared_registry(),
    )
    assert typed.startswith("/lnlt fire attackers:US Squad 3; us4 targets:vc5 tm:1 adjacent:True ")
    assert typed.split("mods:")[1].split()[0] == "rubber_boat"


@pytest.mark.parametrize(
    ("reader", "text", "written"),
    [
        (CommandReader.SLACK, "/roll 2d6", "/roll 2d6"),
        (CommandReader.SLACK, "roll 2d6", "/roll 2d6"),
        (CommandReader.SLACK, "/me ping off", "/grognard me ping off"),
        (CommandReader.SLACK, "/a-pack fire us1", "/grognard a-pack fire us1"),
        (CommandReader.SLACK, "/invite @Grognard", "/invite @Grognard"),
        (CommandReader.SLACK, "/game link ABC", "/game link code:ABC"),
        (CommandReader.SLACK, "/seek link ABC", "/seek link code:ABC"),
        (CommandReader.MENTION, "/game link off", "@grognard game link off"),
        (CommandReader.DISCORD, "/game link off", "/game link code:off"),
        (CommandReader.MENTION, "/roll 2d6", "@grognard roll 2d6"),
        (CommandReader.MENTION, "/fire us1 vc1", "@grognard fire us1 vc1"),
        (CommandReader.MENTION, "/invite @Grognard", "/invite @Grognard"),
        (CommandReader.DIRECT, "/game start lnlt", "game start lnlt"),
        (CommandReader.CONSOLE, "/unit edit us1 fp=2", "unit edit us1 fp=2"),
        (CommandReader.CONSOLE, "hand=4,1", "hand=4,1"),
    ],
)
def test_each_reader_gets_what_works_there(reader: CommandReader, text: str, written: str) -> None:
    assert write_command(text, reader, load_shared_registry()) == written


@pytest.mark.parametrize(
    ("colons", "plain"),
    [
        ("lnlt fire attackers:us3; us4 targets:vc5 tm:1", 'lnlt fire "us3; us4" vc5 tm=1'),
        ("lnlt fire attackers:us3 targets:vc5 adjacent tm=1", "lnlt fire us3 vc5 adjacent tm=1"),
        ("lnlt fire attackers:us3 targets:vc5 adjacent:True", "lnlt fire us3 vc5 adjacent=True"),
        ('lnlt fire attackers:"Rifle 1" targets: vc5', 'lnlt fire "Rifle 1" vc5'),
        ("lnlt fire us3 mods:adjacent no_hero targets:vc5", "lnlt fire us3 adjacent no_hero vc5"),
        ("roll dice:2d6 + 3 label:fate", "roll 2d6 + 3 label=fate"),
        ("unit edit name:Rifle 1 stats:shaken fp=2", 'unit edit "Rifle 1" shaken fp=2'),
        ("unit add name:Rifle 9 type:squad side:US stats:fp=2", 'unit add "Rifle 9" squad US fp=2'),
        ("unit list side:US shaken", "unit list side=US shaken"),
        ('unit list hex:"Hill 5"', 'unit list hex:"Hill 5"'),
        ("game link code:ABC123", "game link ABC123"),
        (
            "order write command:lnlt fire attackers:us1",
            'order write command="lnlt fire attackers:us1"',
        ),
        ("macro add name:h text:lnlt fire attackers:us1", "macro add h lnlt fire attackers:us1"),
    ],
)
def test_the_parser_reads_colons_as_it_reads_equals_signs(colons: str, plain: str) -> None:
    assert parse_text(colons, load_shared_registry()) == parse_text(plain, load_shared_registry())


def test_every_command_in_a_reply_is_written_and_nothing_else_is_changed() -> None:
    text, on_discord = "/unit add us1 squad", "/unit add name:us1 type:squad"

    def build(command: str) -> Reply:
        typed = Typed(command)
        return Reply(
            text,
            (Phrase("Type: ", typed), Small(typed), Entry("us1", "", Phrase(typed)), text),
            by=Phrase("as in ", typed),
            instead=Reply("late", (typed,)),
            buttons=(Button(f"say:{text}", "Add"),),
        )

    written = write_commands(build(text), CommandReader.DISCORD, load_shared_registry())
    assert written.to_json() == build(on_discord).to_json()


def test_a_reply_without_commands_is_the_same_object() -> None:
    sentence = Phrase("6 against 4")
    reply = Reply("Squad 1 is shaken", (sentence, Grid((("a", "b"),))), footer=("#3",))
    assert write_commands(reply, CommandReader.MENTION, load_shared_registry()) is reply
