"""The ladder, as values that need no store: results of games, ratings, standings, scenario balance,
and the file in which they are exported.
"""
