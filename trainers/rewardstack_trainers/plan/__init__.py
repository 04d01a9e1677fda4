"""How much memory a run needs on a card: estimated term by term, before anything is loaded."""
