"""The paper's family of models."""
