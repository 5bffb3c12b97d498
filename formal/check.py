"""Check the formal proofs: ``make formal``, or ``python3 formal/check.py [--write]``. Needs Coq, and no package.

Every file is compiled in a fresh folder. What each statement rests on (``Print Assumptions``), the hash of every
file and the numbers that ``numbers.v`` computes must be those of ``checked.txt`` and ``numbers.json``; ``--write``
renews these two.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED = "formal: needs Coq; Debian: apt-get install --no-install-recommends coq libcoq-coquelicot libcoq-interval"
REALS = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""The axioms of Coq's real numbers. All other axioms must be those of the machine's integers and floats."""
MACHINE = ("PrimInt63.", "Uint63.", "Sint63.", "PrimFloat.", "FloatOps.", "FloatAxioms.", "PrimArray.", "PArray.")
GROUPS = ("reals", "reals and machine integers")
"""What a statement may rest on: the second only where it uses interval arithmetic."""
LEFT_OUT = (
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|bypass_check)\b|\b(Uns|S)et +\w+ +Checking\b"
)
"""What leaves a proof out, or adds an axiom, in Coq."""


def code(text: str) -> str:
    """Return a file's text without its comments, which nest."""
    kept, depth = [], 0
    for piece in re.split(r"(\(\*|\*\))", text):
        depth += {"(*": 1, "*)": -1}.get(piece, 0)
        if depth == 0 and piece != "*)":
            kept.append(piece)
    return "".join(kept)


def left_out(text: str) -> list[str]:
    """Return words of a file that leave a proof out or add an axiom; variables are allowed in sections alone."""
    found, depth = [match[0] for match in re.finditer(LEFT_OUT, code(text))], 0
    for match in re.finditer(r"(?:^|\.)\s*(?:(Section)|(End)|(Variables?|Hypothes[ie]s|Context))\b", code(text)):
        depth += (match[1] is not None) - (match[2] is not None)
        found += [match[3]] if match[3] and not depth else []
    return found


def statements(text: str) -> dict[str, str]:
    """Return the statement of every theorem of a file, spaces made single."""
    found = re.findall(r"\bTheorem\s+(\w+)\s*(.*?)\.\s+Proof\b", code(text), re.DOTALL)
    return {name: " ".join(said.removeprefix(":").split()) for name, said in found}


def quoted() -> list[dict[str, str]]:
    """Return the statements that are quoted for readers."""
    listed: list[dict[str, str]] = tomllib.loads((HERE / "statements.toml").read_text(encoding="utf-8"))[
        "statement"
    ]
    return listed


def files() -> dict[str, str]:
    """Return the text of every file of proofs."""
    return {str(path.relative_to(HERE)): path.read_text(encoding="utf-8") for path in sorted(HERE.rglob("*.v"))}


def compiled(folder: Path, name: str) -> str:
    """Compile a file of a folder; return what it prints."""
    options = ["-q", "-w", "none", "-Q", ".", "Formal"]
    done = subprocess.run(["coqc", *options, name], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} does not compile:\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_all(folder: Path, sources: dict[str, str]) -> dict[str, str]:
    """Compile all files, two at a time, each after those that it requires; return what they print."""
    imports = {
        name: re.findall(r"^From Formal(\.base)? Require Import ([\w ]+)\.", text, re.M)
        for name, text in sources.items()
    }
    needs = {
        name: {f"{'base/' if base else ''}{module}.v" for base, modules in found for module in modules.split()}
        for name, found in imports.items()
    }
    printed: dict[str, str] = {}
    with ThreadPoolExecutor(2) as pool:
        while ready := [name for name in sources if name not in printed and needs[name] <= set(printed)]:
            printed |= zip(ready, pool.map(lambda name: compiled(folder, name), ready), strict=True)
    return printed


def axioms(folder: Path) -> dict[str, list[str]]:
    """Return what the quoted statements rest on, those that use interval arithmetic apart from the others."""
    lines = [f"From Formal{'.base' if '/' in s['file'] else ''} Require {Path(s['file']).stem}." for s in quoted()]
    lines = list(dict.fromkeys(lines))
    for group in GROUPS:
        names = [
            f"@Formal.{s['file'][:-2].replace('/', '.')}.{s['name']}" for s in quoted() if s["rests_on"] == group
        ]
        lines.append(f'Definition group := ({", ".join(names)}). Goal True. idtac "@ {group}". Abort.')
        lines.append("Print Assumptions group. Reset group.")
    (folder / "assumptions.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = {}
    for part in compiled(folder, "assumptions.v").split("@ ")[1:]:
        group, _, rest = part.partition("\n")
        used = set(re.findall(r"^([\w.]+)\s*:", rest, re.MULTILINE)) - {"Axioms"}
        machine = {axiom for axiom in used if axiom.startswith(MACHINE)} if group == GROUPS[1] else set()
        if unknown := used - set(REALS) - machine:
            raise SystemExit(f"statements that rest on {group} rest on {', '.join(sorted(unknown))} too")
        found[group] = sorted(used - machine) + ["machine integers"] * bool(machine)
    return found


def numbers(printed: str) -> dict[str, object]:
    """Return the numbers that ``numbers.v`` prints, by name."""
    names = (
        "epochs",
        "prefixes",
        *(f"{c} {k} {q}" for c in ("whole", "prefix") for k, q in ((2, 0), (2, 1), (3, 0), (3, 1), (2, 2))),
    )
    values = [
        ast.literal_eval(value.replace(";", ",").strip())
        for value in re.findall(r"^ *= (.*?)^ *: list", printed, re.DOTALL | re.M)
    ]
    return dict(zip(names, values, strict=True))


def record(rests_on: dict[str, list[str]], hashes: dict[str, str]) -> str:
    """Return the record of a check, but for the versions that it was made with."""
    lines = [f"axioms {group}: {', '.join(used)}" for group, used in rests_on.items()]
    lines += [f"theorem {said['name']}: {said['rests_on']}" for said in quoted()]
    return "\n".join([*lines, *(f"file {name}: {digest}" for name, digest in hashes.items())]) + "\n"


def versions() -> str:
    """Return the versions of Coq and of its libraries, as far as the system's packages tell."""
    lines = [
        subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=True).stdout.split()[0]
    ]
    named = ["Coq"]
    for library in ("libcoq-coquelicot", "libcoq-interval"):
        if shutil.which("dpkg-query"):
            shown = subprocess.run(
                ["dpkg-query", "-W", "-f", "${Version}", library], capture_output=True, text=True, check=False
            )
            named, lines = [*named, library], [*lines, shown.stdout or "unknown"]
    return "".join(f"version {name}: {line}\n" for name, line in zip(named, lines, strict=True))


def hashes_of(sources: dict[str, str]) -> dict[str, str]:
    """Return the SHA-256 of every file."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sources.items()}


def main() -> int:
    """Check all, and compare with what was recorded, or record it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="renew checked.txt and numbers.json")
    write = parser.parse_args().write
    if shutil.which("coqc") is None:
        print(NEEDED)
        return 2
    sources = files()
    for name, text in sources.items():
        if words := left_out(text):
            raise SystemExit(f"{name} leaves a proof out or adds an axiom: {', '.join(words)}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, text in sources.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        printed = compile_all(folder, sources)
        if missing := set(sources) - set(printed):
            raise SystemExit(f"these require each other: {', '.join(sorted(missing))}")
        rests_on = axioms(folder)
    kept = {
        HERE / "checked.txt": record(rests_on, hashes_of(sources)),
        HERE / "numbers.json": json.dumps(numbers(printed["numbers.v"])) + "\n",
    }
    for path, text in kept.items():
        if write:
            path.write_text((versions() if path.suffix == ".txt" else "") + text, encoding="utf-8")
        elif re.sub(r"^version .*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE) != text:
            raise SystemExit(f"{path.name} differs; `python3 formal/check.py --write` renews it")
    print(f"formal: {len(quoted())} statements in {len(sources)} files are proved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
