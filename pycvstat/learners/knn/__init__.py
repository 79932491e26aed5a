"""k nearest neighbours as kknn computes them: search with its ties, kernels, votes, the learner."""
