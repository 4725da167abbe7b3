"""Names of inputs and outputs of the shipped graphs that differ from the words used in this code.

The engine and older exports use these names, so they stay.
"""

# [S,2] terms of lexical overlap (Decision.overlap_terms).
OVERLAP_TERMS = "echo"
# [S] the image cell of a cell, or of a word the one it stands in.
CELL_INDEX = "looks"
# [S,LAYOUT] layouts of words (decision.batches.layouts_of).
LAYOUTS = "spots"
# [B,R] readout tokens as rows of [B·T], and 1 for each that is there, 0 for padding.
READOUTS, READOUT_WEIGHTS = "marks", "mark_weights"
