"""The symmetric search for rules on integer counts."""
