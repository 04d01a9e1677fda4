"""What a run learns from: tasks and their rewards, rows and prompts, ways to vary a question."""
