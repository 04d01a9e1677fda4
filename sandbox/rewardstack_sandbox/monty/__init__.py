"""Programs run by Monty, an interpreter of a part of Python written in Rust: another kind of candidate, same oracle."""
