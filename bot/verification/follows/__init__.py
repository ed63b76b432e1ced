"""Who may do what: whether each event may follow on those before it."""
