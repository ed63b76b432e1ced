"""What is owed to people: receipts shown, and answers on their way, until somebody has seen
them.
"""
