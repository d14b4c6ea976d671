"""Boolean rules: what they are, what they mean, how they are compared, written and read."""
