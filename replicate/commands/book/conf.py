"""Settings of Sphinx for the book, and what it lacks: MathML and links to anchors in HTML."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

project = "Private online learning, replicated"
author = copyright = ""
extensions = ["myst_nb"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_theme = "furo"
html_title = project
html_static_path = ["book.css"]
html_css_files = ["book.css"]
html_math_renderer = "mathml"
html_copy_source = html_show_sourcelink = html_show_sphinx = html_show_copyright = False
html_show_search_summary = False  # a page that is read from a disk cannot fetch others

myst_enable_extensions = ["amsmath", "dollarmath"]
myst_dmath_double_inline = True  # some displayed formulas stand inside paragraphs
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_output_stderr = "remove"
nb_render_markdown_format = "myst"
nb_ipywidgets_js: dict[str, Any] = {}


class Anchors(SphinxTransform):
    """Make the anchors that Markdown writes in HTML, ``<a id="PS-T1"></a>``, places that links can lead to."""

    default_priority = 870  # before MyST resolves links inside a page

    def apply(self, **_: Any) -> None:
        """Add them to the page's headings."""
        slugs = dict(getattr(self.document, "myst_slugs", {}))
        for node in self.document.findall(nodes.raw):
            slugs |= {name: (0, name, name) for name in re.findall(r'<a id="([^"]+)"', node.astext())}
        self.document.myst_slugs = slugs
        self.env.metadata[self.env.docname]["myst_slugs"] = slugs


NAMED = "<mi>(?:arg|cosh?|det|exp|inf|lim|ln|log|max|min|Pr|sinh?|sup|tanh?)</mi>"
THIN = r'<mspace width="0.167em"></mspace>'
SPACES = (
    (r"\s+(?=<)", ""),
    (r'<mo(?: stretchy="false")?>([/|‖∥!…⋯])</mo>', r'<mo lspace="0" rspace="0" stretchy="false">\1</mo>'),
    (r'<mo movablelimits="true">(?=[a-z])', '<mo movablelimits="true" lspace="0" rspace="0.167em">'),
    (r"<mo>&ApplyFunction;</mo>(?!<mo[^>]*>[(\[])", THIN),
    (rf"(<msup>{NAMED}<mn>\d</mn></msup>)(?=<m[^o])", rf"\1{THIN}"),
    (rf"(</m(?:i|n|frac|sqrt|sub|sup)>|\)</mo>)(?=(?:<msu[bp]>)?{NAMED})", rf"\1{THIN}"),
)
"""Spaces of TeX that docutils does not set, and those of MathML's dictionary that TeX does not have."""


def mathml(latex: str, *, block: bool) -> str:
    """Return a formula as MathML, from the commands that docutils knows; an equation's number is set apart."""
    tag = re.search(r"\\tag\{(.*?)\}", latex)
    source = re.sub(r"\\tag\{.*?\}", "", latex).replace(r"\dots", r"\ldots").replace("{,}", r"\text{,}")
    source = re.sub(r"\\frac(\d)(\d)", r"\\frac{\1}{\2}", source)
    source = re.sub(r"\\([bB]ig)(?=[\W_])", r"\\\1l", source)
    formula = tex2mathml(source, as_block=block)
    for pattern, spaced in SPACES:
        formula = re.sub(pattern, spaced, formula)
    return (f'<span class="eqno">({tag[1]})</span>' if tag else "") + formula


def write(self: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula, in a line or of its own; one that cannot be written fails the build."""
    block = isinstance(node, nodes.math_block)
    try:
        formula = mathml(node.astext(), block=block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s: %s", error, node.astext(), location=node)
        formula = node.astext()
    self.body.append(f'<div class="math">{formula}</div>' if block else formula)
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Tell Sphinx of both."""
    app.add_transform(Anchors)
    app.add_html_math_renderer("mathml", (write, None), (write, None))
