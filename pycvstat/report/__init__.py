"""What people see of a result: summaries, reports and pictures, all from its tidy tables."""
