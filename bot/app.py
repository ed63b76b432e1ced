"""Runs commands: finds the handler, gives it dice and the channel's game, hands back the reply."""

from __future__ import annotations

from collections.abc import Mapping

from bot.charts import system
from bot.command import Command, CommandSpec, Path, Person, Place
from bot.commands.outcome import Outcome
from bot.complete import Known
from bot.registry import Registry, registry
from bot.reply import Reply, error_reply
from bot.roller import throwaway
from bot.rules.errors import UserError
from bot.text import parse_text


class App:
    """The bot behind every adapter."""

    def __init__(self) -> None:
        self.registry: Registry = registry()

    @classmethod
    async def open(cls, settings: object) -> App:
        """An app on the store that the settings name."""
        del settings
        return cls()

    async def close(self) -> None:
        """Finish what runs and close the store."""

    async def known(self, place: Place, who: Person) -> Known:
        """What this channel knows that can be completed while typing."""
        del place, who
        return Known()

    async def press(self, action: str, who: Person, where: Place, request_id: str) -> Reply:
        """Run what a button stands for."""
        del who, where, request_id
        return error_reply(UserError(f'There is no button "{action[:40]}" here.'))

    async def delivered_all(self, prefix: str) -> None:
        """All answers to places that begin with `prefix` have been shown."""

    async def run_typed(
        self,
        spec: CommandSpec,
        options: Mapping[str, object],
        who: Person,
        where: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
    ) -> Reply:
        """Run a command whose options have been read from text or a form."""
        return await self.run(Command(spec.path, options, who, where, request_id, delivery or {}))

    async def run_text(
        self, text: str, who: Person, where: Place, request_id: str, delivery: Mapping[str, object] | None = None
    ) -> Reply:
        """Run a command given as text; bad text is answered privately."""
        try:
            typed = parse_text(text, self.registry)
        except UserError as error:
            return error_reply(error)
        return await self.run(Command(typed.spec.path, typed.options, who, where, request_id, delivery or {}))

    async def run(self, command: Command) -> Reply:
        """Run a command once; errors of a player come back as private replies."""
        try:
            return self._handle(command).reply
        except UserError as error:
            return error_reply(error)

    def spec(self, path: Path) -> CommandSpec:
        """The command with this path. Raises UserError with the nearest spelling."""
        found = self.registry.get(path)
        if found is None:
            found, _ = self.registry.find(path)
        return found

    def _handle(self, command: Command) -> Outcome:
        spec = self.spec(command.path)
        who = command.who.name
        if spec.family == "roll":
            from bot.commands.roll import roll_dice

            return roll_dice(command.options, who, throwaway())
        if spec.family == "lookup":
            from bot.commands.lookup import read_table

            game = system(spec.system)
            return read_table(game.table(spec.target), command.options, who, throwaway(), game.title)
        if spec.family == "sequence":
            from bot.commands.sequence import run_sequence

            sequence = system(spec.system).sequence(spec.target)
            return run_sequence(sequence, spec, command.options, who, throwaway(), {})
        if spec.family == "help":
            from bot.commands.help import show_help

            return Outcome(show_help(str(command.options.get("topic") or ""), self.registry))
        raise UserError(f"{spec.name} is not here yet.")
