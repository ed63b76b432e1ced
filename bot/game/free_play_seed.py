"""The prepared seed for the next free play of a server.

Its commitment is shown before anybody rolls.
"""

from dataclasses import dataclass, field

from bot.rules.proof.fair import compute_commitment


@dataclass(frozen=True, slots=True)
class PreparedSeed:
    """A seed, and the time (Unix seconds) its commitment was first shown.

    The seed itself never leaves the store.
    """

    seed: bytes = field(repr=False)
    announced: int

    @property
    def commitment(self) -> str:
        """Return the commitment to the seed, which may be shown."""
        return compute_commitment(self.seed)

    @property
    def game(self) -> str:
        """Return the id of the free play that will use the seed.

        The id is part of each die, so it follows from the commitment and leaves nothing to choose.
        """
        return self.commitment[:16]
