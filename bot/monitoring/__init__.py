"""What a host sees of a running bot: a line per command, health, figures. Imported only where
somebody looks.
"""
