"""Session frames: AI coding sessions as versioned files in git."""

__version__ = "0.1.0"
