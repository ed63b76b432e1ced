"""The console as a player uses it: a script from standard input, completion while typing, files."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from rich.console import Console

from adapters.console.completer import ConsoleCompleter, find_open_value
from adapters.console.screen import format_bottom_line
from adapters.console.session import PLACE, Session, read_file
from bot.cli.terminal import print_reply, save_files
from bot.commands.dispatch import load_shared_registry
from bot.rules.inputs.units import RosterUnit
from bot.ui.reply.reply import Button, File, Reply
from bot.ui.spec import Person, Place
from bot.ui.typing.complete import CompletionContext, list_unit_groups
from tests.adapters import nursery
from tests.fresh import fresh_app
from tests.refusing import refuses

pytestmark = pytest.mark.scenes(10)

ROSTER = (
    RosterUnit("Squad 1", "us1", "squad", "US"),
    RosterUnit("NVA 1", "vc1", "squad", "VC"),
)


def play(*lines: str | bytes, words: tuple[str, ...] = ()) -> str:
    """What the console prints for a script; it must end by itself, without a traceback, and its
    exit status says whether a command was refused."""
    script = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    status, printed, errors = nursery.run("play", *words, cwd=Path.cwd(), script=script)
    assert status == (1 if "\nError: " in printed and lines != ("tutorial",) else 0), errors
    assert "Traceback" not in errors
    return printed


def complete(text: str, known: CompletionContext | None = None) -> list[str]:
    completer = ConsoleCompleter(load_shared_registry(), known or CompletionContext())
    return [choice.text for choice in completer.get_completions(Document(text), CompleteEvent())]


def test_the_tutorial_plays_a_real_fire_attack() -> None:
    shown = play("tutorial")
    assert "to shake or hurt the leader" in shown
    assert "The squad takes casualties, the leader is shaken · 2 squads fire" in shown
    assert "Did you mean fire?" in shown


def test_a_game_is_kept_from_one_evening_to_the_next() -> None:
    first = play(
        'game start lnlt "Hill 875" sides="US, VC"', "game join US", "as Bao", "game join VC"
    )
    assert "Bao plays VC" in first
    second = play("game status", "lnlt fire attackers=x targets=y")
    assert '"Hill 875": turn 1' in second
    assert "US: Player" in second


def test_only_the_owner_manages() -> None:
    shown = play('game start lnlt Hill sides="US, VC"', "as Bao", "game settings answers=compact")
    assert "Only the game master" in shown
    assert "Type: as Player" in shown


def test_a_line_may_be_copied_with_the_prompt_before_it() -> None:
    shown = play("> roll 2d6", "Player> roll 3d6", "as Anna", "Anna> roll 4d6", ">  roll 5d6")
    assert "Error: " not in shown
    for dice in ("2d6", "3d6", "4d6", "5d6"):
        assert f"rolls {dice}" in shown


@pytest.mark.parametrize(
    "line",
    [
        "lnlt fire attackers='squad",
        b"\xff\xfe roll \x00 2d6",
        "roll " + "(" * 5_000,
        "x" * 1_000_000,
        "as " + "n" * 50,
        "press nothing:1",
        "game import file=/nowhere/at/all.json",
        "unit import file=/etc/passwd",
    ],
)
def test_mistakes_are_one_clear_error(line: str | bytes) -> None:
    shown = play(line, "roll 1d1")
    assert "Error: " in shown
    assert "[1]" in shown, "the evening goes on"


def test_invisible_characters_are_not_read() -> None:
    assert "Error" not in play("\u202eroll\u200b 2d6")


def test_play_takes_only_a_name() -> None:
    assert "You are" not in play("roll d6", words=("--as", "Anna"))
    assert "Anna rolls d6" in play("roll d6", words=("--as", "Anna"))


def test_words_without_their_option_are_completed() -> None:
    assert complete("game start ln") == ["lnlt"]
    assert complete("help bap") == ["baps", "baps-table"]
    assert complete("unit add Bob half", CompletionContext(system="lnlt")) == ["half-squad"]
    assert "good-order-mmc" in complete("lnlt-table dct ")


def test_commands_and_options_are_completed() -> None:
    assert "/roll" in complete("/ro")
    assert complete("lnlt fi") == ["fire", "fire-mission"]
    found = complete("lnlt-table melee-o")
    assert found == ["melee-odds", "melee-odds-ratio"], "by id and title, without its group"
    assert "attackers=" in complete("lnlt fire att")
    assert "target_moved" in complete("lnlt fire attackers=x target_")
    assert "attackers=" not in complete("lnlt fire attackers=x att")
    assert complete("lnlt fire shooter=sn") == ["sniper"]
    assert complete("nonsense ") == []


def test_units_are_completed_own_first_for_attackers() -> None:
    known = CompletionContext(roster=ROSTER, own_side="US")
    assert complete('lnlt fire attackers="', known)[:2] == ["Squad 1", "NVA 1"]
    assert complete('lnlt fire targets="', known)[:2] == ["NVA 1", "Squad 1"]
    assert complete('lnlt fire targets="NVA 1; s', known)[0] == "NVA 1; Squad 1"
    assert "squad morale=" in complete('lnlt fire targets="squad mor')


def test_a_name_with_a_blank_is_completed_in_quotes() -> None:
    known = CompletionContext(roster=ROSTER, own_side="US")
    assert complete("lnlt fire attackers=", known)[0] == '"Squad 1"'
    assert complete("lnlt fire attackers=Sq", known)[0] == '"Squad 1"'


def test_which_value_is_open() -> None:
    assert find_open_value('attackers="squad fp=4" targets="squad mo') == ("targets", "squad mo", 8)
    assert find_open_value("tm=1 ") == ("", "", 0)


def test_an_answer_is_shown_as_it_is() -> None:
    """Markup in what a player typed is text, and an error is told by a word, not by colour
    alone.
    """
    out = io.StringIO()
    console = Console(file=out, width=200)
    print_reply(
        console,
        Reply(
            "[bold]Anna[/bold]: 2d6 = 7",
            ("[red]x",),
            footer=("#1",),
            buttons=(Button("again:1", "Again"),),
        ),
    )
    print_reply(console, Reply("wrong", error=True, private=True))
    assert "[bold]Anna[/bold]: 2d6 = 7" in out.getvalue()
    assert "Error: wrong" in out.getvalue()


def test_u_and_undo_are_about_who_types() -> None:
    """The last answer, which has *Undo* too, is another player's."""
    begin = (
        'game start lnlt "Hill 875" sides="US, VC"',
        "game join US",
        "unit add Sq squad US morale=5 fp=2",
    )
    shown = play(*begin, "as Bao", "game join VC", "roll 2d6", "as Player", "u", "undo", "1")
    assert shown.count('Undo #3, "Player (US): Sq added"?') == 2
    assert "#3 is undone · Player" in shown


async def test_a_pasted_block_runs_line_by_line_up_to_one_that_fails() -> None:
    out = io.StringIO()
    app = await fresh_app()
    session = Session(app, Console(file=out, width=200), "Anna", Path(), terminal=True)
    try:
        assert await session.run_block("> roll 1d1\nAnna rolls d1\n> as Ben\n> roll 2d1\n")
        assert "Ben rolls 2d1" in out.getvalue()
        assert (out.getvalue().count("rolls"), session.draft, session.failed) == (2, "", False)
        assert await session.run_block("roll 3d1\nrol 4d1\nroll 5d1\nroll 6d1")
        assert "Enter runs the other 2 lines, below." in out.getvalue()
        assert out.getvalue().count("rolls") == 3
        rest = session.draft
        assert rest == "roll 5d1\nroll 6d1"
        assert await session.run_block(rest)
        assert out.getvalue().count("rolls") == 5
        assert not await session.run_block("roll 7d1\nq\nroll 8d1")
        assert out.getvalue().count("rolls") == 6
    finally:
        await app.close()


async def test_a_letter_stands_for_a_button_of_the_last_answer() -> None:
    out = io.StringIO()
    app = await fresh_app()
    session = Session(app, Console(file=out, width=200), "Anna", Path(), terminal=True)
    try:
        await session.run_line("roll 1d1")
        assert "#2" in out.getvalue()
        assert "a again   u undo" in out.getvalue()
        await session.run_line("a")
        assert out.getvalue().count("Anna rolls d1") == 2
        await session.run_line("x")
        assert "Error: " in out.getvalue()
    finally:
        await app.close()


async def test_a_menu_is_listed_by_numbers_and_a_number_chooses() -> None:
    out = io.StringIO()
    app = await fresh_app()
    session = Session(app, Console(file=out, width=200), "Anna", Path(), terminal=True)
    try:
        for line in (
            "game start lnlt X",
            "unit add A squad morale=5 fp=2",
            'unit add "B 1..2" squad morale=12',
        ):
            await session.run_line(line)
        await session.run_line('lnlt fire A "B 1" hand=6,1,2')
        assert "a again   c change   o odds   u undo   t other target" in out.getvalue()
        await session.run_line("t")
        assert "1  B 2" in out.getvalue()
        assert "Type t and a number to choose: t 1" in out.getvalue()
        await session.run_line("t 1")
        assert "B 2" in out.getvalue().split("t and a number")[1]
        await session.run_line("c")
        assert session.draft == 'lnlt fire attackers=A targets="B 2" ', "the next word can follow"
    finally:
        await app.close()


async def test_dice_by_hand_go_on_by_typing_the_next_number() -> None:
    out = io.StringIO()
    app = await fresh_app()
    session = Session(app, Console(file=out, width=200), "Anna", Path(), terminal=True)
    try:
        await session.run_line('lnlt fire "squad fp=2" "squad morale=12" hand=6')
        assert "Got 1 die. Next: defense (d6)" in out.getvalue()
        assert "1-6 the die   s start over" in out.getvalue()
        await session.run_line("1")
        await session.run_line("2")
        assert "squad fires" in out.getvalue()
        await session.run_line("roll 2d20 hand=7,?")
        await session.run_line("20")
        assert "27 · Anna rolls" in out.getvalue()
    finally:
        await app.close()


async def test_an_error_has_letters_too() -> None:
    out = io.StringIO()
    app = await fresh_app()
    session = Session(app, Console(file=out, width=200), "Anna", Path(), terminal=True)
    try:
        for line in (
            "game start lnlt X",
            "unit add Alpha squad morale=5 fp=2",
            "unit add Bravo squad morale=12",
        ):
            await session.run_line(line)
        await session.run_line("lnlt fire Alpha Bravoo hand=6,1,2")
        assert "1 fire at Bravo   2 fix it" in out.getvalue()
        await session.run_line("2")
        assert session.draft == "lnlt fire attackers=Alpha hand=6,1,2 targets=", (
            "Enter alone is not refused once more"
        )
        assert "Continue with the line below" in out.getvalue()
        await session.run_line("1")
        assert "Alpha fires" in out.getvalue()
    finally:
        await app.close()


@pytest.mark.parametrize("terminal", [True, False])
async def test_a_pipe_is_told_what_to_type_and_no_keys(terminal: bool) -> None:
    out = io.StringIO()
    app = await fresh_app()
    session = Session(app, Console(file=out, width=200), "Anna", Path(), terminal=terminal)
    try:
        for line in (
            "game start lnlt X",
            "unit add Alpha squad morale=5 fp=2",
            "unit add Bravo squad morale=12",
        ):
            await session.run_line(line)
        await session.run_line("lnlt fire Alpha Bravo hand=6,1,2")
        await session.run_line("c")
        assert ("Tab shows what fits" in out.getvalue()) is terminal
        assert ("Type: lnlt fire attackers=Alpha" in out.getvalue()) is not terminal
    finally:
        await app.close()


async def test_the_bottom_line_says_where_the_game_is_and_who_types() -> None:
    app = await fresh_app()
    session = Session(app, Console(file=io.StringIO()), "Anna", Path())
    try:
        assert (
            format_bottom_line(await app.get_completion_context(PLACE, session.player), "Anna")
            == " you are Anna    ? help "
        )
        await session.run_line('game start lnlt "Hill 875" sides=US,VC')
        await session.run_line("game join US")
        said = format_bottom_line(await app.get_completion_context(PLACE, session.player), "Anna")
        assert said.startswith(" Hill 875 · turn 1, Rally phase")
        assert "you are Anna (US)" in said
    finally:
        await app.close()


def test_long_lines_break_at_blanks_commands_too() -> None:
    out = io.StringIO()
    print_reply(
        Console(file=out, width=30, force_terminal=True),
        Reply("x", (f'/lnlt fire attackers="{"squad; " * 6}" tm=1',)),
    )
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in out.getvalue().splitlines()]
    assert max(map(len, lines)) <= 30
    assert not any(line.endswith("squ") for line in lines)


def test_files_never_overwrite_nor_leave_their_folder(tmp_path: Path) -> None:
    reply = Reply("export", files=(File("../game.json", "1"), File("game.json", "2")))
    first, second = save_files(reply, tmp_path / "files")
    assert first == tmp_path / "files" / "game.json"
    assert second == tmp_path / "files" / "game-2.json"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"\xff\xfe\x00")
    with refuses("not-text x.bin"):
        read_file(str(tmp_path / "x.bin"))


async def test_an_answered_request_leaves_the_keys_of_the_card(tmp_path: Path) -> None:
    app, screen = await fresh_app(), io.StringIO()
    session = Session(app, Console(file=screen, width=200), "Anna", tmp_path)
    for line in (
        "game start lnlt scenario=ford",
        "as Ben",
        "game start lnlt scenario=ford",
        "as Anna",
        "1",
    ):
        await session.run_line(line)
    keys = session.keys
    assert "join US" in keys.format_keys()
    await session.show_news()
    assert session.keys is keys
    assert "\nAnna starts it: A new game\n" in screen.getvalue()
    await app.close()


async def test_what_was_played_elsewhere_in_a_linked_game_is_shown_once(tmp_path: Path) -> None:
    app, there = await fresh_app(), Place("slack:T1/C1", "slack:T1", "#games")
    screen = io.StringIO()
    session, ben = (
        Session(app, Console(file=screen, width=200), "Anna", tmp_path),
        Person("slack:T1/U1", "Ben", manager=True),
    )
    await app.run_text('game start lnlt "Hill 875"', session.player, PLACE, "a0")
    asked = await app.run_text("game link", session.player, PLACE, "a1")
    linked = await app.run_text(f"game link {asked.title.split()[-1]}", ben, there, "b1")
    assert not linked.error, linked.format_text()
    assert not (await app.run_text("roll 2d6 label=fate", ben, there, "b2")).error
    await session.show_news()
    await session.show_news()
    assert screen.getvalue().count("fate") == 1
    assert not await app.answers.claim_due(PLACE.key)
    await app.close()


async def test_letters_mean_the_same_at_any_time() -> None:
    """n next, p pass, u undo, a again, o odds: whatever was answered last; what has no letter
    has a number.
    """
    out = io.StringIO()
    app = await fresh_app()
    session = Session(app, Console(file=out, width=200), "Anna", Path(), terminal=True)

    async def told(line: str) -> str:
        start = len(out.getvalue())
        assert await session.run_line(line)
        return out.getvalue()[start:]

    try:
        begun = await told("game start scenario=ford")
        assert "1 join US   2 join VC" in begun
        assert "n next phase" in begun
        assert "Anna plays US" in await told("1")
        assert "Operations" in await told("n"), "its button is under an older answer"
        shot = await told("lnlt fire us1 vc1 hand=6,1,2")
        assert "a again" in shot
        assert "o odds" in shot
        await told("unit list")
        assert "◀ this roll" in await told("o")
        assert "Rifle 1" in await told("a")
        assert "undone" in await told("u") or "Undo" in out.getvalue()
        assert "at any time" in await told("help console")
        assert "Ready: Rifles 2 + 3" in await told("board")
        assert not await session.run_line("q")
    finally:
        await app.close()


def test_completion_knows_the_sides() -> None:
    units = [
        RosterUnit(f"{stem} {at}", f"{side.casefold()}{at}", "squad", side)
        for side, stem in (("US", "Rifle"), ("VC", "Local"))
        for at in (1, 2, 3)
    ]
    mine, theirs = (
        [value for _, value in list_unit_groups("", units, units, "US", acting=acting)]
        for acting in (True, False)
    )
    assert "Rifle 1..3" in mine
    assert "Local 1..3" not in mine
    assert "Local 1..3" in theirs
    assert "Rifle 1..3" not in theirs


def test_the_story_of_an_ended_game_is_shown_and_its_files_are_for_their_owner_alone() -> None:
    shown = play(
        'game start lnlt "Hill 875" sides="US, VC"', "game join US", "game export json", "roll 2d6", "game export json",
        "game end winner=US reveal confirm", "game export json",
    )  # fmt: skip
    assert "Hill 875 is over: US wins on turn 1" in shown
    assert [part.count("fair reveal") for part in shown.split("Hill 875 as JSON")[1:]] == [0, 1, 0]
    files = [Path(line.split("saved as ")[1]) for line in shown.splitlines() if "saved as" in line]
    assert [file.suffix for file in files] == [".json", ".json", ".html", ".json"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert "was open to others" not in play("game status")


def test_a_file_of_commands_is_typed_and_stops_at_the_first_that_fails(tmp_path: Path) -> None:
    good, bad, nested = (tmp_path / name for name in ("good.txt", "bad.txt", "nested.txt"))
    good.write_text("# the ford\n\ngame start lnlt scenario=ford\ngame join US\n", "utf-8")
    bad.write_text("roll 1d1\nlnlt fier\nroll 2d1 label=Beyond\n", "utf-8")
    nested.write_text(f"source {good}\n", "utf-8")
    assert "> game join US" in play(f"source {good}")
    shown = play(f"source {bad}", "roll 3d1")
    assert f"Stopped at line 2 of {bad}. Everything before it was played." in shown
    assert "Beyond" not in shown
    assert "3d1" in shown, "the console goes on"
    assert "cannot source another" in play(f"source {nested}")
    assert "source needs a file" in play("source")
    assert "cannot be read" in play("source /nowhere/at.all")
    good.write_text("roll 1d1\n" * 1_001, "utf-8")
    assert "1,001 commands" in play(f'source "{good}"')
    good.write_text("roll 1d1\nquit\n", "utf-8")
    assert "Beyond" not in play(f"source {good}", "roll 2d1 label=Beyond"), "quit leaves, as typed"


async def run_lines(*lines: str) -> list[str]:
    """What a session without a terminal prints for each line; "" for one that leaves."""
    output = io.StringIO()
    app = await fresh_app()
    session = Session(app, Console(file=output, width=200), "Player", Path())
    printed = []
    try:
        for line in lines:
            start = len(output.getvalue())
            await session.run_line(line)
            printed.append(output.getvalue()[start:])
    finally:
        await app.close()
    return printed


async def test_a_pipe_shows_what_can_be_typed_under_a_question() -> None:
    """Other answers have no keys in a pipe."""
    started, phase, status, end, over = await run_lines(
        "game start lnlt scenario=ford", "game next", "game status", "game end", "game start lnlt X"
    )
    assert "1 join" not in started
    assert "1 initiative" in phase
    assert "Waiting for you: Who has the initiative?" in status
    assert "1 initiative" in status
    assert "1 US won   2 VC won" in end
    assert 'Start "X" here?' in over
    assert "1 start it   2 keep playing" in over


async def test_the_console_answers_the_words_of_other_programs() -> None:
    *kept, left = await run_lines("save", "load", "quit now")
    assert all("Every step is saved by itself" in text for text in kept)
    assert left == ""
    _, saves = await run_lines("game start ucn Saint-Lo", "save")
    assert "by itself" not in saves, "a save roll of that game"


async def test_help_in_the_console_names_letters_instead_of_buttons() -> None:
    odds, undo = await run_lines("help odds", "help undo")
    assert "Type r below the odds" in odds
    assert "Type u under a result, or type game undo" in undo
    assert not [line for line in (odds + undo).splitlines() if "Press" in line]
