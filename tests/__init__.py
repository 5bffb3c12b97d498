"""The tests; also without `make`, linear algebra is done in one thread, before anything imports NumPy."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
