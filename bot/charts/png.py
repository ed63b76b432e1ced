"""PNG from SVG, with svg2png-py or resvg-py, whichever is installed (the extra `pictures`)."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

from bot.charts.font import FILES
from bot.charts.svg import Picture
from bot.rules.errors import UserError

LIBRARIES = ("svg2png_py", "resvg_py")
"""The faster library comes first: it loads the fonts once. The other has wheels for more machines."""


@cache
def find_rasterizer() -> str:
    """Return the name of the module that renders PNG, or "" if none is installed."""
    return next((name for name in LIBRARIES if find_spec(name) is not None), "")


def render_png(svg: str) -> bytes:
    """Render SVG text as PNG. Raises UserError if no library for that is installed."""
    library = find_rasterizer()
    if library == "svg2png_py":
        import svg2png_py

        return bytes(svg2png_py.svg_to_png(svg, _load_fonts()))
    if library == "resvg_py":
        import resvg_py

        fonts = [str(file) for file in FILES.values()]
        return bytes(
            resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=fonts)
        )
    hint = 'To add them: pip install "grognard[pictures]". Files that end in .svg work without it.'
    raise UserError("Pictures are not installed here.", hint=hint, code="no-pictures")


def render_picture_png(draw: Callable[..., Picture], *arguments: Any) -> tuple[bytes, str]:
    """Call `draw` with the arguments, and return its picture as PNG with the alternative text.

    Worker processes call this. Raises UserError if no library that renders PNG is installed.
    """
    picture = draw(*arguments)
    return render_png(picture.svg), picture.alt


@cache
def _load_fonts() -> Any:
    """Load our own fonts and no others, so that every host draws the same."""
    import svg2png_py

    fonts = svg2png_py.FontDatabase()
    for file in FILES.values():
        fonts.load_font_file(str(file))
    return fonts
