"""New facts for a model that is trained."""
