"""Every setting: its name, its type, its default and what it is for."""
