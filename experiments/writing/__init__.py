"""Tables and pictures, from records."""
