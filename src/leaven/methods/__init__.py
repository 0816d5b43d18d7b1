"""The registry of methods, and what works with all of them: training, comparing, diagnosing."""
