"""Pure operations: a frame in, a frame or a view out."""
