"""What a session came to, read from its turns without a model."""
