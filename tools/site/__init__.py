"""The documentation as a site: the pages of the checkout, its configuration, and the check of
what was built.
"""
