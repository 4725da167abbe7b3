"""What follows from a text, of pairs."""
