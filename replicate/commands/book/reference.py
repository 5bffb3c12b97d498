"""The reference: every public name with its signature and its documentation, from the docstrings."""

from __future__ import annotations

import html
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType

from replicate.commands.book.frame import Page
from replicate.commands.book.markup import code

NAMESPACES = (
    "learners", "environments", "mechanisms", "audit", "certify", "claims", "advice", "papers.prefix_softmax",
    "papers.noisy_leader", "papers.tracking", "papers.bandits", "papers.distribution_learning",
    "studies.price_of_privacy",
)  # fmt: skip
"""Modules whose `__all__` is the public interface."""
_SECTION = re.compile(r"^(\w[\w ,]*)\n-{3,}\n", flags=re.MULTILINE)


def pages() -> list[Page]:
    """Return the reference: an overview, and a page for each public namespace."""
    modules = [importlib.import_module(f"replicate.{name}") for name in NAMESPACES]
    further = [Page(f"api/{module.__name__}", module.__name__, _module(module)) for module in modules]
    lines = "".join(_overview(module) for module in modules)
    start = "<p>The public interface: what these namespaces list in <code>__all__</code>.</p>"
    body = f'<h1 id="top">Reference</h1>{start}{lines}'
    return [Page("reference", "Reference", body, "Use"), *further]


def public(namespace: str) -> list[tuple[str, object]]:
    """Names and values that a namespace lists, by its full name."""
    return list(names(importlib.import_module(namespace)))


def names(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Public names of a namespace; those of a module among them after it, as ``bounds.theorem_1``."""
    for name in module.__all__:
        value = getattr(module, name)
        yield name, value
        if inspect.ismodule(value):
            yield from ((f"{name}.{inner}", getattr(value, inner)) for inner in _functions(value))


def summary(value: object) -> str:
    """First sentence of a documentation, empty for a constant."""
    text = (inspect.getdoc(value) or "") if _documented(value) else ""
    return " ".join(text.partition("\n\n")[0].split())


def _documented(value: object) -> bool:
    return (callable(value) and hasattr(value, "__doc__")) or inspect.ismodule(value)


def _functions(module: ModuleType) -> list[str]:
    """Functions that a module defines, in its order."""
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and not name.startswith("_") and value.__module__.startswith(module.__name__)
    ]


def _overview(module: ModuleType) -> str:
    """A namespace with a line for each name."""
    page = f"api/{module.__name__}.html"
    rows = "".join(
        f'<dt><a href="{page}#{name}"><code>{name}</code></a></dt><dd>{_prose(summary(value))}</dd>'
        for name, value in names(module)
        if "." not in name
    )
    place = module.__name__.replace(".", "-")
    heading = f'<h2 id="{place}"><a href="{page}">{module.__name__}</a></h2>'
    return f"{heading}<p>{_prose(summary(module))}</p><dl>{rows}</dl>"


def _module(module: ModuleType) -> str:
    """A namespace: its documentation and that of every name."""
    parts = [f'<h1 id="top">{module.__name__}</h1>', documented(inspect.getdoc(module) or "")]
    for name, value in names(module):
        level = 3 if "." in name else 2
        parts.append(f'<h{level} id="{name}"><code>{name}</code></h{level}>{_entry(value)}')
    return "".join(parts)


def _entry(value: object) -> str:
    """Signature, documentation and public methods of one name."""
    if inspect.ismodule(value):
        return documented(inspect.getdoc(value) or "")
    if not _documented(value) or not (inspect.isclass(value) or inspect.isroutine(value)):
        text = repr(value)
        return f"<p><code>{html.escape(text if len(text) < 300 else text[:300] + ' …')}</code></p>"
    methods = ""
    if inspect.isclass(value):
        methods = "".join(
            _method(name, member) for name, member in vars(value).items() if not name.startswith("_")
        )
    signature = code(f"{getattr(value, '__name__', '')}{_arguments(value)}", "python")
    return signature + documented(inspect.getdoc(value) or "") + (f"<dl>{methods}</dl>" if methods else "")


def _method(name: str, member: object) -> str:
    """A method or a property, if it is documented."""
    function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    if not inspect.isfunction(function) or not inspect.getdoc(function):
        return ""
    called = name if isinstance(member, property) else f"{name}{_arguments(function)}"
    return f"<dt><code>{html.escape(called)}</code></dt><dd>{documented(inspect.getdoc(function) or '')}</dd>"


def _arguments(value: object) -> str:
    """The arguments of a callable; modules' names of types are cut to their last word."""
    if not callable(value):
        return ""
    try:
        text = str(inspect.signature(value))
    except ValueError:
        return "(...)"
    unquoted = re.sub(r"((?:: |-> ))'([^']*)'", r"\1\2", re.sub(r" at 0x\w+", "", text))
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", unquoted)


def documented(text: str) -> str:
    """A docstring in NumPy's form as HTML."""
    parts = _SECTION.split(text)
    shown = [_paragraphs(parts[0])]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        if title == "Examples":
            shown.append(f"<h4>Examples</h4>{_examples(body)}")
        elif title in ("Parameters", "Attributes", "Raises"):
            shown.append(f"<h4>{title}</h4>{_definitions(body)}")
        else:
            shown.append(f"<h4>{title}</h4>{_paragraphs(body)}")
    return "".join(shown)


def _examples(text: str) -> str:
    """Paragraphs, and what one types with what it prints."""
    return "".join(
        code(block + "\n", "pycon") if block.lstrip().startswith(">>>") else _paragraphs(block)
        for block in text.strip("\n").split("\n\n")
    )


def _definitions(text: str) -> str:
    """Names with what stands indented under them."""
    items = re.split(r"^(\S.*)$", inspect.cleandoc(text), flags=re.MULTILINE)[1:]
    pairs = zip(items[::2], items[1::2], strict=True)
    shown = [
        f"<dt><code>{html.escape(name)}</code></dt><dd>{_paragraphs(inspect.cleandoc(said))}</dd>"
        if said.strip()
        else f"<dd>{_prose(name)}</dd>"
        for name, said in pairs
    ]
    return f"<dl>{''.join(shown)}</dl>"


def _paragraphs(text: str) -> str:
    """Paragraphs and lists; a paragraph that begins with a prompt is an example."""
    shown = []
    for block in filter(None, (part.strip("\n") for part in text.split("\n\n"))):
        if block.lstrip().startswith(">>>"):
            shown.append(code(block, "pycon"))
        elif block.startswith("- "):
            items = re.split(r"^- ", block, flags=re.MULTILINE)[1:]
            shown.append("<ul>" + "".join(f"<li>{_prose(item)}</li>" for item in items) + "</ul>")
        elif block.startswith("    "):
            shown.append(code(inspect.cleandoc(block), ""))
        else:
            shown.append(f"<p>{_prose(block)}</p>")
    return "".join(shown)


def _prose(text: str) -> str:
    """A paragraph of a docstring: words between one or two backticks are code."""
    parts = re.split(r"``(.+?)``|`(.+?)`", " ".join(text.split()))
    return "".join(
        html.escape(part) if i % 3 == 0 else f"<code>{html.escape(part)}</code>"
        for i, part in enumerate(parts)
        if part is not None
    )
