"""How a judge is asked: what it is shown, how it is called, what its reply is worth."""
