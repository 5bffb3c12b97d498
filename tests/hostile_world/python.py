"""Environments of Python: flags, locales, versions."""

from tests.hostile_world.frame import Row

ASCII = {"LC_ALL": "C", "LANG": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

ROWS = [
    Row("Python", "without docstrings", "claims --help", says="usage", flags="-OO"),
    Row("Python", "without assertions", "play --list", says="prefix_softmax", flags="-O", long=True),
    Row("Python", "an ASCII locale", "play --list", says="prefix_softmax", env=ASCII),
    Row("Python", "a mistake is one line", "claims XX-1", says="unknown claim", exit=2),
]
