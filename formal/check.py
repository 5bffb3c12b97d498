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
LEFT_OUT = r"\b(?:Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|bypass_check|(?:Uns|S)et \w+ Checking)\b"
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


def run(*command: str, folder: Path = HERE) -> subprocess.CompletedProcess[str]:
    """Run a command and keep what it prints."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def compiled(folder: Path, name: str) -> str:
    """Compile a file of a folder; return what it prints."""
    done = run("coqc", "-q", "-w", "none", "-Q", ".", "Formal", name, folder=folder)
    if done.returncode:
        raise SystemExit(f"{name} does not compile:\n{done.stdout}{done.stderr}")
    return done.stdout


def needs(text: str) -> set[str]:
    """Return which files of ours a file requires."""
    found = re.findall(r"^From Formal(\.base)? Require Import ([\w ]+)\.", text, re.MULTILINE)
    return {f"{'base/' if base else ''}{module}.v" for base, modules in found for module in modules.split()}


def compile_all(folder: Path, sources: dict[str, str]) -> dict[str, str]:
    """Compile all files, two at a time, each after those that it requires; return what they print."""
    printed: dict[str, str] = {}
    with ThreadPoolExecutor(2) as pool:
        while len(printed) < len(sources):
            ready = [name for name in sources if name not in printed and needs(sources[name]) <= set(printed)]
            if not ready:
                raise SystemExit("files require each other, or one that is not there")
            printed |= zip(ready, pool.map(lambda name: compiled(folder, name), ready), strict=True)
    return printed


def axioms(folder: Path) -> dict[str, list[str]]:
    """Return what the quoted statements rest on, those that use interval arithmetic apart from the others."""
    modules = {s["name"]: "Formal." + s["file"].removesuffix(".v").replace("/", ".") for s in quoted()}
    lines = [f"Require {module}." for module in dict.fromkeys(modules.values())]
    for group in GROUPS:
        names = ", ".join(f"@{modules[s['name']]}.{s['name']}" for s in quoted() if s["rests_on"] == group)
        lines.append(f'Definition group := ({names}). Goal True. idtac "@ {group}". Abort.')
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
    sizes = ("2 0", "2 1", "3 0", "3 1", "2 2")
    names = ("epochs", "prefixes", *(f"{learner} {size}" for learner in ("whole", "prefix") for size in sizes))
    found = re.findall(r"^ *= (.*?)^ *: list", printed, re.DOTALL | re.MULTILINE)
    return dict(zip(names, (ast.literal_eval(shown.replace(";", ",").strip()) for shown in found), strict=True))


def record(rests_on: dict[str, list[str]], hashes: dict[str, str]) -> str:
    """Return the record of a check, but for the versions that it was made with."""
    lines = [f"axioms {group}: {', '.join(used)}" for group, used in rests_on.items()]
    lines += [f"theorem {said['name']}: {said['rests_on']}" for said in quoted()]
    return "\n".join([*lines, *(f"file {name}: {digest}" for name, digest in hashes.items())]) + "\n"


def versions() -> str:
    """Return the versions of Coq and, where it comes from the system's packages, of its libraries."""
    found = {"Coq": run("coqc", "--print-version").stdout.split()[0]}
    if shutil.which("dpkg-query"):
        for library in ("libcoq-coquelicot", "libcoq-interval"):
            found[library] = run("dpkg-query", "-W", "-f", "${Version}", library).stdout or "unknown"
    return "".join(f"version {name}: {version}\n" for name, version in found.items())


def hashes_of(sources: dict[str, str]) -> dict[str, str]:
    """Return the SHA-256 of every file."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sources.items()}


def checked(sources: dict[str, str]) -> dict[Path, str]:
    """Compile everything in a fresh folder; return what the two files of the record should hold."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, text in sources.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        printed = compile_all(folder, sources)
        rests_on = axioms(folder)
    return {
        HERE / "checked.txt": record(rests_on, hashes_of(sources)),
        HERE / "numbers.json": json.dumps(numbers(printed["numbers.v"])) + "\n",
    }


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
    for path, text in checked(sources).items():
        if write:
            path.write_text((versions() if path.suffix == ".txt" else "") + text, encoding="utf-8")
        elif re.sub(r"^version .*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE) != text:
            raise SystemExit(f"{path.name} differs; `python3 formal/check.py --write` renews it")
    print(f"formal: {len(quoted())} statements in {len(sources)} files are proved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
