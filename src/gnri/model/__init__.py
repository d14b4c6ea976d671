"""The trained models, their checkpoints, and the export of scores to rules."""
