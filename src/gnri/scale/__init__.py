"""Rules from tables that do not fit in memory: the same rules, from parts on disk or a cluster."""
