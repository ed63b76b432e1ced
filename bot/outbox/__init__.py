"""The outbox: receipts shown and answers on their way, until somebody has seen the answers."""
