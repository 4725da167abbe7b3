"""Control ids and sizes that the model, its training and its export share.

The engine has the same table in src/backends/onnx/families/decision/control-tokens.ts.
"""

# Word pieces come first; control ids lie behind them, so no text can become one.
VOCABULARY, ROWS = 8128, 8192
STATE, QUESTION, OPTION, READOUT, IMAGE, IMAGE_START, IMAGE_END, END = range(8128, 8136)
# The id of the first kind; those of the other kinds follow in the order of KINDS.
FIRST_KIND = 8136
# fmt: off
KINDS = (
    "binary", "exclusive", "ordinal", "independent", "span", "spans", "box", "boxes", "text", "int", "number", "date",
    "list",
)
# fmt: on
# The first four kinds are scored: their logits are read from readout tokens.
SCORED = 4

# Similarities of an option and the state, and features that all options of a question share.
SIMILARITIES, PAIRS = 5, 4
# Length of the appearance embedding of a cell.
APPEARANCE = 32
# Pieces that one cell may spell.
SPELLED = 8
# Length of the spelling code of a piece, and number of attributes of a cell (ticked, an error, a circle).
CODE_WIDTH, ATTRIBUTES = 192, 64
# Geometry of a cell or word: centre x, centre y, width, height, 1 for the global view, aspect of the picture.
GEOMETRY = 6
# Layout of a word: x, y and height, left and right end of its line (in heights of the picture), number of the picture.
LAYOUT = 6

# Row and column relations of two words (layout.py), then with both of a table at once, then those of an option.
RELATIONS = 6
RELATED = RELATIONS + 1
OPTION_RELATIONS = RELATED + 4
# In heights of a word: how far apart ends or middles of two lines of one column may be; from which distance a word is
# above or below; what is near to the side; what is near above.
COLUMN_REACH, ABOVE, NEAR_ALONG, NEAR_ABOVE = 1.5, 0.6, 10, 3

# Reaches of convolutions, in tokens: from a name to the value behind it; from a name to what is beside it; from a name
# to what is said about it; half the length of a long name.
AFTER, AROUND, OVERLAP_WITHIN, NAME = 6, 16, 32, 4
