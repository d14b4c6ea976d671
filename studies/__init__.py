"""Research around gnri: training, the paper's tables, benchmarks, public data sets."""
