"""One local page on which people see their rule and watch it keep its promise."""
