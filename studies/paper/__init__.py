"""The paper's tables and figures again, ours beside the paper's, from committed rows."""
