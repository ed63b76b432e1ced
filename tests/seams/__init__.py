"""Features against each other: pairs made from the registry and the data, so that what is added
joins by itself.
"""
