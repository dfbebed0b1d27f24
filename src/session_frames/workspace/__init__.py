"""One repository seen through frames: one method a verb; returns values, never prints."""
