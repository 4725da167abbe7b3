"""How a text feels."""
