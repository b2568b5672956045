"""Pictures; they need the extra `figures`."""
