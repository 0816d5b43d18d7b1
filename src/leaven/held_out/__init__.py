"""What held-out labels tell: weights of experts, expected accuracy, whether EM helps."""
