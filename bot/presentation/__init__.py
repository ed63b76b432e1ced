"""What a roll, a lookup or a combat sequence comes to, as values: the answer, and what the log
keeps of it.
"""
