"""Learners: recipes for fitting, all with the protocol of `pycvstat.learners.base`."""
