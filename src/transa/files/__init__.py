"""Files written whole or not at all, and where this user's copies are."""
