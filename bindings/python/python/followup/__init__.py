"""Shows a language model's question while the model is still writing it."""
