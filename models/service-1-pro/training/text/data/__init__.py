"""Public data sets, one converter each: from a snapshot of its repository to rows of the packs' format, with
source and licence.
"""
