"""Drawing: matrices, charts, formulas and pages, in the terminal and in a browser. Knows how, not what."""
