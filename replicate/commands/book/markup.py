"""Markdown, code and tables as HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

import mistune
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import BashLexer, PythonConsoleLexer, PythonLexer

from replicate.commands.book.formulas import mathml

_LEXERS = {"python": PythonLexer(), "pycon": PythonConsoleLexer(), "sh": BashLexer()}
_CLOSE = re.compile(r'[^\s<>]*<math[^>]*display="inline"(?:(?!</math>).)*</math>[^\s<]*', flags=re.DOTALL)
"""A formula in a line, with what is written close to it: a bracket, a word, a full stop."""
_COLOURED = HtmlFormatter(nowrap=True)


class _Renderer(mistune.HTMLRenderer):
    """HTML with MathML formulas, coloured code, and headings that links can lead to."""

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        """Render a heading with a name made of its words."""
        return f'<h{level} id="{slug(text)}">{text}</h{level}>\n'

    def block_code(self, text: str, info: str | None = None) -> str:
        """Render a block of code in the colours of its language."""
        return code(text, (info or "").strip())

    def inline_math(self, text: str) -> str:
        """Render $...$."""
        return mathml(text, display="inline")

    def block_math(self, text: str) -> str:
        """Render $$...$$."""
        return f'<div class="formula">{mathml(text, display="block")}</div>\n'


_render = mistune.create_markdown(renderer=_Renderer(escape=False), plugins=["table", "math"])


def markdown(text: str) -> str:
    """Return Markdown with LaTeX as HTML; no line ends between a formula and what is written close to it."""
    return _CLOSE.sub(_kept, str(_render(text)))


def _kept(match: re.Match[str]) -> str:
    alone = match[0].startswith("<") and match[0].endswith(">")
    return match[0] if alone else f'<span class="kept">{match[0]}</span>'


def inline(text: str) -> str:
    """Return a line of Markdown as HTML without a paragraph of its own."""
    return markdown(text).strip().removeprefix("<p>").removesuffix("</p>")


def code(text: str, language: str = "python") -> str:
    """Return code as HTML, coloured where the language is known: python, pycon or sh."""
    lexer = _LEXERS.get(language)
    shown = highlight(text, lexer, _COLOURED) if lexer else html.escape(text)
    return f"<pre><code>{shown}</code></pre>\n"


def code_colours() -> str:
    """Style sheet of code, for either theme."""
    rules = {
        theme: "\n".join(
            rule
            for rule in HtmlFormatter(style=style).get_style_defs("pre").splitlines()
            if rule.startswith("pre .")
        )
        for theme, style in {"light": "default", "dark": "github-dark"}.items()
    }
    return f"{rules['light']}\n@media screen and (prefers-color-scheme: dark) {{\n{rules['dark']}\n}}\n"


def slug(heading: str) -> str:
    """Name of a heading, from the words of its HTML."""
    return "-".join(re.findall(r"\w+", plain(heading).lower())) or "section"


def plain(text: str) -> str:
    """Words of HTML; formulas, which have no words, are left out."""
    return html.unescape(re.sub(r"<math.*?</math>|<[^>]*>|&\w+;", " ", text, flags=re.DOTALL))


def with_places(text: str) -> str:
    """HTML in which a paragraph that begins with the word it explains is a place that links can lead to."""
    return re.sub(r"<p>(?=<strong>(.*?)\.</strong>)", lambda match: f'<p id="{slug(match[1])}">', text)


def words(text: str) -> str:
    """Text of HTML, that of its formulas too."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())


def labelled(text: str) -> str:
    """HTML whose table cells carry the names of their columns: a narrow window shows each row as a card."""

    def label(match: re.Match[str]) -> str:
        heads = [plain(head).strip() for head in re.findall(r"<th[^>]*>(.*?)</th>", match[0], flags=re.DOTALL)]
        names = iter(heads * match[0].count("<tr"))
        return re.sub(r"<td", lambda _: f'<td data-label="{html.escape(next(names))}"', match[0])

    return re.sub(r"<table>.*?</table>", label, text, flags=re.DOTALL)


def tagged_rows(table: str, tags: Iterable[Mapping[str, str]]) -> str:
    """HTML of a table whose body's rows get attributes, one mapping a row."""
    head, body, rest = table.partition("<tbody>")
    attributes = iter(tags)

    def put(_: re.Match[str]) -> str:
        given = [f'{name}="{html.escape(value)}"' for name, value in next(attributes).items()]
        return f"<tr {' '.join(given)}>"

    return head + body + re.sub(r"<tr>", put, rest)


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of names with their HTML; what is empty is left out."""
    items = "".join(f"<dt>{html.escape(name)}</dt><dd>{text}</dd>" for name, text in pairs if text)
    return f"<dl>{items}</dl>" if items else ""
