"""One HTML page about a classifier, with nothing in it to load or to run."""
