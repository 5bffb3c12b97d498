"""What the errata of this paper share: its name."""

from __future__ import annotations

from functools import partial

from replicate.claims import Erratum

erratum = partial(Erratum)
