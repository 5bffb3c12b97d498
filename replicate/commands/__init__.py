"""The commands of ``python -m replicate``: each module declares `arguments` and has a `main` that takes them."""

import sys
from types import ModuleType

# jsonschema, which loads with every notebook, would build forty parsers of web addresses in some two seconds.
sys.modules.setdefault("rfc3987_syntax", ModuleType("rfc3987_syntax"))
