"""Dice and logs that can be proved: seeds, the chain, the export format, the check."""
