"""Questions that people asked about a passage; rules and a case; who is meant."""
