"""What the files of a pack may say: one definition for the JSON Schemas and for the page that
lists every key.
"""
