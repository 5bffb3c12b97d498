"""The paper's algorithms: literal learners, kernels, tunings and simulators."""
