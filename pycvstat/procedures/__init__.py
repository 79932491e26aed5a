"""Procedures: the engine over a fold plan, and what is that engine with another plan or learner.

May import the rooms below. New here: a question asked of learners and folds, with a result of its
own; the engine itself is in `engine`, and nothing else runs fits.
"""
