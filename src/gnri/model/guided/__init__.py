"""The model `guided`: a network over literals that sees counts alone."""
