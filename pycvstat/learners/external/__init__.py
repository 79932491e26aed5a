"""Anything with fit and predict as a learner: scikit-learn's estimators, pipelines, functions."""
