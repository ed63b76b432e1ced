"""Where Grognard is at home: each adapter turns a platform's payloads into commands and replies
into messages.
"""
