"""Tables: files and frames to columns, columns to atoms."""
