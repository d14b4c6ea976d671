"""The paper's own figures as data, a module for each research question."""
