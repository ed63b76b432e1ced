"""The prepared seed for the next free play of a server, as documents in the store."""

from bot.game.free_play_seed import PreparedSeed
from bot.runtime.entropy import create_seed
from bot.storage.records import Commit, Doc
from bot.storage.store import Store
from bot.ui.spec import Place

PREPARED = "prepared"
"""The kind of the document that holds the prepared seed of a server."""
UNUSED = "prepared-unused"
"""The kind of a document by commitment that is deleted on use, so that no seed is used twice."""


def prepare_seed(timestamp: float) -> PreparedSeed:
    """Create a seed with its commitment shown from `timestamp` on."""
    return PreparedSeed(create_seed(), int(timestamp))


def build_seed_docs(seed: PreparedSeed, place: Place) -> list[Doc]:
    """Build the documents that store the seed. They are deleted with the server."""
    owner = get_seed_owner(place)
    data = {"seed": seed.seed.hex(), "announced": seed.announced}
    return [
        Doc(PREPARED, owner, data, None, owner),
        Doc(UNUSED, seed.commitment, {}, None, owner),
    ]


def get_seed_owner(place: Place) -> str:
    """Return the owner of a prepared seed: the server, else the place; the person in their own
    play.
    """
    return place.server or (place.owner if place.is_own else place.key)


async def load_next_seed(store: Store, place: Place) -> PreparedSeed | None:
    """Load the seed for the next free play in a place, None if there is none yet."""
    doc = await store.load_doc(PREPARED, get_seed_owner(place))
    if doc is None:
        return None
    return PreparedSeed(bytes.fromhex(doc.data["seed"]), int(doc.data["announced"]))


async def ensure_next_seed(store: Store, place: Place, timestamp: float) -> PreparedSeed:
    """Load the seed for the next free play, and create and store one if there is none.

    The caller must show its commitment.
    """
    seed = await load_next_seed(store, place)
    if seed is None:
        seed = prepare_seed(timestamp)
        await store.commit(Commit(docs=build_seed_docs(seed, place)))
    return seed
