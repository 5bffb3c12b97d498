"""The commands of ``python -m replicate``: each module declares `arguments` and has a `main` that takes them."""

import sys
from types import ModuleType

# jsonschema, which nbformat loads, takes two seconds to build forty parsers of web addresses, none of which a
# notebook's schema asks for. It does without them where the package that holds them has nothing to import.
sys.modules.setdefault("rfc3987_syntax", ModuleType("rfc3987_syntax"))
