"""The standing challenge: anybody's learner, in one file, against the learner that is advised."""
