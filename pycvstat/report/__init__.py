"""What people see of a result: summaries, reports and pictures, all from its tidy tables.

May import the rooms below. New here: what a kind of result says of itself, a picture, a format.
"""
