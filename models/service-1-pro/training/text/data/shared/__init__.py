"""What converters share."""
