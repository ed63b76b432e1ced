"""The import of tables of other programs (a sheet, BCDice, Foundry, SealDice): from a text to YAML
and questions.
"""

from bot.packs.importing.detect_format import Imported, import_tables

__all__ = ["Imported", "import_tables"]
