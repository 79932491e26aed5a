"""The arithmetic of linear learners: pure functions on arrays, no frames and no classes."""
