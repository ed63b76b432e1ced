"""What a message may hold."""

from __future__ import annotations

from tests.standins.discord.components import check_components
from tests.standins.discord.errors import ApiError, Json, Problems
from tests.standins.discord.mentions import check_rules
from tests.standins.discord.state import COMPONENTS_V2

FILE_SIZE = 10 * 1024 * 1024
FILES = 10
EMBEDS_TOGETHER = 6000


def check_message(body: Json, sizes: list[int], *, flags: int, at: str = "") -> None:
    """Refuse a message body that Discord would refuse; `at` is where it sits ("data." in a
    callback).

    Raises ApiError 50035, or 40005 for files that are too large.
    """
    if any(size > FILE_SIZE for size in sizes) or sum(sizes) > FILES * FILE_SIZE:
        raise ApiError(413, 40005, "Request entity too large")
    problems = Problems()
    if len(sizes) > FILES:
        problems.add(
            f"{at}attachments", "BASE_TYPE_MAX_LENGTH", f"Must be {FILES} or fewer in length."
        )
    if body.get("content") is not None:
        problems.length(f"{at}content", body["content"], 0, 2000)
    check_embeds(problems, f"{at}embeds", body.get("embeds") or [])
    check_components(
        problems, f"{at}components", body.get("components") or [], v2=bool(flags & COMPONENTS_V2)
    )
    check_rules(problems, f"{at}allowed_mentions", body.get("allowed_mentions"))
    if body.get("nonce") is not None and len(str(body["nonce"])) > 25:
        problems.add(f"{at}nonce", "NONCE_TYPE_TOO_LONG", "Nonce must be at most 25 characters.")
    if flags & COMPONENTS_V2 and (body.get("content") or body.get("embeds")):
        text = "The 'content' and 'embeds' fields cannot be used when using MessageFlags.IS_COMPONENTS_V2"
        problems.add(f"{at}content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", text)
    problems.done()


def check_embeds(problems: Problems, where: str, embeds: list[Json]) -> None:
    """Note what is wrong with the embeds, each and together."""
    if len(embeds) > 10:
        problems.add(where, "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
    for number, embed in enumerate(embeds):
        _check_embed(problems, f"{where}.{number}", embed)
    if sum(embed_size(embed) for embed in embeds) > EMBEDS_TOGETHER:
        text = f"Embed size exceeds maximum size of {EMBEDS_TOGETHER}"
        problems.add(f"{where}.{len(embeds) - 1}", "MAX_EMBED_SIZE_EXCEEDED", text)


def _check_embed(problems: Problems, where: str, embed: Json) -> None:
    for key, high in (("title", 256), ("description", 4096)):
        if embed.get(key) is not None:
            problems.length(f"{where}.{key}", embed[key], 0, high)
    fields = embed.get("fields") or []
    if len(fields) > 25:
        problems.add(f"{where}.fields", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    for number, entry in enumerate(fields):
        problems.length(
            f"{where}.fields.{number}.name", str(entry.get("name") or "").strip(), 1, 256
        )
        problems.length(
            f"{where}.fields.{number}.value", str(entry.get("value") or "").strip(), 1, 1024
        )
    if embed.get("footer"):
        problems.length(f"{where}.footer.text", embed["footer"].get("text"), 0, 2048)
    if embed.get("author"):
        problems.length(f"{where}.author.name", embed["author"].get("name"), 1, 256)
    color = embed.get("color")
    if color is not None and not (isinstance(color, int) and 0 <= color <= 0xFFFFFF):
        problems.add(
            f"{where}.color",
            "NUMBER_TYPE_MAX",
            "int value should be less than or equal to 16777215.",
        )


def embed_size(embed: Json) -> int:
    """The characters of an embed that count towards 6,000."""
    texts = [embed.get("title"), embed.get("description")]
    texts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    for entry in embed.get("fields") or []:
        texts += [entry.get("name"), entry.get("value")]
    return sum(len(text.strip()) for text in texts if text)
