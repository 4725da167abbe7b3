"""What sort of text it is."""
