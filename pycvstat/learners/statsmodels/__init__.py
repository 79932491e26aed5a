"""statsmodels: any of its models as a learner."""
