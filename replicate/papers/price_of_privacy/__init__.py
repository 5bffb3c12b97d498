"""The exact price of privacy: the least worst-case regret of every private learner, in small games."""
