"""This process and its host: settings, log lines, release, file rights, chance."""
