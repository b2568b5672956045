"""Entities that training did not see."""
