"""What a customer wants."""
