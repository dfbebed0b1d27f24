"""The only input and output: files, git, the index."""
