"""A bare discord.py client, driven through the stand-in: commands, buttons, forms, and one
answer in time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest

from tests.standins.discord import Answer, DiscordStandIn, NotPossible
from tests.standins.discord.examples import Asked, bot, echo


@pytest.fixture
async def standin() -> AsyncIterator[DiscordStandIn]:
    """A stand-in with one server; no request may have been for a route it lacks."""
    async with DiscordStandIn.running() as running:
        yield running
    assert running.site.unknown == []


def button(label: str, custom_id: str) -> discord.ui.View:
    """A view with one button that never times out."""
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label=label, custom_id=custom_id))
    return view


# commands


async def test_login_ready_slash_and_answer(standin: DiscordStandIn) -> None:
    standin.add_guild("Second")
    table = standin.channel("table")
    anna, ben = standin.user("Anna"), standin.user("Ben")
    async with bot(standin, echo) as client:
        assert {guild.name for guild in client.guilds} == {"Wargamers", "Second"}
        assert client.get_channel(table.id) is not None
        asked = await anna.slash(table, "roll", dice="2d6")
        assert asked.receipt is not None
        assert asked.receipt < 1
        answer = await asked.answer()
        assert "'value': '2d6'" in answer.text
        assert answer in ben.sees(table)


async def test_a_command_carries_its_path_types_place_and_permissions(
    standin: DiscordStandIn,
) -> None:
    seen: list[Asked] = []

    async def answer(interaction: Asked) -> None:
        seen.append(interaction)
        await echo(interaction)

    table = standin.channel("table")
    thread = standin.thread("Kursk", table)
    anna = standin.user("Anna", manage_guild=True)
    async with bot(standin, answer):
        await anna.slash(table, "lnlt fire", attackers="squad fp=4", odds=True, fire_power=12)
        await anna.slash(thread, "tables", "unit", "show", name="1st")
        await anna.slash(anna.dm(), "lnlt", "fire", {"fire-power": 3})
        standin.permit_bot(table, send_messages=False)
        await standin.user("Ben").slash(table, "lnlt fire")
    in_table, in_thread, in_dm, by_ben = seen
    assert in_table.data is not None
    assert in_table.data["options"] == [  # type: ignore[typeddict-item]
        {
            "type": 1,
            "name": "fire",
            "options": [
                {"name": "attackers", "type": 3, "value": "squad fp=4"},
                {"name": "odds", "type": 5, "value": True},
                {"name": "fire-power", "type": 4, "value": 12},
            ],
        }
    ]
    assert in_table.permissions.manage_guild
    assert in_table.app_permissions.send_messages
    assert isinstance(in_thread.channel, discord.Thread)
    assert isinstance(in_dm.channel, discord.DMChannel)
    assert in_dm.guild is None
    assert in_dm.user.name == "Anna"
    assert not by_ben.permissions.manage_guild
    assert not by_ben.app_permissions.send_messages


async def test_what_the_client_would_not_send_is_not_possible(standin: DiscordStandIn) -> None:
    table, anna = standin.channel("table"), standin.user("Anna")
    async with bot(standin):
        for path, options in (
            ("unknown", {}),
            ("lnlt", {}),
            ("lnlt assault", {}),
            ("roll", {}),
            ("roll", {"dice": "2d6", "sides": "US"}),
            ("roll", {"dice": "2d6", "times": "two"}),
            ("roll", {"dice": "2d6", "times": 10}),
            ("setup", {}),
        ):
            with pytest.raises(NotPossible):
                anna.send(table, path, **options)
        anna.permit(standin.guild, manage_guild=True).send(table, "setup")
        with pytest.raises(NotPossible):
            anna.send(anna.dm(), "setup")


async def test_an_attached_file_can_be_read(standin: DiscordStandIn) -> None:
    async def answer(interaction: Asked) -> None:
        data: Any = interaction.data
        (file,) = data["resolved"]["attachments"].values()
        content = await discord.Attachment(data=file, state=interaction._state).read()
        await interaction.response.send_message(
            content.decode(), file=discord.File(__file__, "copy.txt")
        )

    async with bot(standin, answer):
        asked = await standin.user("Anna").slash(
            standin.channel(), "import", file=("units.csv", b"name,fp")
        )
        found = await asked.answer()
    assert found.text == "name,fp"
    assert found.files["copy.txt"].startswith(b'"""A bare')


async def test_defer_then_follow_up_takes_the_placeholders_place(standin: DiscordStandIn) -> None:
    async def answer(interaction: Asked) -> None:
        await interaction.response.defer(thinking=True)
        await asyncio.sleep(0.05)
        await interaction.followup.send("first", ephemeral=True)
        await interaction.followup.send("second", ephemeral=True)

    table, anna, ben = standin.channel(), standin.user("Anna"), standin.user("Ben")
    async with bot(standin, answer):
        asked = await anna.slash(table, "roll", dice="2d6")
        assert asked.answer_kind is Answer.THINKING
        assert asked.original is not None
        assert asked.original.loading
        await standin.until(lambda: len(asked.messages) == 2)
    assert [m.text for m in ben.sees(table)] == ["first"]
    assert [m.text for m in anna.sees(table)] == ["first", "second"]


async def test_a_public_placeholder_can_go_and_the_error_come_privately(
    standin: DiscordStandIn,
) -> None:
    async def answer(interaction: Asked) -> None:
        await interaction.response.defer(thinking=True)
        await interaction.delete_original_response()
        await interaction.followup.send("No such unit.", ephemeral=True)

    table, anna, ben = standin.channel(), standin.user("Anna"), standin.user("Ben")
    async with bot(standin, answer):
        asked = await anna.slash(table, "roll", dice="2d6")
        assert (await asked.answer()).ephemeral
    assert ben.sees(table) == []
    assert [m.text for m in anna.sees(table)] == ["No such unit."]


async def test_private_answers_are_edited_only_through_their_token(standin: DiscordStandIn) -> None:
    errors: list[int] = []

    async def answer(interaction: Asked) -> None:
        await interaction.response.send_message("private", ephemeral=True)
        original = await interaction.original_response()
        assert isinstance(interaction.channel, discord.TextChannel)
        try:
            await interaction.channel.get_partial_message(original.id).edit(content="public?")
        except discord.NotFound as error:
            errors.append(error.code)
        await interaction.edit_original_response(content="still private")

    async with bot(standin, answer):
        asked = await standin.user("Anna").slash(standin.channel(), "roll", dice="2d6")
        await standin.until(lambda: bool(asked.messages and asked.messages[0].edits))
    assert errors == [10008]
    assert asked.messages[0].text == "still private"
    assert asked.messages[0].ephemeral


async def test_autocomplete(standin: DiscordStandIn) -> None:
    values: list[Any] = []

    async def answer(interaction: Asked) -> None:
        assert interaction.type is discord.InteractionType.autocomplete
        data: Any = interaction.data
        values.append(data["options"])
        await interaction.response.autocomplete(
            [discord.app_commands.Choice(name="two dice", value="2d6")]
        )

    anna, table = standin.user("Anna"), standin.channel()
    async with bot(standin, answer):
        choices = await anna.autocomplete(table, "roll", "dice", "2d", times=2)
        assert [(choice.name, choice.value) for choice in choices] == [("two dice", "2d6")]
        await anna.autocomplete(table, "tables unit show", "name", "1")
        with pytest.raises(NotPossible):
            await anna.autocomplete(table, "lnlt fire", "attackers", "s")
    assert values[0][1] == {"name": "dice", "type": 3, "value": "2d", "focused": True}
    assert values[1][0]["options"][0]["options"][0]["focused"]


# buttons, selects, forms


async def test_a_button_updates_its_message(standin: DiscordStandIn) -> None:
    async def answer(interaction: Asked) -> None:
        if interaction.type is discord.InteractionType.application_command:
            await interaction.response.send_message("once", view=button("Again", "again:1"))
        else:
            await interaction.response.edit_message(content="twice", view=None)

    table, anna, ben = standin.channel(), standin.user("Anna"), standin.user("Ben")
    async with bot(standin, answer):
        message = await (await anna.slash(table, "roll", dice="2d6")).answer()
        assert list(message.buttons) == ["Again"]
        pressed = await ben.press(message, "Again")
        assert await pressed.answer() is message
        assert pressed.answer_kind is Answer.UPDATE
        assert message.text == "twice"
        with pytest.raises(NotPossible):
            await ben.press(message, "Again")


async def test_only_its_reader_presses_a_private_button(standin: DiscordStandIn) -> None:
    async def answer(interaction: Asked) -> None:
        if interaction.type is discord.InteractionType.application_command:
            await interaction.response.send_message(
                "form", view=button("Roll it", "roll:1"), ephemeral=True
            )
        else:
            await interaction.response.defer()
            await interaction.delete_original_response()
            await interaction.followup.send("rolled")

    table, anna = standin.channel(), standin.user("Anna")
    async with bot(standin, answer):
        form = await (await anna.slash(table, "roll", dice="2d6")).answer()
        with pytest.raises(NotPossible):
            await standin.user("Ben").press(form, "Roll it")
        rolled = await (await anna.press(form, "roll:1")).answer()
    assert rolled.text == "rolled"
    assert anna.sees(table) == [rolled]


async def test_select_then_a_form_with_a_select_in_a_label(standin: DiscordStandIn) -> None:
    got: list[Any] = []

    class Numbers(discord.ui.Modal, title="Numbers"):
        power: discord.ui.Label[Any] = discord.ui.Label(
            text="Firepower", component=discord.ui.TextInput(custom_id="fp", max_length=3)
        )
        cover: discord.ui.Label[Any] = discord.ui.Label(
            text="Cover",
            component=discord.ui.Select(
                custom_id="cover",
                options=[discord.SelectOption(label="Woods", value="w")],
                required=False,
                min_values=0,
            ),
        )

    async def answer(interaction: Asked) -> None:
        data: Any = interaction.data
        if interaction.type is discord.InteractionType.application_command:
            view = discord.ui.View(timeout=None)
            options = [discord.SelectOption(label=f"unit {n}", value=str(n)) for n in range(25)]
            view.add_item(discord.ui.Select(custom_id="units", options=options, max_values=3))
            await interaction.response.send_message("choose", view=view, ephemeral=True)
        elif interaction.type is discord.InteractionType.component:
            got.append(data["values"])
            await interaction.response.send_modal(Numbers(custom_id="numbers"))
        else:
            got.append(data["components"])
            await interaction.response.edit_message(content="done", view=None)

    table, anna = standin.channel(), standin.user("Anna")
    async with bot(standin, answer):
        form = await (await anna.slash(table, "roll", dice="2d6")).answer()
        with pytest.raises(NotPossible):
            await anna.select(form, "units", ["1", "2", "3", "4"])
        opened = await anna.select(form, "units", ["unit 3", "7"])
        assert opened.modal["title"] == "Numbers"
        with pytest.raises(NotPossible):
            await anna.submit_modal(opened, {"fp": "1234"})
        with pytest.raises(NotPossible):
            await anna.submit_modal(opened, {"fp": "12", "cover": ["Hill"]})
        sent = await anna.submit_modal(opened, {"Firepower": "12", "cover": ["Woods"]})
        assert (await sent.answer()).text == "done"
    assert got[0] == ["3", "7"]
    fp, cover = (label["component"] for label in got[1])
    assert (fp["custom_id"], fp["value"]) == ("fp", "12")
    assert (cover["custom_id"], cover["values"]) == ("cover", ["w"])


# one answer, in time


async def test_a_second_first_response_is_refused(standin: DiscordStandIn) -> None:
    codes: list[tuple[int, int]] = []

    async def answer(interaction: Asked) -> None:
        try:
            await echo(interaction)
        except discord.HTTPException as error:
            codes.append((error.status, error.code))

    standin.deliver_twice()
    table = standin.channel()
    async with bot(standin, answer):
        asked = await standin.user("Anna").slash(table, "roll", dice="2d6")
        await standin.until(lambda: bool(asked.refused) and bool(codes))
    assert codes == [(400, 40060)]
    assert len(standin.messages(table)) == 1


async def test_a_late_first_response_is_refused() -> None:
    codes: list[int] = []

    async def answer(interaction: Asked) -> None:
        await asyncio.sleep(0.3)
        try:
            await echo(interaction)
        except discord.NotFound as error:
            codes.append(error.code)

    async with DiscordStandIn.running(receipt_limit=0.2) as standin, bot(standin, answer):
        asked = await standin.user("Anna").slash(standin.channel(), "roll", dice="2d6")
        assert asked.failed
        await standin.until(lambda: bool(asked.refused))
    assert codes == [10062]


async def test_a_token_lives_15_minutes(standin: DiscordStandIn) -> None:
    codes: list[int] = []

    async def answer(interaction: Asked) -> None:
        await echo(interaction)
        standin.clock.advance(899)
        await interaction.edit_original_response(content="in time")
        standin.clock.advance(2)
        try:
            await interaction.followup.send("too late")
        except discord.HTTPException as error:
            codes.append(error.code)
        assert isinstance(interaction.channel, discord.TextChannel)
        await interaction.channel.send("late")

    table = standin.channel()
    async with bot(standin, answer):
        await standin.user("Anna").slash(table, "roll", dice="2d6")
        await standin.until(lambda: len(standin.messages(table)) == 2)
    assert codes == [50027]
    assert [m.text for m in standin.messages(table)] == ["in time", "late"]


async def test_a_response_must_fit_its_interaction(standin: DiscordStandIn) -> None:
    class Empty(discord.ui.Modal, title="T"):
        field: discord.ui.TextInput[Any] = discord.ui.TextInput(label="L")

    codes: list[int] = []

    async def answer(interaction: Asked) -> None:
        wrong: Any = Empty()
        try:
            await interaction.response.send_modal(wrong)
        except discord.HTTPException as error:
            codes.append(error.code)

    async with DiscordStandIn.running(receipt_limit=0.3) as quick, bot(quick, answer):
        asked = quick.user("Anna").complete(quick.channel(), "roll", "dice", "2")
        await asked.first_response()
        assert asked.failed
    assert codes == [50035]
