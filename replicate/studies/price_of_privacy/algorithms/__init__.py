"""The program: histories and their relabellings, the linear program, certificates, the optimal learner."""
