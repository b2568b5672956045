"""How good a model is: link prediction and its reports."""
